import { showDestinations, showText, type Disclosure } from '../../../model/destinations.ts';
import type { RuleMatch, RuleState } from '../../../model/resources.ts';
import { describeForward, fieldText, type ShownChange, type ShownFields } from '../shown.ts';

/** What is remembered of a rule, its rank apart; see `signature`. */
export function ruleSignature(
  { match, forward, active }: Omit<RuleState, 'rank'>,
  references: Disclosure['references'],
): string {
  return JSON.stringify([matchParts(match), showDestinations(forward, { references, mask: false }), active]);
}

/** Equal for equal conditions, and only for those. */
export function matchParts(match: RuleState['match']): readonly string[] {
  switch (match.type) {
    case 'alias':
      return [match.type, match.alias];
    case 'cel':
      return [match.type, match.expression];
    case 'regex':
      return [match.type, match.regex, ...new Set(match.scopes.toSorted())];
  }
}

export function ruleFields({ match, forward, active, rank }: RuleState, disclosure: Disclosure): ShownFields {
  return { ...showMatch(match, disclosure), forward: showDestinations(forward, disclosure), active, rank };
}

/** What a rule takes, under the API's names. */
export function showMatch(match: RuleMatch, disclosure: Disclosure): ShownFields {
  switch (match.type) {
    case 'alias':
      return { alias: showText(match.alias, disclosure) };
    case 'regex':
      return { regex: showText(match.regex, disclosure), scopes: match.scopes };
    case 'cel':
      return { expression: showText(match.expression, disclosure) };
  }
}

export function describeRule({ fields, observed, desired, after }: ShownChange): string {
  const state = desired ?? observed;
  if (state === null) return '';
  if (observed === null || desired === null) {
    const inactive = state['active'] === false ? ', inactive' : '';
    return `${describeMatch(state)} -> ${fieldText('forward', state)}${inactive}`;
  }
  return fields
    .map((field) => {
      if (field === 'rank') return describePlace(after, { observed, desired });
      if (field === 'forward') return describeForward(observed, desired);
      const becomes = `${fieldText(field, observed)} -> ${fieldText(field, desired)}`;
      return field === 'active' ? becomes : `${field} ${becomes}`;
    })
    .join('; ');
}

/** By its neighbour in a plan; the history knows ranks alone. */
function describePlace(
  after: ShownChange['after'],
  { observed, desired }: Readonly<Record<'observed' | 'desired', ShownFields>>,
): string {
  if (after === undefined) return `rank ${String(observed['rank'])} -> ${String(desired['rank'])}`;
  return after === null ? 'first' : `after ${after}`;
}

/** The same in short. */
export function describeMatch(state: ShownFields): string {
  if ('alias' in state) return `alias ${fieldText('alias', state)}`;
  if ('regex' in state) return `${fieldText('scopes', state)} ~ ${fieldText('regex', state)}`;
  return fieldText('expression', state);
}
