import { quoteForShell } from '../../../plan/policy.ts';
import type { Context } from '../../context.ts';
import { ALLOWANCES, flagOf, type PlanFlags } from '../../input/plan-options.ts';

/** How `plan` was asked for, as far as it says how to go on. */
export interface PlanRequestFlags extends PlanFlags {
  readonly out?: string;
  readonly quick?: true;
}

type FlagName = Exclude<keyof PlanFlags, 'concealed'>;

const CONNECTION = ['apiUrl', 'apiVersion', 'account', 'stateDir'] as const satisfies readonly FlagName[];
const PLANNING: readonly FlagName[] = ['file', 'accounts', 'domain', 'against', ...ALLOWANCES, 'mask'];

/**
 * The command that applies the plan that these flags made, for a shell; null where no command would apply just that: a
 * manifest from standard input is gone, and what `--quick` left out would be planned again.
 */
export function applyCommandLine(flags: PlanRequestFlags): string | null {
  if (flags.out !== undefined) return commandLine(flags, CONNECTION, [flags.out]);
  if (flags.quick === true || flags.file?.includes('-') === true) return null;
  return commandLine(flags, [...PLANNING, ...CONNECTION], []);
}

/** The command that applies a saved plan. */
export function applySaved(path: string): string {
  return commandLine({}, [], [path]);
}

/** What a plan says to do next; that of one of many accounts leaves it to the command for all of them. */
export function nextOf({ ofAccount }: Pick<Context, 'ofAccount'>, command: string | null): string | null {
  if (ofAccount === undefined) return command;
  if (command !== null) ofAccount.report({ canApply: true });
  return null;
}

function commandLine(flags: PlanFlags, names: readonly FlagName[], operands: readonly string[]): string {
  const given = names.flatMap((name) => {
    const value = flags[name];
    const flag = name === 'file' ? '-f' : flagOf(name);
    if (value === undefined) return [];
    if (value === true) return [flag];
    return [value].flat().flatMap((one) => [flag, quoteForShell(String(one))]);
  });
  return ['fwdsync apply', ...operands.map(quoteForShell), ...given].join(' ');
}
