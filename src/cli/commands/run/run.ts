import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import { createOwnership, readInTurn, readTogether } from '../../../service/daemon/manifest/ownership.ts';
import { createDaemon, type Daemon } from '../../../service/daemon/daemon.ts';
import { createTurns } from '../../../service/daemon/scheduler.ts';
import { watchFiles } from '../../../service/daemon/manifest/watch.ts';
import { accountEntries } from '../../accounts/accounts.ts';
import { concealing, createConcealer } from './conceal.ts';
import type { Context } from '../../context.ts';
import { parseDuration } from '../../input/arguments.ts';
import { CommandError, EXIT, type ExitCode, usageError } from '../../exit.ts';
import { lastingPart } from '../apply/conclude.ts';
import { openStates } from '../../input/state/state.ts';
import { createLogger } from '../../output/log/logger.ts';
import type { NotifyFormat } from './notify/notify-bodies.ts';
import { parseBasePath } from './page-settings.ts';
import { openAccountLoop } from './open-account.ts';
import { DOCUMENT_FORMATS } from '../../output/formats.ts';
import { maskOf } from '../../output/output.ts';
import { overAccounts } from '../../accounts/over-accounts.ts';
import { runOnce } from './once.ts';
import { assertWorkerOptions, isWorker, runWorker } from './run-worker.ts';
import { parseListen } from './serve-status.ts';
import { commandLine, createCommands, type Commands } from '../../output/command-lines.ts';
import { createConcealingLog, logStarted, openReports, runService, type ServiceOptions } from './service.ts';
import {
  accountsDirectory,
  isInStore,
  manifestPaths,
  resolveDriftUrl,
  resolveLog,
  type CommonOptions,
} from '../../settings.ts';

export interface RunOptions extends CommonOptions {
  readonly interval: string;
  readonly listen: string;
  readonly mode: 'apply' | 'observe';
  readonly once?: true;
  readonly delivery?: true;
  readonly driftUrl?: string;
  readonly fullInterval?: string;
  readonly basePath?: string;
  readonly notifyFormat?: NotifyFormat;
  readonly concurrency?: number;
}

const LEAST_INTERVAL_MS = 1000;
/** Of the memory in use: by default a process that runs for months may keep several times as much before it collects it. */
const MOST_GARBAGE_PERCENT = 30;
const DEFAULT_FULL_INTERVAL = '1h';

/**
 * Keeps accounts in sync with their manifests until it is stopped. What a guard refuses or what cannot be read is
 * withheld, and the rest goes on; while a manifest is invalid, the last good one stays loaded.
 */
export async function runCommand(context: Context, options: RunOptions): Promise<ExitCode> {
  const intervalMs = parseDuration('--interval', options.interval, LEAST_INTERVAL_MS);
  const listen = parseListen(options.listen);
  const quick = quickSweeps(context, options);
  const basePath = parseBasePath(options.basePath);
  assertUsed(options, context);
  assertWorkerOptions(options, context);
  const concealer = createConcealer({ mask: maskOf(options, context) });
  // Standard output has no other use here.
  const logger = createLogger(resolveLog(options, context), concealing(context.stdout, concealer), 'info');
  const { notifyFormat = 'json' } = options;
  const service = {
    intervalMs,
    listen,
    basePath,
    notifyFormat,
    logger,
    concealer,
    commands: createCommands(context, options, isWorker(options, context)),
  };
  if (isWorker(options, context)) return runWorker(context, options, service);
  if (options.once === true) {
    const log = createConcealingLog(service);
    const emit = (event: DaemonEvent): void => log(withLastingPart(event, options, context));
    return overAccounts(context, options, {
      formats: DOCUMENT_FORMATS,
      saved: null,
      ending: 'none',
      command: (own, alone) => runOnce(own, alone, emit),
    });
  }
  assertWatchable(context, options);
  setFlagsFromString(`--heap-growing-percent=${MOST_GARBAGE_PERCENT}`);
  // A wrong store shows at once rather than in each run.
  await openStates(context, options, 'run');
  context.waitFor?.('service');
  logStarted(logger, { mode: options.mode, intervalMs }, `started in mode ${options.mode}`);
  return runService(context, logger, (own) => serve(own, options, { ...service, quick }));
}

/** An option without effect is an error, not ignored. */
function assertUsed(options: RunOptions, context: Context): void {
  const { env } = context;
  // It takes one manifest at a time.
  const readOnce =
    accountsDirectory(options, context) === null
      ? `; \`${commandLine(context, options)('delivery')}\` reads the logs once`
      : '';
  const { once, delivery, basePath, notifyFormat } = options;
  const ofDaemon = [
    ['--delivery', delivery, `leave it out${readOnce}`],
    ['--base-path', basePath, 'leave it out: no page is served'],
    ['--notify-format', notifyFormat, 'leave it out: the exit code says how the run ended'],
  ] as const;
  for (const [flag, value, hint] of ofDaemon)
    if (once === true && value !== undefined) throw usageError(`${flag} has no effect with --once`, hint);
  if (notifyFormat === undefined || env['FWDSYNC_NOTIFY_URL'] || env['FWDSYNC_NOTIFY_URL_FILE']) return;
  throw usageError(
    '--notify-format has no effect without FWDSYNC_NOTIFY_URL',
    'set it, or FWDSYNC_NOTIFY_URL_FILE, to where notifications are sent',
  );
}

function assertWatchable(context: Context, options: RunOptions): void {
  const stored = manifestPaths(options, context).find(isInStore);
  if (stored !== undefined)
    throw usageError(`${stored} is read once, and the daemon watches files`, 'name files, or add --once');
  if (accountsDirectory(options, context) !== null || !manifestPaths(options, context).includes('-')) return;
  throw new CommandError(
    EXIT.usage,
    'standard input can be read once, and the daemon reads its manifest again and again',
    'name files, or add --once',
  );
}

/** How sweeps check domains that are not read in full. */
interface QuickSweeps {
  /** Null: they read all in full. */
  readonly driftUrl: string | null;
  readonly fullIntervalMs: number;
}

function quickSweeps(context: Context, { driftUrl, fullInterval, once }: RunOptions): QuickSweeps {
  if (once === true && driftUrl !== undefined)
    throw usageError(
      '--drift-url has no effect with --once, which reads everything',
      'leave one of them out',
    );
  const url = resolveDriftUrl({ driftUrl }, context);
  if (fullInterval !== undefined && (url === null || once === true))
    throw usageError(
      '--full-interval has an effect only with --drift-url',
      'leave it out, or add --drift-url',
    );
  const text = fullInterval ?? DEFAULT_FULL_INTERVAL;
  return { driftUrl: url, fullIntervalMs: parseDuration('--full-interval', text, LEAST_INTERVAL_MS) };
}

/** The log of a job prints no command that cannot work after it. */
function withLastingPart(event: DaemonEvent, options: RunOptions, context: Context): DaemonEvent {
  if (event.kind !== 'run-finished' || event.result.kind === 'failed') return event;
  if (event.result.report === null) return event;
  const report = lastingPart(event.result.report, options, context);
  return { ...event, result: { ...event.result, report } };
}

interface DaemonOptions extends ServiceOptions {
  readonly intervalMs: number;
  readonly quick: QuickSweeps;
}

async function serve(context: Context, options: RunOptions, service: DaemonOptions): Promise<void> {
  const { intervalMs, quick, concealer, commands } = service;
  let refreshPages = (): void => undefined;
  const reports = await openReports(context, service, { statuses: () => daemon.statuses() });
  const emit = (event: DaemonEvent): void => {
    reports.emit(event);
    if (event.kind !== 'request') refreshPages();
  };
  const onSecret = (value: string): void => concealer.addSecret(value);
  const daemon = openDaemon(context, options, {
    intervalMs,
    quick,
    emit,
    onSecret,
    commands,
  });
  context.onHangUp?.(() => daemon.resync());
  const status = reports.serveStatus(daemon, (refresh) => {
    refreshPages = refresh;
  });
  await Promise.all([daemon.run(), status]);
}

/** Between two sweeps that are due at once: a sweep of a small account takes some milliseconds of one core. */
const TURN_MS = 10;
/** Manifests that are read at once. */
const MOST_READS = 8;

interface DaemonWiring {
  readonly intervalMs: number;
  readonly quick: QuickSweeps;
  readonly emit: (event: DaemonEvent) => void;
  /** A value came up that must not be seen. */
  readonly onSecret: (value: string) => void;
  readonly commands: Commands;
}

function openDaemon(
  context: Context,
  options: RunOptions,
  { intervalMs, quick, emit, onSecret, commands }: DaemonWiring,
): Daemon {
  const ownership = createOwnership();
  const { clock, signal, cwd } = context;
  const directory = accountsDirectory(options, context);
  const accounts = directory === null ? 'one' : 'many';
  const [turn, inTurn, together] = [createTurns(TURN_MS), readInTurn(MOST_READS), readTogether(signal)];
  return createDaemon({
    clock,
    signal,
    emit,
    async listAccounts() {
      if (directory === null) return [{ name: 'default', paths: manifestPaths(options, context) }];
      return accountEntries(context, options, directory);
    },
    openLoop: (entry) =>
      openAccountLoop(
        context,
        entry,
        {
          common: options,
          mode: options.mode,
          intervalMs,
          ...quick,
          delivery: options.delivery === true,
          accounts,
          turn,
          inTurn,
          together,
        },
        { ownership, emit, onSecret, commands },
      ),
    watched: (entries) =>
      [...(directory === null ? [] : [directory]), ...entries.flatMap(({ paths }) => paths)]
        .filter((path) => path !== '-')
        .map((path) => resolve(cwd, path)),
    watch: watchFiles,
  });
}
