import { plural } from '../../model/names.ts';
import type { ChangeDocument } from '../document/document.ts';
import { contentsText } from '../guards/counting.ts';
import type { ShownFields } from './fields.ts';

/** A change in words: what becomes what, and why where that is not plain. */
export interface ChangeText {
  readonly text: string;
  readonly note: string;
}

/** One line's worth of a change; `from -> to` of the changed fields only. Nothing in it is escaped yet. */
export function describeChange(change: ChangeDocument): ChangeText {
  return { text: describe(change), note: noteOf(change) };
}

function describe(change: ChangeDocument): string {
  switch (change.kind) {
    case 'domain':
      return describeDomain(change);
    case 'alias':
      return describeAlias(change);
    case 'rule':
      return describeRule(change);
    case 'credential':
      return change.action === 'update' ? 'new password' : '';
  }
}

/** `manifest` and `reorder` go without saying. */
function noteOf(change: ChangeDocument): string {
  if (change.conditional) {
    return change.action === 'delete' ? '(if the service made one)' : '(updated, if the service made one)';
  }
  return change.reason === 'manifest' || change.reason === 'reorder' ? '' : change.reason.replace('-', ' ');
}

function describeDomain({ action, fields, observed, desired, contents }: ChangeDocument): string {
  if (action === 'delete' && contents !== undefined) {
    return `with ${contentsText(contents)}`;
  }
  return fields
    .map((field) => {
      const now = fieldText(field, desired);
      return observed === null ? `${field} ${now}` : `${field} ${fieldText(field, observed)} -> ${now}`;
    })
    .join('; ');
}

function describeAlias({ observed, desired }: ChangeDocument): string {
  if (observed === null || desired === null) return fieldText('forward', observed ?? desired ?? NOTHING);
  return describeForward(observed, desired);
}

/** Of lists that share something only what is new and what goes; else all that was, and all that will be. */
function describeForward(observed: ShownFields, desired: ShownFields): string {
  const [was, will] = [listOf(observed), listOf(desired)];
  const added = will.filter((destination) => !was.includes(destination));
  const removed = was.filter((destination) => !will.includes(destination));
  const isShared = added.length < will.length && removed.length < was.length;
  // What differs is behind a reference, or masked.
  if (added.length + removed.length === 0) return `${fieldText('forward', desired)} (another value)`;
  if (!isShared) {
    return `${fieldText('forward', observed)} -> ${fieldText('forward', desired)}`;
  }
  const changed = [...added.map((one) => `+${one}`), ...removed.map((one) => `-${one}`)];
  return `${changed.join(' ')}  (${plural(will.length, 'destination')})`;
}

/** A comma within braces belongs to the path of a reference. */
function listOf(state: ShownFields): readonly string[] {
  return fieldText('forward', state).split(/, (?![^{]*\})/);
}

const NOTHING: ShownFields = { forward: '' };

function describeRule({ action, fields, observed, desired, after }: ChangeDocument): string {
  const place = typeof after === 'string' ? `after ${after}` : 'first';
  if (action === 'move') return place;
  const state = desired ?? observed;
  if (state === null) return '';
  if (observed === null || desired === null) {
    const inactive = state['active'] === false ? ', inactive' : '';
    return `${describeMatch(state)} -> ${fieldText('forward', state)}${inactive}`;
  }
  return fields
    .map((field) => {
      if (field === 'rank') return place;
      if (field === 'forward') return describeForward(observed, desired);
      const becomes = `${fieldText(field, observed)} -> ${fieldText(field, desired)}`;
      return field === 'active' ? becomes : `${field} ${becomes}`;
    })
    .join('; ');
}

function describeMatch(state: ShownFields): string {
  if ('alias' in state) return `alias ${fieldText('alias', state)}`;
  if ('regex' in state) return `${fieldText('scopes', state)} ~ ${fieldText('regex', state)}`;
  return fieldText('expression', state);
}

function fieldText(field: string, state: ShownFields | null): string {
  const value = state?.[field];
  if (field === 'active') return value === true ? 'active' : 'inactive';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : 'none';
}
