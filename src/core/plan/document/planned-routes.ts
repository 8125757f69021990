import { showDestination, showText, shownDestinations, type Disclosure } from '../../model/destinations.ts';
import type { Decider, PlannedRoute, RouteEnds, RouteKind } from '../../model/plan.ts';
import { showMatch } from '../../kinds/rule/diff-words.ts';
import type { ShownFields } from '../../fields/fields.ts';

/** One item of `routes` in `fwdsync/plan@1`. */
export interface PlannedRouteDocument extends RouteEndsDocument {
  readonly domain: string;
  /** The address; null means every other address of the domain, or the mail that `rule` takes. */
  readonly address: string | null;
  /** True if the local part of `address` is a pattern. */
  readonly pattern?: true;
  readonly rule: string | null;
  /** The condition of `rule`. */
  readonly condition?: ShownFields;
  readonly was: string | null;
  readonly via: readonly string[];
  readonly otherwise?: RouteEndsDocument;
  /** Number of messages that would end elsewhere. null means unknown. Absent if the plan was not weighed. */
  readonly messages?: number | null;
}

export interface RouteEndsDocument {
  readonly kind: RouteKind;
  readonly from: readonly string[] | null;
  readonly to: readonly string[] | null;
  readonly by: { readonly before: Decider | null; readonly after: Decider | null };
  readonly unknown: readonly string[];
  /** Entries that may each take the mail; absent if it is known which one does. */
  readonly undecided?: readonly string[];
}

/** Returns a route as it may be shown: names unchanged, destinations as references and masked. */
export function plannedRouteDocument(route: PlannedRoute, disclosure: Disclosure): PlannedRouteDocument {
  const { domain, address, knownBy, rule, was, via, otherwise } = route;
  // Addresses must be readable. Those that only destinations name are shown as destinations.
  const named = { ...disclosure, mask: false } as const;
  const name = (text: string): string => showText(text, named);
  const passed = (text: string): string => showDestination(text, disclosure);
  const shown = (text: string): string => (knownBy === 'destination' ? passed(text) : name(text));
  return {
    domain,
    address: address === null ? null : shown(address),
    ...(knownBy === 'pattern' ? { pattern: true } : {}),
    rule: rule === null ? null : showText(rule.name, disclosure),
    ...(rule === null ? {} : { condition: showMatch(rule.match, disclosure) }),
    was: was === null ? null : name(was),
    ...endsDocument(route, disclosure),
    via: via.map(passed),
    ...(otherwise === null ? {} : { otherwise: endsDocument(otherwise, disclosure) }),
  };
}

function endsDocument(
  { kind, from, to, by, unknown, undecided }: RouteEnds,
  disclosure: Disclosure,
): RouteEndsDocument {
  const shown = (ends: RouteEnds['from']): readonly string[] | null =>
    ends === null ? null : shownDestinations(ends, disclosure);
  const decider = (one: Decider | null): Decider | null =>
    one === null || one.name === null ? one : { ...one, name: showText(one.name, disclosure) };
  return {
    kind,
    from: shown(from),
    to: shown(to),
    by: { before: decider(by.before), after: decider(by.after) },
    unknown,
    ...(undecided === undefined ? {} : { undecided: undecided.map((name) => showText(name, disclosure)) }),
  };
}
