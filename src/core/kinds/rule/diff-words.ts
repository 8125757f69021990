import { showFields, type ShownFields } from '../../fields/fields.ts';
import { RULE } from './fields.ts';
import type { Disclosure } from '../../model/destinations.ts';
import type { RuleMatch } from '../../model/resources.ts';
import { describeForward, fieldText, type ShownChange } from '../../plan/diff/shown.ts';

/** Shows a condition under the API's names. */
export function showMatch(match: RuleMatch, disclosure: Disclosure): ShownFields {
  return showFields(RULE.fields, { match }, disclosure);
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

/** Describes a rule's new place: by its neighbour in a plan, by ranks in the history, which has no neighbours. */
function describePlace(
  after: ShownChange['after'],
  { observed, desired }: Readonly<Record<'observed' | 'desired', ShownFields>>,
): string {
  if (after === undefined) return `rank ${String(observed['rank'])} -> ${String(desired['rank'])}`;
  return after === null ? 'first' : `after ${after}`;
}

/** Describes a condition in short. */
export function describeMatch(state: ShownFields): string {
  if ('alias' in state) return `alias ${fieldText('alias', state)}`;
  if ('regex' in state) return `${fieldText('scopes', state)} ~ ${fieldText('regex', state)}`;
  return fieldText('expression', state);
}
