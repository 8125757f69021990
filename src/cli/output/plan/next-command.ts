import { resolve } from 'node:path';
import type { CommandReach } from '../../../engine/apply/report/report-document.ts';
import type { DesiredApi } from '../../../core/model/desired.ts';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import { quoteForShell } from '../../../core/plan/policy.ts';
import type { Context } from '../../context.ts';
import { accountsDirectory, isInStore, type CommonOptions } from '../../settings.ts';
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
  { env, ofAccount }: Pick<Context, 'env'> & Partial<Pick<Context, 'ofAccount'>>,
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
function undoShellOf(options: CommonOptions): CommandReach['undo'] {
  const { accounts, apiUrl, apiVersion, stateDir, store } = options;
  const account = accounts === undefined ? options.account : undefined;
  return { before: [], flags: flagsOf({ accounts, apiUrl, apiVersion, account, stateDir, store }) };
}

/** Commands that a process which keeps running prints, for a shell in any directory of its machine. */
export interface Commands {
  /** Keeps what the manifest of one account says of its service and its key. */
  learn(event: DaemonEvent): void;
  readonly undoShell: () => CommandReach['undo'];
  /** Returns a command of these words; `api` is what the manifest of the account says that it is about. */
  readonly command: (words: string, api?: DesiredApi) => string;
}

/** Returns what completes the commands that a daemon prints with the flags it was given, so that they work in any directory. */
export function createCommands(context: Context, options: CommonOptions, isWorker: boolean): Commands {
  const at = (path: string): string => (path === '-' || isInStore(path) ? path : resolve(context.cwd, path));
  const { file, accounts, stateDir } = options;
  const here: CommonOptions = {
    ...options,
    ...(file === undefined ? {} : { file: file.map(at) }),
    ...(accounts === undefined ? {} : { accounts: at(accounts) }),
    ...(stateDir === undefined ? {} : { stateDir: at(stateDir) }),
  };
  const isMany = isWorker || accountsDirectory(options, context) !== null;
  let api: DesiredApi = {};
  const undoShell = (): CommandReach['undo'] =>
    isMany ? undoShellOf(here) : reachOf(context, here, api).undo;
  const shellOf = (words: string): CommandReach['undo'] => {
    if (words.startsWith('undo ')) return undoShell();
    const { apiUrl, apiVersion, account, store } = here;
    const [memory, service] = [
      { accounts: here.accounts, stateDir: here.stateDir, store },
      { apiUrl, apiVersion, account },
    ];
    return {
      before: [],
      flags: flagsOf(words.startsWith('history ') ? memory : { file: here.file, ...service, ...memory }),
    };
  };
  return {
    learn(event) {
      if (event.kind === 'manifest-accepted') api = absolute(event.api, at);
    },
    undoShell,
    command(words, about) {
      const { before, flags } =
        about === undefined ? shellOf(words) : reachOf({ env: context.env }, here, absolute(about, at)).undo;
      return [...before, 'fwdsync', words, ...flags].join(' ');
    },
  };
}

/** Returns the same with the path of its key file from the root. */
function absolute(api: DesiredApi, at: (path: string) => string): DesiredApi {
  const { key } = api;
  return key?.kind === 'file' ? { ...api, key: { ...key, path: at(key.path) } } : api;
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
