/** Time as a parameter: real in the command line, virtual in tests. */
export interface Clock {
  /** Epoch milliseconds of the wall clock; for documents and for comparing with the service's times. */
  now(): number;
  /** Milliseconds since some fixed moment; never goes back. For measuring and waiting. */
  monotonic(): number;
  /** Waits `milliseconds`, or until the signal is aborted; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Calls `work` at this interval until the returned function is called. */
export type Every = (milliseconds: number, work: () => void) => () => void;

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Parses a duration such as `500ms`, `30s`, `5m`, `1h` or `2d` into milliseconds. Returns null if the text is not a
 * duration.
 */
export function durationMs(text: string): number | null {
  const [, number, unit] = /^(\d{1,9}(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * UNITS[unit as keyof typeof UNITS];
}

/** Shows a duration to people, in its largest unit: `12 s`, `3 min`, `2 h`, `4 days`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** Formats epoch milliseconds as ISO 8601 in UTC. */
export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Shows epoch milliseconds to people, in UTC: `2026-09-01 00:00 UTC`. */
export function showTime(milliseconds: number): string {
  return `${iso(milliseconds).slice(0, 16).replace('T', ' ')} UTC`;
}
