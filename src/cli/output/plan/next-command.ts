import { resolve } from 'node:path';
import type { CommandReach } from '../../../engine/apply/report/report-document.ts';
import type { DesiredApi } from '../../../core/model/desired.ts';
import type { Commands } from '../../../service/reports.ts';
import { quoteForShell } from '../../../core/plan/policy.ts';
import type { Context } from '../../context.ts';
import { ALLOWANCES, flagOf, type GivenFlags } from '../../settings/flags.ts';
import { isInStore, type ApiSettings } from '../../settings/resolve-settings.ts';

type FlagName = keyof GivenFlags;

const CONNECTION: readonly FlagName[] = ['apiUrl', 'apiVersion', 'account', 'stateDir'];
const PLANNING: readonly FlagName[] = ['file', 'accounts', 'domain', 'against', ...ALLOWANCES, 'mask'];

/**
 * The command that applies the plan that these flags made, for a shell; null where no command would apply just that: a
 * manifest from standard input is gone, and what `--quick` left out would be planned again.
 */
export function applyCommandLine(flags: GivenFlags): string | null {
  if (flags.out !== undefined) return commandLine(flags, CONNECTION, [flags.out]);
  if (flags.quick === true || flags.file?.includes('-') === true) return null;
  return commandLine(flags, [...PLANNING, ...CONNECTION], []);
}

/** The command that applies a saved plan. */
export function applySaved(path: string): string {
  return commandLine({}, [], [path]);
}

/**
 * Returns what the commands of a report need to work as they are printed: flags that were given, and what only the manifest says,
 * which `undo` of one account and `apply` of a snapshot do not read.
 */
export function reachOf(
  { given, member }: Pick<Context, 'given' | 'member'>,
  stated: ApiSettings,
  api: DesiredApi,
): CommandReach {
  const { account, stateDir, store } = given;
  const one = {
    before: keyVariable(api),
    flags: flagsOf({
      apiUrl: stated.url === null ? api.url : given.apiUrl,
      apiVersion: stated.version === null ? api.version : given.apiVersion,
      account,
      stateDir,
      store,
    }),
  };
  if (member === undefined) return { undo: one, snapshot: one };
  return { undo: undoShellOf(given), snapshot: one };
}

/** Returns what `undo` needs of the flags that were given; the key of a single manifest is not among them. */
function undoShellOf(given: GivenFlags): CommandReach['undo'] {
  const { accounts, apiUrl, apiVersion, stateDir, store } = given;
  const account = accounts === undefined ? given.account : undefined;
  return { before: [], flags: flagsOf({ accounts, apiUrl, apiVersion, account, stateDir, store }) };
}

/** Returns what completes the commands that a daemon prints with the flags it was given, so that they work in any directory. */
export function createCommands(
  { cwd, given }: Pick<Context, 'cwd' | 'given'>,
  stated: ApiSettings,
  accounts: 'one' | 'many',
): Commands {
  const at = (path: string): string => (path === '-' || isInStore(path) ? path : resolve(cwd, path));
  const here: GivenFlags = {
    ...given,
    ...(given.file === undefined ? {} : { file: given.file.map(at) }),
    ...(given.accounts === undefined ? {} : { accounts: at(given.accounts) }),
    ...(given.stateDir === undefined ? {} : { stateDir: at(given.stateDir) }),
  };
  let api: DesiredApi = {};
  const undoShell = (): CommandReach['undo'] =>
    accounts === 'many' ? undoShellOf(here) : reachOf({ given: here }, stated, api).undo;
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
        about === undefined ? shellOf(words) : reachOf({ given: here }, stated, absolute(about, at)).undo;
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

function commandLine(flags: GivenFlags, names: readonly FlagName[], operands: readonly string[]): string {
  const given = flagsOf(Object.fromEntries(names.map((name) => [name, flags[name]])));
  return ['fwdsync apply', ...operands.map(quoteForShell), ...given].join(' ');
}

function flagsOf(given: { readonly [name in FlagName]?: GivenFlags[name] | undefined }): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const flag = name === 'file' ? '-f' : flagOf(name);
    if (value === undefined) return [];
    if (value === true) return [flag];
    return [value].flat().flatMap((one) => [flag, quoteForShell(String(one))]);
  });
}
