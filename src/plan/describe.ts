import type { AliasChange, Change, DomainChange, RuleChange } from '../model/plan.ts';
import type { RuleField, RuleMatch, RuleState } from '../model/resources.ts';

/** A change in words: what becomes what, and why where that is not plain. */
export interface ChangeText {
  readonly text: string;
  readonly note: string;
}

/** `show` renders destinations and free text, with references, masks and escapes applied. */
export interface Show {
  readonly forward: (forward: string) => string;
  readonly text: (text: string) => string;
}

/** One line's worth of a change; `from -> to` of the changed fields only. */
export function describeChange(change: Change, show: Show): ChangeText {
  switch (change.kind) {
    case 'domain':
      return { text: describeDomain(change, show), note: noteOf(change) };
    case 'alias':
      return { text: describeAlias(change, show), note: noteOf(change) };
    case 'rule':
      return { text: describeRule(change, show), note: noteOf(change) };
    case 'credential':
      return { text: change.action === 'update' ? 'new password' : '', note: noteOf(change) };
  }
}

/** `manifest` and `reorder` go without saying. */
function noteOf(change: Change): string {
  if (change.conditional) {
    return change.action === 'delete' ? '(if the service made one)' : '(updated, if the service made one)';
  }
  return change.reason === 'manifest' || change.reason === 'reorder' ? '' : change.reason.replace('-', ' ');
}

function describeDomain({ action, fields, observed, desired, contents }: DomainChange, show: Show): string {
  if (action === 'delete' && contents !== undefined) {
    const { aliases, rules, credentials } = contents;
    const counts = [
      `${aliases} ${aliases === 1 ? 'alias' : 'aliases'}`,
      `${rules} ${rules === 1 ? 'rule' : 'rules'}`,
      `${credentials} ${credentials === 1 ? 'credential' : 'credentials'}`,
    ];
    return `with ${counts.join(', ')}`;
  }
  return fields
    .map((field) => {
      const now = show.text(desired?.[field] ?? 'none');
      return observed === null
        ? `${field} ${now}`
        : `${field} ${show.text(observed[field] ?? 'none')} -> ${now}`;
    })
    .join('; ');
}

function describeAlias({ observed, desired }: AliasChange, { forward }: Show): string {
  if (observed === null) return desired === null ? '' : forward(desired.forward);
  if (desired === null) return forward(observed.forward);
  return `${forward(observed.forward)} -> ${forward(desired.forward)}`;
}

function describeRule({ action, fields, observed, desired, after }: RuleChange, show: Show): string {
  const place = after === null ? 'first' : `after ${show.text(after)}`;
  if (action === 'move') return place;
  const state = desired ?? observed;
  if (state === null) return '';
  if (observed === null || desired === null) {
    const inactive = state.active ? '' : ', inactive';
    return `${describeMatch(state.match, show)} -> ${show.forward(state.forward)}${inactive}`;
  }
  return fields
    .map((field) => (field === 'rank' ? place : describeField(field, observed, desired, show)))
    .join('; ');
}

function describeMatch(match: RuleMatch, show: Show): string {
  switch (match.type) {
    case 'alias':
      return `alias ${show.text(match.alias)}`;
    case 'cel':
      return show.text(match.expression);
    case 'regex':
      return `${match.scopes.join(',')} ~ ${show.text(match.regex)}`;
  }
}

function describeField(field: RuleField, from: RuleState, to: RuleState, show: Show): string {
  if (field === 'forward') return `${show.forward(from.forward)} -> ${show.forward(to.forward)}`;
  if (field === 'active') return to.active ? 'inactive -> active' : 'active -> inactive';
  return `${field} ${fieldText(field, from.match, show)} -> ${fieldText(field, to.match, show)}`;
}

function fieldText(field: RuleField, match: RuleMatch, show: Show): string {
  if (match.type === 'regex' && field === 'scopes') return match.scopes.join(',');
  if (match.type === 'regex') return show.text(match.regex);
  return show.text(match.type === 'alias' ? match.alias : match.expression);
}
