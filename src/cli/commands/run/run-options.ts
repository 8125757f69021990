import type { NotifyFormat } from '../../../service/notify/notify-bodies.ts';
import type { ListenAddress } from '../../../service/status/serve-status.ts';
import { quote } from '../../../core/model/names.ts';
import type { Context } from '../../context.ts';
import { MOST_PORT } from '../../declare/options.ts';
import { usageError } from '../../exit.ts';
import { parseDuration } from '../../input/arguments.ts';
import { commandLine } from '../../output/command-lines.ts';
import { resolveDriftUrl } from '../../settings/address.ts';
import { flagOf, type GivenFlags } from '../../settings/flags.ts';
import { assertOneDefault, isInStore, type Places, type Settings } from '../../settings/resolve-settings.ts';

export interface RunOptions {
  readonly interval: string;
  readonly fullInterval: string;
  readonly listen: string;
  readonly mode: 'apply' | 'observe';
  readonly once?: true;
  readonly delivery?: true;
  readonly basePath?: string;
  readonly notifyFormat: NotifyFormat;
  readonly notifyEvery?: string;
  readonly notifyTest?: true;
  readonly pageUrl?: string;
  readonly concurrency: number;
}

/** The options of `run`, checked and parsed. */
export interface RunSettings extends Pick<RunOptions, 'mode' | 'notifyFormat' | 'concurrency'> {
  /** `worker` runs the manifests published in a store. */
  readonly role: 'worker' | 'daemon';
  /** `one-test` sends a test message, and runs nothing. */
  readonly lasts: 'once' | 'until-stopped' | 'one-test';
  /** Milliseconds between two gathered mails; null means that each notification is sent at once. */
  readonly notifyEveryMs: number | null;
  readonly intervalMs: number;
  readonly fullIntervalMs: number;
  /** Base URL of v3, to check domains; null means that all are read in full. */
  readonly driftUrl: string | null;
  readonly delivery: boolean;
  readonly listen: ListenAddress;
  /** Address of the page as people reach it, without a slash at its end; null means that none is named. */
  readonly pageUrl: string | null;
  /** Path without a slash at its end; null means that no reverse proxy is named. */
  readonly basePath: string | null;
}

const LEAST_INTERVAL_MS = 1000;

/** Parses the options of `run`; one that is wrong or has no effect ends the command with 64. */
export function resolveRun(context: Context, settings: Settings, options: RunOptions): RunSettings {
  const { mode, notifyFormat, notifyEvery, notifyTest, concurrency, once, delivery } = options;
  const intervalMs = parseDuration('--interval', options.interval, LEAST_INTERVAL_MS);
  const listen = parseListen(options.listen);
  const role = isWorker(settings.manifest, settings.state.store) ? 'worker' : 'daemon';
  const driftUrl = resolveDriftUrl(context.given, context);
  assertUsed(context, {
    role,
    driftUrl,
    isOnce: once === true,
    notifyFormat,
    accounts: settings.manifest.accounts,
  });
  return {
    role,
    lasts: notifyTest === true ? 'one-test' : once === true ? 'once' : 'until-stopped',
    notifyEveryMs:
      notifyEvery === undefined ? null : parseDuration('--notify-every', notifyEvery, LEAST_INTERVAL_MS),
    mode,
    intervalMs,
    fullIntervalMs: parseDuration('--full-interval', options.fullInterval, LEAST_INTERVAL_MS),
    driftUrl,
    delivery: delivery === true,
    listen,
    basePath: parseBasePath(options.basePath),
    notifyFormat,
    pageUrl: parsePageUrl(options.pageUrl),
    concurrency,
  };
}

/** True if a store is named and no manifest. The manifests published in the store are then run. */
export function isWorker({ source, accounts }: Pick<Places, 'source' | 'accounts'>, store: unknown): boolean {
  return store !== null && source === 'default' && accounts === null;
}

/** Ends the command if the daemon cannot read its manifests again and again. */
export function assertWatchable({ manifest }: Settings): void {
  if (manifest.accounts !== null) return;
  assertOneDefault(manifest);
  const stored = manifest.paths.find(isInStore);
  if (stored !== undefined)
    throw usageError(
      `${stored} is read only once, but the daemon watches files`,
      'name files, or add --once',
    );
  if (!manifest.paths.includes('-')) return;
  throw usageError(
    'standard input can be read only once, but the daemon reads its manifest repeatedly',
    'name files, or add --once',
  );
}

interface Called extends Pick<RunSettings, 'role' | 'driftUrl' | 'notifyFormat'>, Pick<Places, 'accounts'> {
  readonly isOnce: boolean;
}

type RunFlag = keyof GivenFlags | keyof RunOptions;

/** Flags that have no effect, when, and what to do about them. */
type Ineffective = readonly [flags: readonly RunFlag[], isSo: boolean, what: string, hint: string];

function assertUsed(context: Context, { isOnce, role, driftUrl, notifyFormat, accounts }: Called): void {
  const { env, given } = context;
  // It takes one manifest at a time.
  const readOnce = accounts === null ? `; \`${commandLine(context)('delivery')}\` reads the logs once` : '';
  const isNotified = Boolean(env['FWDSYNC_NOTIFY_URL'] || env['FWDSYNC_NOTIFY_URL_FILE']);
  const isWorking = role === 'worker';
  const rules: readonly Ineffective[] = [
    [['driftUrl'], isOnce, 'has no effect with --once, which reads everything', 'leave one of them out'],
    [
      ['fullInterval'],
      isOnce || driftUrl === null,
      'has an effect only with --drift-url',
      'leave it out, or add --drift-url',
    ],
    [['delivery'], isOnce, ONCE, `leave it out${readOnce}`],
    [['basePath'], isOnce, ONCE, 'leave it out: no page is served'],
    [NOTIFY_FLAGS, isOnce, ONCE, 'leave it out: the exit code says how the run ended'],
    [
      NOTIFY_FLAGS,
      !isNotified,
      'has no effect without FWDSYNC_NOTIFY_URL',
      'set it, or FWDSYNC_NOTIFY_URL_FILE, to where notifications are sent',
    ],
    [
      ['notifyEvery'],
      notifyFormat !== 'mail',
      'has an effect only with --notify-format mail',
      'leave it out, or add --notify-format mail',
    ],
    [
      ['concurrency', 'jobExpiry'],
      !isWorking,
      'has an effect only for a worker',
      'leave it out, or give --store without -f and --accounts',
    ],
    [
      ['account', 'domain', 'delivery', 'driftUrl', 'fullInterval'],
      isWorking,
      'has no effect for a worker, which runs published manifests',
      'leave it out',
    ],
  ];
  const flags = given as Readonly<Partial<Record<RunFlag, unknown>>>;
  for (const [names, isSo, what, hint] of rules) {
    const flag = names.find((name) => flags[name] !== undefined);
    if (isSo && flag !== undefined) throw usageError(`${flagOf(flag)} ${what}`, hint);
  }
}

const ONCE = 'has no effect with --once';
const NOTIFY_FLAGS = ['notifyFormat', 'notifyEvery', 'notifyTest', 'pageUrl'] as const;

/** Parses `HOST:PORT`, `[::1]:PORT` or `PORT`, which is on loopback. */
export function parseListen(text: string): ListenAddress {
  const [, host = '127.0.0.1', port = ''] = /^(?:(\[[\da-f:.]+\]|[\w.-]+):)?(\d+)$/i.exec(text) ?? [];
  const number = Number(port);
  if (port !== '' && number <= MOST_PORT) return { host: host.replace(/^\[(.*)\]$/, '$1'), port: number };
  const what = number > MOST_PORT ? `${port} is not a port` : 'it is not an address';
  const hint = `write HOST:PORT, such as 127.0.0.1:9477; a port is a number from 0 to ${MOST_PORT}`;
  throw usageError(`--listen ${text}: ${what}`, hint);
}

/** Names of the page's own: a path cannot begin with one. */
const OWN = [
  'runs',
  'events',
  'style.css',
  'script.js',
  'icon.svg',
  'status',
  'healthz',
  'readyz',
  'metrics',
  'login',
  'logout',
];

/** Parses `--base-path`; `/` says that there is a proxy, and that it serves the page at its root. */
export function parseBasePath(text: string | undefined): string | null {
  if (text === undefined) return null;
  const path = text.replace(/\/+$/, '');
  const hint = 'write a path such as /fwdsync, or / where the proxy serves the page at its root';
  if (
    !/^(?:\/[\w.~-]+)*$/.test(path) ||
    path.split('/').some((segment) => /^\.+$/.test(segment)) ||
    text === ''
  )
    throw usageError(`--base-path ${text}: it is not a path`, hint);
  const [, first = ''] = path.split('/');
  if (OWN.includes(first))
    throw usageError(`--base-path ${text}: the page itself has a path /${first}`, hint);
  return path;
}

/** Parses `--page-url`, the address that links in notifications begin with. */
function parsePageUrl(text: string | undefined): string | null {
  if (text === undefined) return null;
  const { protocol, username, password, search, hash } = URL.canParse(text) ? new URL(text) : NO_URL;
  const isPlain = `${username}${password}${search}${hash}` === '';
  if (isPlain && (protocol === 'https:' || protocol === 'http:')) return text.replace(/\/+$/, '');
  const hint = 'write the address at which people open the page, such as https://ops.example/fwdsync';
  throw usageError(`--page-url ${quote(text)}: it is not the address of a page`, hint);
}

const NO_URL = { protocol: '', username: '', password: '', search: '', hash: '' };
