import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { ApiVersion } from '../../core/model/endpoints.ts';
import type { ProcessContext } from '../context.ts';
import { usageError } from '../exit.ts';
import { parseDuration } from '../input/arguments.ts';
import type { Format } from '../output/formats.ts';
import { API_VERSIONS, assertUrl } from './address.ts';
import { VARIABLES, type GivenFlags } from './flags.ts';
import type { StoreSettings } from './store-settings.ts';

/** A setting and its origin. */
export interface Stated<T> {
  readonly value: T;
  readonly source: 'flag' | 'variable';
}

/** Flags and variables, resolved once, before a command does anything. */
export interface Settings {
  readonly manifest: ManifestSettings;
  readonly api: ApiSettings;
  readonly state: StateSettings;
  readonly log: LogSettings;
}

/** Places of manifests, and how they are read. */
export interface ManifestSettings {
  /** Files and directories, `-` for standard input, names in a store. The default ones may be two: see `assertOneDefault`. */
  readonly paths: readonly string[];
  readonly source: 'flag' | 'variable' | 'default';
  /** The directory of the manifests of many accounts; null means that there is one account. */
  readonly accounts: string | null;
  /** `member`: the manifest of one of many accounts, which has to name its account and its key. */
  readonly owner: 'sole' | 'member';
  /** The domains of `--domain`; null means all. */
  readonly domains: readonly string[] | null;
  readonly maxEntries: number | undefined;
  /** The only host off loopback that gets the key, beside the default; null means that none is named. */
  readonly apiUrl: string | null;
  readonly apiVersion: ApiVersion | null;
  /** State directory, skipped if it is below a directory of manifests. */
  readonly stateDirectory: string;
  readonly store: StoreSettings | null;
}

/** Address and account; null means not stated. */
export interface ApiSettings {
  readonly url: Stated<string> | null;
  readonly version: ApiVersion | null;
  readonly account: Stated<string> | null;
}

/** Place of what runs leave behind. */
export interface StateSettings {
  /** An absolute path. */
  readonly directory: string;
  /** Used in place of the directory; null means that none is named. */
  readonly store: StoreSettings | null;
  /** True in a CI job whose state was not put in a lasting place. */
  readonly endsWithJob: boolean;
  /** Age at which the history is deleted, milliseconds. */
  readonly historyMs: number;
  /** Time after which the lock of an account in a store is free if its holder is silent, milliseconds. */
  readonly leaseMs: number;
}

export interface LogSettings {
  /** Null means not stated. */
  readonly level: LogLevel | null;
  /** Null means not stated: pretty on a terminal, else JSON. */
  readonly format: (typeof LOG_FORMATS)[number] | null;
}

export type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['json', 'pretty'] as const;

/** Returns true if a command takes a flag. */
type Takes = (flag: keyof GivenFlags) => boolean;

/** Resolves flag, then variable, then default. An invalid setting that the command uses ends the command with 64. */
export async function resolveSettings(
  context: Pick<ProcessContext, 'env' | 'cwd' | 'secrets'>,
  given: GivenFlags,
  takes: Takes,
): Promise<Settings> {
  const { env } = context;
  const log = resolveLog(given, env);
  const { stateDirectory, ...places } = resolvePlaces(given, context);
  const uses = usesOf(given, takes, places);
  const api = uses.has('address') ? resolveApi(given, env) : { url: null, version: null };
  const store = uses.has('store') ? await resolveStore(context, given) : null;
  const manifest = {
    ...places,
    stateDirectory,
    owner: 'sole',
    domains: given.domain ?? null,
    maxEntries: uses.has('manifests') ? resolveMaxEntries(given, env) : undefined,
    apiUrl: api.url?.value ?? null,
    apiVersion: api.version,
    store,
  } as const;
  const state = {
    directory: stateDirectory,
    store,
    endsWithJob: store === null && endsWithJob(given, env),
    historyMs: uses.has('history') ? resolveHistory(given, env) : 0,
    leaseMs: resolveLease(given),
  };
  return {
    log,
    api: { ...api, account: pickStated(given.account, env[VARIABLES.account]) },
    manifest,
    state,
  };
}

type Use = 'manifests' | 'address' | 'store' | 'history';

function usesOf(given: GivenFlags, takes: Takes, places: Omit<Places, 'stateDirectory'>): ReadonlySet<Use> {
  const manifests = takes('file') || places.accounts !== null || given.from !== undefined;
  const uses: Readonly<Record<Use, boolean>> = {
    manifests,
    address: manifests || takes('apiUrl'),
    store: takes('store') || places.paths.some(isInStore),
    // Only a command that reaches an account records anything.
    history: takes('store') && takes('apiVersion'),
  };
  return new Set((Object.keys(uses) as Use[]).filter((use) => uses[use]));
}

/** Places of manifests and state that a command line names, or takes by default. */
export type Places = Pick<ManifestSettings, 'paths' | 'source' | 'accounts' | 'stateDirectory'>;

/** Resolves the places of manifests and state; `-f` comes before FWDSYNC_ACCOUNTS. */
export function resolvePlaces(
  { file = [], accounts, stateDir }: Pick<GivenFlags, 'file' | 'accounts' | 'stateDir'>,
  { env, cwd }: Pick<ProcessContext, 'env' | 'cwd'>,
): Places {
  if (accounts !== undefined && file.length > 0)
    throw usageError('--accounts and -f cannot be used together', 'give one of them');
  const fromEnv = file.length > 0 ? null : env[VARIABLES.accounts] || null;
  const directory = stateDir ?? env[VARIABLES.stateDir];
  return {
    ...resolvePaths(file, { env, cwd }),
    accounts: accounts ?? fromEnv,
    stateDirectory: directory ? resolve(cwd, directory) : defaultStateDirectory(env),
  };
}

function defaultStateDirectory(env: ProcessContext['env']): string {
  const base = env['XDG_STATE_HOME'] || join(env['HOME'] ?? homedir(), '.local', 'state');
  return join(base, 'fwdsync');
}

/** Resolves the paths of manifests: of `-f`, of FWDSYNC_FILE, or those with a default name. */
export function resolvePaths(
  file: readonly string[],
  { env, cwd }: Pick<ProcessContext, 'env' | 'cwd'>,
): Pick<ManifestSettings, 'paths' | 'source'> {
  if (file.length > 0) return { paths: file, source: 'flag' };
  const fromEnv = env[VARIABLES.file];
  if (fromEnv) return { paths: fromEnv.split(delimiter).filter((path) => path !== ''), source: 'variable' };
  const here = DEFAULT_PATHS.filter((path) => existsSync(resolve(cwd, path)));
  return { paths: here.length === 0 ? DEFAULT_PATHS.slice(0, 1) : here, source: 'default' };
}

export const DEFAULT_PATHS: readonly string[] = ['fwdsync.yaml', 'fwdsync'];

/** Ends the command if both manifests with a default name are here: which one is meant is not known. */
export function assertOneDefault({ paths, source }: Pick<ManifestSettings, 'paths' | 'source'>): void {
  if (source !== 'default' || paths.length === 1) return;
  throw usageError('both fwdsync.yaml and fwdsync/ are here', 'name one of them with -f');
}

/** True for a snapshot or the published manifest of an account, which a store keeps. */
export function isInStore(path: string): boolean {
  return path.startsWith('store:snapshot/') || path.startsWith('store:manifest/');
}

/** Returns the settings of a command for one of many accounts: each states its own, and only a flag is compared with it. */
export function settingsOfMember(
  settings: Settings,
  { paths, domains }: Pick<ManifestSettings, 'paths' | 'domains'>,
): Settings {
  const { manifest, api } = settings;
  const account = api.account?.source === 'flag' ? api.account : null;
  return {
    ...settings,
    api: { ...api, account },
    manifest: { ...manifest, paths, domains, source: 'flag', owner: 'member' },
  };
}

function resolveApi(given: GivenFlags, env: ProcessContext['env']): Omit<ApiSettings, 'account'> {
  const url = pickStated(given.apiUrl, env[VARIABLES.apiUrl]);
  if (url !== null) assertUrl(url.value, url.source === 'flag' ? '--api-url' : VARIABLES.apiUrl);
  const version = given.apiVersion || env[VARIABLES.apiVersion];
  return { url, version: version ? wordOf(API_VERSIONS, version, 'API version') : null };
}

function resolveMaxEntries({ maxEntries }: GivenFlags, env: ProcessContext['env']): number | undefined {
  const text = env[VARIABLES.maxEntries];
  if (maxEntries !== undefined || !text) return maxEntries;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(
    `${VARIABLES.maxEntries} is not an integer: ${JSON.stringify(text)}`,
    'set a number, such as 2000000',
  );
}

async function resolveStore(
  context: Pick<ProcessContext, 'env' | 'cwd' | 'secrets'>,
  given: GivenFlags,
): Promise<StoreSettings | null> {
  const { env } = context;
  const isNamed = given.store !== undefined || Boolean(env[VARIABLES.store] || env['FWDSYNC_STORE_FILE']);
  return isNamed ? (await import('./store-settings.ts')).readStoreSettings(context, given) : null;
}

function resolveHistory({ history }: GivenFlags, env: ProcessContext['env']): number {
  if (history !== undefined) return parseDuration('--history', history);
  return parseDuration(VARIABLES.history, env[VARIABLES.history] || '400d');
}

function resolveLease({ jobExpiry }: GivenFlags): number {
  return jobExpiry === undefined ? 60_000 : parseDuration('--job-expiry', jobExpiry, 30_000);
}

/** True in a CI job whose state directory was not stated. */
function endsWithJob({ stateDir }: GivenFlags, env: ProcessContext['env']): boolean {
  const { CI: ci } = env;
  const isJob = Boolean(ci) && ci !== 'false' && ci !== '0';
  return isJob && !stateDir && !env[VARIABLES.stateDir];
}

function resolveLog(given: GivenFlags, env: ProcessContext['env']): LogSettings {
  const level = given.logLevel ?? env[VARIABLES.logLevel];
  const format = given.logFormat ?? env[VARIABLES.logFormat];
  return {
    level: level ? wordOf(LOG_LEVELS, level, 'log level') : null,
    format: format ? wordOf(LOG_FORMATS, format, 'log format') : null,
  };
}

/**
 * Resolves the output format of a command. A command without an output format prints problems as JSON if `json` is
 * set.
 */
export function resolveFormat(
  { format }: GivenFlags,
  env: ProcessContext['env'],
  formats: readonly Format[] | undefined,
): Format {
  const text = format ?? env[VARIABLES.format] ?? 'text';
  if (formats !== undefined) return wordOf(formats, text, 'format');
  return text === 'json' ? 'json' : 'text';
}

/** True if flag or variable ask for masked destinations. */
export function wantsMask({ mask }: GivenFlags, env: ProcessContext['env']): boolean {
  const text = env[VARIABLES.mask];
  return mask === true || (text !== undefined && !['', '0', 'false', 'no'].includes(text.toLowerCase()));
}

function pickStated(flag: string | undefined, variable: string | undefined): Stated<string> | null {
  if (flag) return { value: flag, source: 'flag' };
  return variable ? { value: variable, source: 'variable' } : null;
}

/** Returns the word that the text is; another one is wrong usage. */
function wordOf<Word extends string>(words: readonly Word[], text: string, what: string): Word {
  const word = words.find((candidate) => candidate === text);
  if (word !== undefined) return word;
  throw usageError(`there is no ${what} ${JSON.stringify(text)}`, `use ${words.join(' or ')}`);
}
