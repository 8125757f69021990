/** Maximum number of messages per hour: to a webhook for each account, by mail for all. */
export const MOST_AN_HOUR = 12;
const HOUR_MS = 3_600_000;

/** Keeps the moments of the last hour, in monotonic milliseconds. */
export function momentsOfHour(moments: readonly number[], now: number): readonly number[] {
  return moments.filter((moment) => now - moment < HOUR_MS);
}

/** Returns the milliseconds until another message may be sent; 0 means now. `moments` are those of the last hour. */
export function untilRoom(moments: readonly number[], now: number): number {
  const [oldest = now] = moments;
  return moments.length < MOST_AN_HOUR ? 0 : oldest + HOUR_MS - now;
}
