import { CommandError, EXIT } from './exit.ts';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Milliseconds of a duration such as `500ms`, `30s`, `5m` or `1h`. */
export function parseDuration(flag: string, text: string): number {
  const [, number, unit] = /^(\d{1,9}(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(number) * UNITS[(unit ?? 'ms') as keyof typeof UNITS];
  if (milliseconds >= 1) return milliseconds;
  throw new CommandError(
    EXIT.usage,
    `${flag} ${text} is not a duration`,
    'write a number with ms, s, m or h, such as 5m',
  );
}
