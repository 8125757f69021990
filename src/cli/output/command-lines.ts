import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { CommandLine } from '../../core/model/text/command-line.ts';
import type { DesiredApi } from '../../core/model/desired.ts';
import { quoteForShell } from '../../core/plan/policy.ts';
import type { Context } from '../context.ts';
import type { Commands } from '../../service/reports.ts';
import { flagOf, VARIABLES, type GivenFlags } from '../settings/flags.ts';
import { isInStore, resolvePaths } from '../settings/resolve-settings.ts';

type Flag = 'file' | 'accounts' | 'maxEntries' | 'apiUrl' | 'apiVersion' | 'account' | 'stateDir' | 'store';

const MANIFEST = ['file', 'accounts', 'maxEntries'] as const;
const FILES = ['file', 'maxEntries'] as const;
const CONNECTION = ['apiUrl', 'apiVersion', 'account'] as const;
const STATE = ['stateDir', 'store'] as const;

/** The flags that reach an account or its state, by the commands that take them. */
export const REACHING_FLAGS: Readonly<Record<string, readonly Flag[]>> = {
  validate: MANIFEST,
  plan: [...MANIFEST, ...CONNECTION, ...STATE],
  apply: [...MANIFEST, ...CONNECTION, ...STATE],
  run: [...MANIFEST, ...CONNECTION, ...STATE],
  route: [...FILES, ...CONNECTION, ...STATE],
  logs: [...FILES, ...CONNECTION, ...STATE],
  delivery: [...FILES, ...CONNECTION, ...STATE],
  who: MANIFEST,
  replace: MANIFEST,
  why: [...MANIFEST, ...CONNECTION, ...STATE],
  move: [...MANIFEST, ...CONNECTION, ...STATE],
  undo: ['accounts', ...CONNECTION, ...STATE],
  export: ['accounts', ...CONNECTION, ...STATE],
  account: ['accounts', ...CONNECTION],
  verify: ['accounts', ...CONNECTION],
  history: ['accounts', 'account', ...STATE],
  blame: ['account', ...STATE],
  publish: ['apiUrl', 'account', 'store'],
  status: ['store'],
};

/** The commands whose address and key are those of the manifest that is named. */
const BY_MANIFEST: ReadonlySet<string> = new Set([
  'validate',
  'plan',
  'apply',
  'run',
  'route',
  'delivery',
  'who',
  'replace',
  'why',
  'move',
]);

type Given = { readonly [F in Flag]?: GivenFlags[F] | undefined };

interface Reach {
  /** The flags that complete commands. Paths are whole, so that a command works in any directory. */
  readonly given: Given;
  readonly env: Context['env'];
  readonly isMany: boolean;
  /** The `api` section of the account's manifest. */
  readonly api: DesiredApi;
}

type Place = Pick<Context, 'cwd' | 'env' | 'given' | 'mask'>;

/** Completes the commands that a run prints. `api` is from the manifest of its account. */
export function commandLine(place: Place, api: DesiredApi = {}): CommandLine {
  // A plan may have a hint for each of its domains.
  let reach: Reach | undefined;
  return (words) => complete(words, (reach ??= reachOf(place, withWholePath(place, api), 'named')));
}

/** Completes commands for a person who stays in this directory: the manifest that lies there is not named. */
export function commandLineHere(place: Place): CommandLine {
  return (words) => complete(words, reachOf(place, {}, 'unnamed'));
}

/**
 * Creates the commands of a service. A worker serves the accounts of a store, so their manifests are there and their
 * names are emails.
 */
export function createCommands(context: Context, role: 'worker' | 'daemon'): Commands {
  const learnt = new Map<string, DesiredApi>();
  const about: Commands['about'] = (account, api) => {
    const published =
      role === 'worker' && account !== null ? { file: [`store:manifest/${account}`], account } : {};
    return commandLine({ ...context, given: { ...context.given, ...published } }, api);
  };
  return {
    learn: (account, api) => void learnt.set(account, api),
    of: (account) => (words) => about(account, learnt.get(account) ?? {})(words),
    about,
    all: (words) => about(null, role === 'worker' ? {} : (learnt.values().next().value ?? {}))(words),
  };
}

/** A snapshot is a manifest, a saved plan names its own. */
const NAMES_MANIFEST = /^apply (?:-f |(?!-))/;
const ASKS_ACCOUNT = /^(?:apply -f |route .* --live$)/;

/** The source of address and key: each manifest of a directory, the manifest that is named, or flags and variables. */
type Way = 'directory' | 'manifest' | 'flags';

function complete(words: string, reach: Reach): string {
  const [name = ''] = words.split(' ');
  const takes = REACHING_FLAGS[name] ?? [];
  const way = wayOf(words, name, reach);
  const given = {
    ...reach.given,
    ...givenFor(way, reach),
    ...(NAMES_MANIFEST.test(words) ? { file: undefined } : {}),
  };
  return [
    ...(way === 'flags' && takes.includes('apiVersion') ? keyVariable(reach.api) : []),
    'fwdsync',
    words,
    ...takes.flatMap((flag) => flagWords(flag, given[flag])),
  ].join(' ');
}

function wayOf(words: string, name: string, { isMany }: Reach): Way {
  const takesAccounts = REACHING_FLAGS[name]?.includes('accounts') === true;
  if (isMany && takesAccounts && !NAMES_MANIFEST.test(words)) return 'directory';
  return BY_MANIFEST.has(name) && !ASKS_ACCOUNT.test(words) ? 'manifest' : 'flags';
}

function givenFor(way: Way, { env, api, given }: Reach): Given {
  switch (way) {
    case 'directory':
      return { file: undefined, account: undefined };
    case 'manifest':
      return { accounts: undefined };
    case 'flags':
      return {
        accounts: undefined,
        apiUrl: given.apiUrl ?? (env[VARIABLES.apiUrl] ? undefined : api.url),
        apiVersion: given.apiVersion ?? (env[VARIABLES.apiVersion] ? undefined : api.version),
      };
  }
}

/** Returns the words of a flag as typed; none if the flag has no value. */
export function flagWords(
  name: keyof GivenFlags,
  value: string | number | true | readonly string[] | undefined,
): readonly string[] {
  if (value === undefined) return [];
  const flag = name === 'file' ? '-f' : flagOf(name);
  if (value === true) return [flag];
  const values = typeof value === 'object' ? value : [String(value)];
  return values.flatMap((one) => [flag, quoteForShell(one)]);
}

/** Takes flags as they were given, and relative paths of the environment, which mean something in this directory alone. */
function reachOf(place: Place, api: DesiredApi, manifestHere: 'named' | 'unnamed'): Reach {
  const { env, given, mask } = place;
  const { accounts, stateDir, file, account, maxEntries, apiUrl, apiVersion, store } = given;
  const relative = (variable: string): string | undefined =>
    env[variable] && !isAbsolute(env[variable]) ? env[variable] : undefined;
  const whole = (path: string | undefined): string | undefined => path && wholePath(place, path);
  return {
    env,
    api,
    isMany: isOfMany(place),
    given: {
      file: filesOf(place, manifestHere),
      accounts: whole(accounts ?? (file === undefined ? relative(VARIABLES.accounts) : undefined)),
      stateDir: whole(stateDir ?? (store === undefined ? relative(VARIABLES.stateDir) : undefined)),
      maxEntries,
      apiUrl,
      apiVersion,
      // Masked, as all addresses then are, it names no account.
      account: mask === false ? account : undefined,
      store,
    },
  };
}

/** Returns the manifests of the flag, relative ones of the environment, or the one that lies here. */
function filesOf(place: Place, manifestHere: 'named' | 'unnamed'): readonly string[] | undefined {
  const { paths, source } = resolvePaths(place.given.file ?? [], place);
  const whole = paths.map((path) => wholePath(place, path));
  switch (source) {
    case 'flag':
      return whole;
    case 'variable':
      return paths.every(isWhole) ? undefined : whole;
    case 'default': {
      const present = whole.filter((path) => existsSync(path));
      return manifestHere === 'named' && !isOfMany(place) && present.length === 1 ? present : undefined;
    }
  }
}

function isOfMany({ env, given: { accounts, file = [] } }: Place): boolean {
  return accounts !== undefined || (file.length === 0 && Boolean(env[VARIABLES.accounts]));
}

function isWhole(path: string): boolean {
  return path === '-' || isInStore(path) || isAbsolute(path);
}

function wholePath({ cwd }: Pick<Context, 'cwd'>, path: string): string {
  return isWhole(path) ? path : resolve(cwd, path);
}

/** Returns the same with the path of its key file from the root. */
function withWholePath(context: Pick<Context, 'cwd'>, api: DesiredApi): DesiredApi {
  const { key } = api;
  return key?.kind === 'file' ? { ...api, key: { ...key, path: wholePath(context, key.path) } } : api;
}

/** Returns the variable that gives a command the key to which the manifest refers. */
function keyVariable({ key }: DesiredApi): readonly string[] {
  if (key === undefined) return [];
  if (key.kind === 'file') return [`FWDSYNC_API_KEY_FILE=${quoteForShell(key.path)}`];
  return key.name === 'FWDSYNC_API_KEY' ? [] : [`FWDSYNC_API_KEY="$${key.name}"`];
}
