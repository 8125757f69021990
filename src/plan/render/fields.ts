import { decodeForward, showDestinations, showText, type Disclosure } from '../../model/destinations.ts';
import type { Change } from '../../model/plan.ts';
import type { RuleMatch, RuleState } from '../../model/resources.ts';

/** The fields of one side of a change under the API's names, as they may be shown. */
export type ShownFields = Readonly<Record<string, unknown>>;

/** Of an update the fields that it changes, of an add or delete all of them; null where the item is not. */
export function shownFields(
  change: Change,
  side: 'observed' | 'desired',
  disclosure: Disclosure,
): ShownFields | null {
  const all = allFields(change, side, disclosure);
  if (all === null || change.fields.length === 0) return all;
  return Object.fromEntries(change.fields.map((field) => [field, all[field] ?? null]));
}

function allFields(change: Change, side: 'observed' | 'desired', disclosure: Disclosure): ShownFields | null {
  switch (change.kind) {
    case 'alias': {
      const state = change[side];
      return state === null ? null : { forward: showDestinations(state.forward, disclosure) };
    }
    case 'rule': {
      const state = change[side];
      return state === null ? null : ruleFields(state, disclosure);
    }
    case 'domain':
      return showSettings(change[side], disclosure);
    case 'credential':
      return change[side] === null ? null : {};
  }
}

function ruleFields({ match, forward, active, rank }: RuleState, disclosure: Disclosure): ShownFields {
  return { ...showMatch(match, disclosure), forward: showDestinations(forward, disclosure), active, rank };
}

function showMatch(match: RuleMatch, disclosure: Disclosure): ShownFields {
  switch (match.type) {
    case 'alias':
      return { alias: showText(match.alias, disclosure) };
    case 'regex':
      return { regex: showText(match.regex, disclosure), scopes: match.scopes };
    case 'cel':
      return { expression: showText(match.expression, disclosure) };
  }
}

/** Notification addresses and webhooks are destinations too. */
function showSettings(settings: object | null, disclosure: Disclosure): ShownFields | null {
  if (settings === null) return null;
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name,
        typeof value === 'string' ? showDestinations(decodeForward(value), disclosure) : value,
      ]),
  );
}
