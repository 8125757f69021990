import { plural } from '../../model/names.ts';
import type { RouteKind } from '../../model/plan.ts';
import type { PlanDocument } from '../document/document.ts';
import type { PlannedRouteDocument, RouteEndsDocument } from '../document/planned-routes.ts';
import { describeMatch } from '../../kinds/rule/diff-words.ts';
import { describeLists } from '../diff/shown.ts';
import { compareWeights, weightText } from './replay.ts';

/** The routes of a domain to list; `first` counts the rest. */
export type RoutesShown = 'all' | 'first';
const MOST_ROUTES = 20;

/** A route in words, not escaped yet. */
export interface RouteRow {
  readonly kind: RouteKind;
  readonly who: string;
  readonly text: string;
  /** The reason for the route. */
  readonly note: string;
}

interface RoutesOfDomain {
  readonly rows: readonly RouteRow[];
  /** A text for the routes that are left out; null means none. */
  readonly more: string | null;
}

/** The text for changes that affect no mail. */
export const NO_ROUTES = 'No mail changes its destination, as far as names and conditions show.';

/** Returns the routes by domain, the busiest of a kind first; null if the plan does not have routes or has no changes. */
export function routesByDomain(
  { routes, changes }: Pick<PlanDocument, 'routes' | 'changes'>,
  shown: RoutesShown,
): readonly RoutesOfDomain[] | null {
  if (routes === undefined || changes.length === 0) return null;
  return [...Map.groupBy(routes, ({ domain }) => domain)].map(([domain, all]) => {
    const listed = shown === 'all' ? all : weightiest(all);
    const rest = all.length - listed.length;
    const more = rest === 0 ? null : `… and ${rest} more at ${domain}; plan --all-routes lists them`;
    const inOrder = listed.toSorted((a, b) => placeOf(a) - placeOf(b) || compareWeights(a, b));
    return { rows: inOrder.map(describeRoute), more };
  });
}

/** Returns the order of a route: addresses come first, then patterns, conditions, and all others. */
function placeOf({ address, pattern, rule }: PlannedRouteDocument): number {
  if (address !== null) return pattern === true ? 1 : 0;
  return rule === null ? 3 : 2;
}

/** Returns the routes to show, in their order. Lost mail and mail to many addresses are preferred. */
function weightiest(routes: readonly PlannedRouteDocument[]): readonly PlannedRouteDocument[] {
  const first = routes
    .toSorted((a, b) => Number(isWeighty(b)) - Number(isWeighty(a)) || compareWeights(a, b))
    .slice(0, MOST_ROUTES);
  const chosen = new Set(first);
  return routes.filter((route) => chosen.has(route));
}

function isWeighty({ kind, address }: PlannedRouteDocument): boolean {
  return kind === 'lost' || address === null;
}

/**
 * Returns `Whose mail changes: 4 routes, 1 new, 2 lost, 1 elsewhere.`; null if the plan does not have routes or has no
 * changes.
 */
export function routesSentence({ routes, changes }: Pick<PlanDocument, 'routes' | 'changes'>): string | null {
  if (routes === undefined || changes.length === 0) return null;
  if (routes.length === 0) return NO_ROUTES;
  const counts = KINDS.map(
    ([kind, word]) => [routes.filter((route) => route.kind === kind).length, word] as const,
  )
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`);
  return `Whose mail changes: ${plural(routes.length, 'route')}, ${counts.join(', ')}.`;
}

const KINDS = [
  ['new', 'new'],
  ['lost', 'lost'],
  ['reroute', 'elsewhere'],
  ['renamed', 'renamed'],
] as const satisfies readonly (readonly [RouteKind, string])[];

export function describeRoute(route: PlannedRouteDocument): RouteRow {
  const { kind, otherwise } = route;
  const notes = notesOf(route);
  const note = notes.length === 0 ? '' : `(${notes.join('; ')})`;
  // Only the rules' reading changes.
  const isAsBefore = otherwise !== undefined && JSON.stringify(route.from) === JSON.stringify(route.to);
  const text = isAsBefore ? listed(route.to).join(', ') : describeEnds(route);
  return { kind, who: whoOf(route), text, note };
}

function notesOf(route: PlannedRouteDocument): readonly string[] {
  const { was, condition, via, unknown, undecided = [], otherwise } = route;
  const weight = weightText(route);
  return [
    ...(weight === null ? [] : [weight]),
    ...(condition === undefined ? [] : [`mail with ${describeMatch(condition)}`]),
    ...(was === null ? [] : [`renamed from ${was}`]),
    ...(via.length === 0 ? [] : [`via ${via.join(', ')}`]),
    ...(unknown.length === 0 ? [] : [`${unknown.join(', ')} not managed`]),
    ...(undecided.length === 0 ? [] : [undecidedText(undecided)]),
    ...(otherwise === undefined ? [] : [`by rules: ${describeEnds(otherwise)}`]),
  ];
}

/** Names the entries that make a route uncertain. */
function undecidedText(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  if (quoted.length === 1) return `may be: it is not known if ${quoted.join('')} matches it`;
  return `may be: it is not known which of ${quoted.join(', ')} gets it`;
}

function whoOf({ domain, address, rule }: PlannedRouteDocument): string {
  if (address !== null) return address;
  return rule === null ? `every other at ${domain}` : `rule ${rule} at ${domain}`;
}

function describeEnds({ kind, from, to }: RouteEndsDocument): string {
  if (kind === 'new' || kind === 'renamed') return listed(to).join(', ');
  return from === null && to === null ? 'unknown' : describeLists(listed(from), listed(to));
}

function listed(ends: readonly string[] | null): readonly string[] {
  if (ends === null) return ['unknown'];
  return ends.length === 0 ? ['refused'] : ends;
}
