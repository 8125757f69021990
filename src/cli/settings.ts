import { statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { homedir } from 'node:os';
import { addressFault, CREDENTIALS_IN_ADDRESS } from '../client/http/address.ts';
import type { DesiredApi } from '../core/model/desired.ts';
import type { ApiVersion } from '../core/model/endpoints.ts';
import type { Context } from './context.ts';
import { usageError } from './exit.ts';
import { parseDuration } from './input/arguments.ts';
import { resolveKey } from './input/references/references.ts';

/** The options that every command that needs them has, as commander hands them over. */
export interface CommonOptions {
  readonly file?: readonly string[];
  /** Directory of the manifests of many accounts; a command that runs for one of them has its `file` too. */
  readonly accounts?: string;
  readonly apiUrl?: string;
  readonly account?: string;
  readonly apiVersion?: string;
  readonly domain?: readonly string[];
  readonly maxEntries?: number;
  readonly format?: string;
  readonly color?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
  readonly stateDir?: string;
  readonly store?: string;
  /** Of a worker: how long its runs may show no sign of life. */
  readonly jobExpiry?: string;
  readonly history?: string;
  readonly mask?: true;
}

export interface Connection {
  /** Base URL without a slash at its end. */
  readonly url: string;
  readonly version: ApiVersion;
  readonly key: string;
  /** The email that the account must have; null: not stated. */
  readonly account: string | null;
  /** How long a request that writes may take, in milliseconds; by default as long as others. */
  readonly writeMs?: number;
}

/** How long the lock of an account in the store outlives the last sign of its holder, milliseconds. */
export function leaseOf({ jobExpiry }: CommonOptions): number {
  return jobExpiry === undefined ? 60_000 : parseDuration('--job-expiry', jobExpiry, LEAST_LEASE_MS);
}

const LEAST_LEASE_MS = 30_000;

/** A request of a run that is taken over from has ended by then. */
const WRITE_SHARE = 1 / 3;

const API_VERSIONS: readonly ApiVersion[] = ['v4', 'v3'];

export const DEFAULT_API_URL = 'https://api.improvmx.com/v4';

/** The paths of `-f`, then `FWDSYNC_FILE` (separated as in PATH), then `fwdsync.yaml` or `fwdsync/`. */
export function manifestPaths(options: CommonOptions, context: Context): readonly string[] {
  const stated = statedPaths(options, context);
  if (stated !== null) return stated;
  const present = ['fwdsync.yaml', 'fwdsync'].filter(
    (path) => statSync(resolve(context.cwd, path), { throwIfNoEntry: false }) !== undefined,
  );
  if (present.length === 2) {
    throw usageError('both fwdsync.yaml and fwdsync/ are here', 'name one of them with -f');
  }
  return present.length === 1 ? present : ['fwdsync.yaml'];
}

/** The directory of `--accounts`, or of `FWDSYNC_ACCOUNTS` where no file is named; null: there is one account. */
export function accountsDirectory(options: CommonOptions, { env }: Pick<Context, 'env'>): string | null {
  const isFileNamed = options.file !== undefined && options.file.length > 0;
  if (options.accounts === undefined) return isFileNamed ? null : env['FWDSYNC_ACCOUNTS'] || null;
  if (!isFileNamed) return options.accounts;
  throw usageError('--accounts and -f cannot be used together', 'give one of them');
}

/** Those of `-f`, or else of `FWDSYNC_FILE`; null: neither says anything. */
export function statedPaths(
  { file }: CommonOptions,
  { env }: Pick<Context, 'env'>,
): readonly string[] | null {
  if (file !== undefined && file.length > 0) return file;
  const fromEnv = env['FWDSYNC_FILE'];
  return fromEnv ? fromEnv.split(delimiter).filter((path) => path !== '') : null;
}

/** The hosts that the operator named outside the manifest, and so the only ones off loopback that get the key. */
export function namedUrl(options: CommonOptions, context: Context): string | null {
  const [url, origin] = options.apiUrl
    ? [options.apiUrl, '--api-url']
    : [context.env['FWDSYNC_API_URL'], 'FWDSYNC_API_URL'];
  if (!url) return null;
  assertUrl(url, origin);
  return url;
}

/** The base URL of v3 where it is used to find drift; null: it is not. */
export function resolveDriftUrl(
  { driftUrl }: { readonly driftUrl?: string | undefined },
  { env }: Pick<Context, 'env'>,
): string | null {
  const [url, origin] =
    driftUrl === undefined ? [env['FWDSYNC_DRIFT_URL'], 'FWDSYNC_DRIFT_URL'] : [driftUrl, '--drift-url'];
  if (!url) return null;
  assertUrl(url, origin);
  if (lastSegment(url) === 'v3') return url.replace(/\/+$/, '');
  throw usageError(
    `${origin} does not end in /v3: only v3 lists domains together with their aliases`,
    'give the base URL of v3',
  );
}

/** Where to connect, and as whom. The address: flag, environment, manifest, default. */
export async function resolveConnection(
  options: CommonOptions,
  api: DesiredApi,
  context: Context,
): Promise<Connection> {
  const stated = namedUrl(options, context) ?? api.url ?? DEFAULT_API_URL;
  const version = resolveVersion(stated, explicitVersion(options, context) ?? api.version);
  return {
    url: withVersion(stated, version),
    version,
    key: await resolveKey(api, context),
    account: resolveAccount(options, api, context),
    ...(namesStore(options, context) ? { writeMs: leaseOf(options) * WRITE_SHARE } : {}),
  };
}

/** What flag or environment say of the generation; null: nothing. */
export function explicitVersion(options: CommonOptions, context: Context): ApiVersion | null {
  const text = options.apiVersion || context.env['FWDSYNC_API_VERSION'];
  return text ? wordOf(API_VERSIONS, text, 'API version') : null;
}

export function resolveStateDirectory(options: CommonOptions, context: Pick<Context, 'cwd' | 'env'>): string {
  const stated = options.stateDir ?? context.env['FWDSYNC_STATE_DIR'];
  if (stated) return resolve(context.cwd, stated);
  const base = context.env['XDG_STATE_HOME'] || join(context.env['HOME'] ?? homedir(), '.local', 'state');
  return join(base, 'fwdsync');
}

/** True in a CI job whose state nobody has put in a lasting place: it ends with the job. */
export function endsWithJob(options: CommonOptions, context: Pick<Context, 'env'>): boolean {
  const { CI: ci, FWDSYNC_STATE_DIR: directory } = context.env;
  const isJob = Boolean(ci) && ci !== 'false' && ci !== '0';
  return isJob && !options.stateDir && !directory && !namesStore(options, context);
}

/** Whether a path names a snapshot or the published manifest of an account, which the store keeps. */
export function isInStore(path: string): boolean {
  return path.startsWith('store:snapshot/') || path.startsWith('store:manifest/');
}

/** Whether flag or environment name a store, in place of the state directory. */
export function namesStore(options: CommonOptions, { env }: Pick<Context, 'env'>): boolean {
  return options.store !== undefined || Boolean(env['FWDSYNC_STORE'] || env['FWDSYNC_STORE_FILE']);
}

export function wantsMask(options: CommonOptions, context: Pick<Context, 'env'>): boolean {
  return options.mask === true || isOn(context.env['FWDSYNC_MASK']);
}

/** The format of the command's document, checked against those it has. */
export function resolveFormat<Format extends string>(
  options: CommonOptions,
  context: Context,
  formats: readonly Format[],
): Format {
  return wordOf(formats, options.format ?? context.env['FWDSYNC_FORMAT'] ?? 'text', 'format');
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['json', 'pretty'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogSettings {
  /** Null: not stated. */
  readonly level: LogLevel | null;
  /** Null: not stated; pretty on a terminal, else JSON. */
  readonly format: (typeof LOG_FORMATS)[number] | null;
}

/** Level and format of the log: flag, then environment. */
export function resolveLog(options: CommonOptions, { env }: Pick<Context, 'env'>): LogSettings {
  const level = options.logLevel ?? env['FWDSYNC_LOG_LEVEL'];
  const format = options.logFormat ?? env['FWDSYNC_LOG_FORMAT'];
  return {
    level: level ? wordOf(LOG_LEVELS, level, 'log level') : null,
    format: format ? wordOf(LOG_FORMATS, format, 'log format') : null,
  };
}

/** One of the words; another one is wrong usage. */
function wordOf<Word extends string>(words: readonly Word[], text: string, what: string): Word {
  const word = words.find((candidate) => candidate === text);
  if (word !== undefined) return word;
  throw usageError(`there is no ${what} ${JSON.stringify(text)}`, `use ${words.join(' or ')}`);
}

function resolveAccount(options: CommonOptions, api: DesiredApi, context: Context): string | null {
  // Of many accounts each states its own.
  const fromEnv = options.accounts === undefined ? context.env['FWDSYNC_ACCOUNT'] : undefined;
  return agreedAccount(options.account ?? (fromEnv || undefined), api.account) ?? null;
}

/** The account that flag or environment and the manifest name; where they differ the command ends with 64. */
export function agreedAccount(stated: string | undefined, written: string | undefined): string | undefined {
  if (stated === undefined || written === undefined) return stated ?? written;
  if (stated.toLowerCase() === written.toLowerCase()) return stated;
  throw usageError(
    `--account ${stated} and the manifest's api.account ${written} differ`,
    'name the account in one place, or the same one in both',
  );
}

function resolveVersion(url: string, explicit: ApiVersion | undefined): ApiVersion {
  if (explicit !== undefined) return explicit;
  const last = lastSegment(url);
  if (last === 'v3' || last === 'v4') return last;
  throw usageError(
    `the address ${url} does not end in /v4 or /v3`,
    'add the version to the address, or give --api-version',
  );
}

/** The address of that generation: its last segment is replaced where it names the other one. */
function withVersion(url: string, version: ApiVersion): string {
  const root = url.replace(/\/+$/, '');
  const last = lastSegment(root);
  return last === 'v3' || last === 'v4' ? `${root.slice(0, -2)}${version}` : root;
}

function lastSegment(url: string): string {
  return new URL(url).pathname.split('/').findLast((segment) => segment !== '') ?? '';
}

function assertUrl(text: string, origin: string): void {
  const fault = addressFault(text);
  if (fault === null) return;
  throw usageError(
    `${origin} is not an address that may get the key: ${fault}`,
    fault === CREDENTIALS_IN_ADDRESS
      ? 'leave them out: the key is in FWDSYNC_API_KEY or FWDSYNC_API_KEY_FILE'
      : 'use https, or http on 127.0.0.1, [::1] or localhost',
  );
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no'].includes(value.toLowerCase());
}
