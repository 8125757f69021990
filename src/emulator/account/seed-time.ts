/** A time in a seed: ISO 8601 text or epoch milliseconds. */
export type SeedTime = string | number;

/** Returns the time in epoch milliseconds. */
export function readTime(time: SeedTime | undefined, fallback: number): number {
  if (time === undefined) return fallback;
  return typeof time === 'number' ? time : Date.parse(time);
}
