import { quoteForShell } from '../../../core/plan/policy.ts';
import type { Context } from '../../context.ts';
import { ALLOWANCES, type PlanFlags } from '../../input/plan-options.ts';
import { commandLineHere, flagWords } from '../command-lines.ts';

/** How `plan` was asked for, as far as it says how to go on. */
export interface PlanRequestFlags extends PlanFlags {
  readonly out?: string;
  readonly quick?: true;
}

const PLANNING = ['domain', 'against', ...ALLOWANCES, 'mask'] as const satisfies readonly (keyof PlanFlags)[];

/**
 * The command that applies the plan that these flags made, for a shell; null where no command would apply just that: a
 * manifest from standard input is gone, and what `--quick` left out would be planned again.
 */
export function applyCommandLine(context: Context, flags: PlanRequestFlags): string | null {
  const command = commandLineHere(context, flags);
  if (flags.out !== undefined) return command(`apply ${quoteForShell(flags.out)}`);
  if (flags.quick === true || flags.file?.includes('-') === true) return null;
  return command(['apply', ...PLANNING.flatMap((name) => flagWords(name, flags[name]))].join(' '));
}

/** The command that applies a saved plan. */
export function applySaved(context: Context, path: string): string {
  return commandLineHere(context, {})(`apply ${quoteForShell(path)}`);
}

/** What a plan says to do next; that of one of many accounts leaves it to the command for all of them. */
export function nextOf({ ofAccount }: Pick<Context, 'ofAccount'>, command: string | null): string | null {
  if (ofAccount === undefined) return command;
  if (command !== null) ofAccount.report({ canApply: true });
  return null;
}
