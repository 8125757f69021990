import { quoteForShell } from '../../../core/plan/policy.ts';
import type { Context } from '../../context.ts';
import { ALLOWANCES, type GivenFlags } from '../../settings/flags.ts';
import { commandLineHere, flagWords } from '../command-lines.ts';

type Place = Pick<Context, 'cwd' | 'env' | 'given' | 'mask'>;

const PLANNING = [
  'domain',
  'against',
  ...ALLOWANCES,
  'mask',
] as const satisfies readonly (keyof GivenFlags)[];

/**
 * Returns the command, quoted for a shell, that applies the plan of these flags. null means that no command would
 * apply exactly that: a manifest from standard input is gone, and domains that `--quick` left out would be planned
 * again.
 */
export function applyCommandLine(place: Place): string | null {
  const { given } = place;
  const command = commandLineHere(place);
  if (given.out !== undefined) return command(`apply ${quoteForShell(given.out)}`);
  if (given.quick === true || given.file?.includes('-') === true) return null;
  return command(['apply', ...PLANNING.flatMap((name) => flagWords(name, given[name]))].join(' '));
}

/** Returns the command that applies a saved plan. */
export function applySaved(place: Place, path: string): string {
  return commandLineHere({ ...place, given: {} })(`apply ${quoteForShell(path)}`);
}
