import type { Arrival, WatchedAccount } from './watched-account.ts';

/** Times at which reads of an account began, in epoch milliseconds. Each run first asks for the account, once. */
export function readsOf({ arrivals }: WatchedAccount, since = 0): readonly number[] {
  return arrivals.filter((arrival) => arrival.at >= since && isStart(arrival)).map(({ at }) => at);
}

/** Returns the longest time between two reads of an account, or between a read and the end, in milliseconds. */
export function longestGap(account: WatchedAccount, since: number, until: number): number {
  const marks = [since, ...readsOf(account, since).filter((at) => at <= until), until];
  return Math.max(...marks.slice(1).map((at, index) => at - (marks[index] ?? at)));
}

/**
 * Returns overlapping reads of one account, as sentences. Each run of an account in sync sends the same requests once. If two runs
 * overlap, not all of them lie between one start and the next.
 */
export function overlaps({ email, arrivals }: WatchedAccount, since: number): readonly string[] {
  const later = arrivals.slice(arrivals.findIndex((arrival) => arrival.at >= since && isStart(arrival)));
  const runs: string[][] = [];
  for (const arrival of later) {
    if (isStart(arrival)) runs.push([]);
    runs.at(-1)?.push(`${arrival.method} ${arrival.path}`);
  }
  // The last run may not have ended.
  const whole = runs.slice(0, -1).map((run) => run.toSorted().join(', '));
  const [usual] = whole;
  return whole
    .filter((run) => run !== usual)
    .map((run) => `${email} was read by ${run} and not by ${String(usual)}`);
}

function isStart({ method, path }: Arrival): boolean {
  return method === 'GET' && path === '/account';
}
