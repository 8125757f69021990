/** A run as it was foreseen: monotonic milliseconds. */
export interface Timetable {
  readonly start: number;
  /** When each request leaves, in order. */
  readonly sentAt: readonly number[];
  readonly end: number;
}

/** Where a run is by now. */
export interface Position {
  /** Requests that have left. */
  readonly sent: number;
  /** When the last one did, and what time it is; monotonic milliseconds. */
  readonly since: number;
  readonly now: number;
}

/**
 * Milliseconds to the end: a run is where the timetable is after as many requests, and comes on from there as far as where
 * the next one leaves. So a service that is slower or faster than was thought shifts the rest.
 */
export function leftOf({ start, sentAt, end }: Timetable, { sent, since, now }: Position): number {
  const here = sent === 0 ? start : (sentAt[Math.min(sent, sentAt.length) - 1] ?? start);
  const next = sentAt[sent] ?? end;
  return end - Math.min(next, here + Math.max(0, now - since));
}
