import type { PlanDocument } from '../document/document.ts';
import type { PlannedRouteDocument } from '../document/planned-routes.ts';

/** Returns how much mail a plan changes, in a sentence or two; null means that it was not weighed, or changes no mail. */
export function replaySentence({
  replay,
  routes = [],
}: Pick<PlanDocument, 'replay' | 'routes'>): string | null {
  if (replay === undefined || (routes.length === 0 && replay.messages === 0)) return null;
  const { since, until, complete, messages, changed, unknown } = replay;
  const period = periodText(Date.parse(until) - Date.parse(since));
  const all = `${counted(messages)} of the last ${period}`;
  const open = unknown === 0 ? '' : `; for ${grouped(unknown)} the logs do not show it`;
  const missing = complete ? '' : ' The logs are not complete: there may be more.';
  return `${grouped(changed)} of ${all} would be routed differently${open}.${missing}`;
}

/** Returns how much mail a route has; null means that it was not weighed. */
export function weightText({ messages }: Pick<PlannedRouteDocument, 'messages'>): string | null {
  if (messages === undefined) return null;
  if (messages === null) return 'number of messages not known';
  return messages === 0 ? 'no mail' : counted(messages);
}

/** Compares routes: the busiest first. One whose mail is not known comes before one that has none. */
export function compareWeights(a: PlannedRouteDocument, b: PlannedRouteDocument): number {
  return weightOf(b) - weightOf(a);
}

function weightOf({ messages = 0 }: PlannedRouteDocument): number {
  return messages ?? 0.5;
}

/** Returns the messages of routes together, for a cell of a table. */
export function weightSum(routes: readonly PlannedRouteDocument[]): string {
  const known = routes.every(({ messages }) => messages !== null);
  return known ? grouped(routes.reduce((sum, { messages }) => sum + (messages ?? 0), 0)) : 'not known';
}

function counted(messages: number): string {
  return `${grouped(messages)} ${messages === 1 ? 'message' : 'messages'}`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const;

function periodText(milliseconds: number): string {
  const [length, name] = UNITS.find(([unit]) => milliseconds % unit === 0) ?? [1, 'millisecond'];
  const count = milliseconds / length;
  return count === 1 ? name : `${count} ${name}s`;
}
