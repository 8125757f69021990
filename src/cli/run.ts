import { resolve } from 'node:path';
import type { DaemonEvent } from '../model/daemon.ts';
import { createClaims } from '../reconcile/claims.ts';
import { createDaemon, type Daemon } from '../reconcile/daemon.ts';
import { watchFiles } from '../reconcile/watch.ts';
import { accountEntries, accountsDirectory, overAccounts } from './accounts.ts';
import type { Context } from './context.ts';
import { parseDuration } from './duration.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { createLogger } from './logger.ts';
import { openAccountLoop } from './run-account.ts';
import { runOnce } from './run-once.ts';
import { manifestPaths, type CommonOptions } from './settings.ts';

export interface RunOptions extends CommonOptions {
  readonly interval: string;
  readonly mode: 'apply' | 'observe';
  readonly once?: true;
}

/**
 * Keeps accounts in step with their manifests until it is stopped. What a guard refuses or what cannot be read is
 * withheld, and the rest goes on; a manifest that is not valid leaves the last good one in force.
 */
export async function runCommand(context: Context, options: RunOptions): Promise<ExitCode> {
  const intervalMs = parseDuration('--interval', options.interval);
  const logger = createLogger(options, context, 'stdout', 'info');
  if (options.once === true) {
    return overAccounts<RunOptions>((own, alone) => runOnce(own, alone, logger))(context, options, []);
  }
  logger.info({ event: 'started', mode: options.mode, interval_ms: intervalMs }, 'started');
  const daemon = openDaemon(context, options, intervalMs, (event) => logger.info(event));
  context.onHangUp?.(() => daemon.hangUp());
  await endedOrOverdue(context, daemon.run());
  logger.info({ event: 'stopped', signal: String(context.signal.reason) }, 'stopped');
  return EXIT.done;
}

/** After SIGTERM what is in flight may finish, so long. */
const GRACE_MS = 20_000;

async function endedOrOverdue({ clock, signal }: Context, ended: Promise<void>): Promise<void> {
  const overdue = new Promise<void>((resolve) => {
    const wait = (): void => void clock.sleep(GRACE_MS).then(resolve);
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
  await Promise.race([ended, overdue]);
}

function openDaemon(
  context: Context,
  options: RunOptions,
  intervalMs: number,
  emit: (event: DaemonEvent) => void,
): Daemon {
  const claims = createClaims();
  const { clock, signal, cwd } = context;
  const directory = accountsDirectory(options, context);
  const accounts = directory === null ? 'one' : 'many';
  return createDaemon({
    clock,
    signal,
    emit,
    listAccounts: () =>
      directory === null
        ? Promise.resolve([{ name: 'default', paths: manifestPaths(options, context) }])
        : accountEntries(context, directory),
    openLoop: (entry) =>
      openAccountLoop(
        context,
        entry,
        { common: options, mode: options.mode, intervalMs, accounts },
        { claims, emit },
      ),
    watched: (entries) =>
      [...(directory === null ? [] : [directory]), ...entries.flatMap(({ paths }) => paths)]
        .filter((path) => path !== '-')
        .map((path) => resolve(cwd, path)),
    watch: watchFiles,
  });
}
