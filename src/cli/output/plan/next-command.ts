import type { CommandReach } from '../../../apply/report/report-document.ts';
import type { DesiredApi } from '../../../model/desired.ts';
import { quoteForShell } from '../../../plan/policy.ts';
import type { Context } from '../../context.ts';
import type { CommonOptions } from '../../settings.ts';
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

/**
 * Returns what the commands of a report need to work as they are printed: flags that were given, and what only the manifest says,
 * which `undo` of one account and `apply` of a snapshot do not read.
 */
export function reachOf(
  { env, ofAccount }: Pick<Context, 'env' | 'ofAccount'>,
  options: CommonOptions,
  api: DesiredApi,
): CommandReach {
  const { apiUrl, apiVersion, account, stateDir, store } = options;
  const state = { stateDir, store };
  const one = {
    before: keyVariable(api),
    flags: flagsOf({
      apiUrl: apiUrl ?? (env['FWDSYNC_API_URL'] ? undefined : api.url),
      apiVersion: apiVersion ?? (env['FWDSYNC_API_VERSION'] ? undefined : api.version),
      account,
      ...state,
    }),
  };
  if (ofAccount === undefined) return { undo: one, snapshot: one };
  return { undo: undoShellOf(options), snapshot: one };
}

/** Returns what `undo` needs of the flags that were given; the key of a single manifest is not among them. */
export function undoShellOf(options: CommonOptions): CommandReach['undo'] {
  const { accounts, apiUrl, apiVersion, stateDir, store } = options;
  const account = accounts === undefined ? options.account : undefined;
  return { before: [], flags: flagsOf({ accounts, apiUrl, apiVersion, account, stateDir, store }) };
}

/** Returns the variable that gives a command the key to which the manifest refers. */
function keyVariable({ key }: DesiredApi): readonly string[] {
  if (key === undefined) return [];
  if (key.kind === 'file') return [`FWDSYNC_API_KEY_FILE=${quoteForShell(key.path)}`];
  return key.name === 'FWDSYNC_API_KEY' ? [] : [`FWDSYNC_API_KEY="$${key.name}"`];
}

function commandLine(flags: PlanFlags, names: readonly FlagName[], operands: readonly string[]): string {
  const given = flagsOf(Object.fromEntries(names.map((name) => [name, flags[name]])));
  return ['fwdsync apply', ...operands.map(quoteForShell), ...given].join(' ');
}

function flagsOf(given: { readonly [name in FlagName]?: PlanFlags[name] | undefined }): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const flag = name === 'file' ? '-f' : flagOf(name as FlagName);
    if (value === undefined) return [];
    if (value === true) return [flag];
    return [value].flat().flatMap((one) => [flag, quoteForShell(String(one))]);
  });
}
