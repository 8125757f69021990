/** What decides about colours: a stream that is asked for them, or what was stated. */
export type ColorChoice = 'auto' | 'always' | 'never';

/** Resolves colours by the flag, then NO_COLOR, then FORCE_COLOR; `auto` leaves them to each stream. */
export function resolveColor(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): ColorChoice {
  if (flag === 'always' || flag === 'never') return flag;
  if (env['NO_COLOR']) return 'never';
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] === '0' ? 'never' : 'always';
  return env['TERM'] === 'dumb' ? 'never' : 'auto';
}
