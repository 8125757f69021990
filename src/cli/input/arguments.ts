import { durationMs } from '../../core/model/clock.ts';
import { parseDomainName, type DomainName } from '../../core/model/names.ts';
import { usageError } from '../exit.ts';

/** Parses a domain from an argument or, if `flag` is given, from the value of that flag. */
export function requireDomain(text: string, flag?: string): DomainName {
  const parsed = parseDomainName(text);
  if (parsed.ok) return parsed.value;
  const what = flag === undefined ? parsed.error.message : `${flag}: ${parsed.error.message}`;
  throw usageError(what, parsed.error.hint);
}

/**
 * Parses a duration such as `500ms`, `30s`, `5m`, `1h` or `2d` into milliseconds. Refuses a duration below the
 * minimum.
 */
export function parseDuration(flag: string, text: string, leastMs = 1): number {
  const milliseconds = durationMs(text);
  if (milliseconds === null) {
    throw usageError(`${flag} ${text} is not a duration`, 'write a number with ms, s, m, h or d, such as 5m');
  }
  if (milliseconds >= leastMs) return milliseconds;
  throw usageError(`${flag} ${text} is too short`, `give at least ${showLeast(leastMs)}`);
}

function showLeast(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}
