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
 * The command that applies the plan that these flags made, for a shell; null where no command would apply just that: a
 * manifest from standard input is gone, and what `--quick` left out would be planned again.
 */
export function applyCommandLine(place: Place): string | null {
  const { given } = place;
  const command = commandLineHere(place);
  if (given.out !== undefined) return command(`apply ${quoteForShell(given.out)}`);
  if (given.quick === true || given.file?.includes('-') === true) return null;
  return command(['apply', ...PLANNING.flatMap((name) => flagWords(name, given[name]))].join(' '));
}

/** The command that applies a saved plan. */
export function applySaved(place: Place, path: string): string {
  return commandLineHere({ ...place, given: {} })(`apply ${quoteForShell(path)}`);
}
