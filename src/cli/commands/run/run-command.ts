import { createConnections } from '../../../client/http/transport.ts';
import type { DaemonEvent } from '../../../core/model/status/daemon.ts';
import { createConcealer } from '../../../service/conceal/concealer.ts';
import { runUntilStopped } from '../../../service/lifetime.ts';
import { createConcealingLog, type ReportOptions } from '../../../service/reports.ts';
import { runAccounts } from '../../accounts/run-accounts.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { openStates } from '../../input/state/open-states.ts';
import { concealing } from '../../output/log/concealing-stream.ts';
import { createLogger } from '../../output/log/logger.ts';
import { createCommands } from '../../output/command-lines.ts';
import { programFields, programInfo } from '../../program-info.ts';
import type { Settings, StateSettings } from '../../settings/resolve-settings.ts';
import { lastingPart } from '../apply/conclude.ts';
import { answerRoute } from './answer-route.ts';
import { answerWho } from './answer-who.ts';
import { openNotify, testNotify } from './open-notify.ts';
import { readPageSettings } from './page-settings.ts';
import { serveDaemon } from './run-daemon.ts';
import { runOnce } from './run-once.ts';
import { assertWatchable, resolveRun, type RunOptions, type RunSettings } from './run-options.ts';
import { drainFleet, serveWorker } from './run-worker.ts';

/**
 * Keeps accounts in sync with their manifests until it is stopped. Changes that a guard refuses or that cannot be
 * read are withheld, and the rest goes on. While a manifest is invalid, the last valid one stays loaded.
 */
export async function runCommand(
  context: Context,
  { settings, options }: CommandCall<RunOptions>,
): Promise<CommandResult> {
  const run = resolveRun(context, settings, options);
  const concealer = createConcealer(context);
  // Standard output has no other use here.
  const log = createLogger(settings.log, concealing(context.stdout, concealer), 'info');
  const logging = { log, concealer, commands: createCommands(context, run.role) };
  if (run.lasts === 'one-test') return testNotify(context, run, logging);
  if (run.lasts === 'once') return runOnceEach(context, settings, run, logging);
  if (run.role === 'daemon') {
    assertWatchable(settings);
    // A wrong store shows at once rather than in each run.
    await openStates(context, settings.state, 'run');
    const { mode, intervalMs } = run;
    const started = { event: 'started', mode, interval_ms: intervalMs, ...programFields() };
    log.info(started, `started in mode ${mode}`);
  }
  context.waitFor?.('service');
  const serve = run.role === 'worker' ? serveWorker : serveDaemon;
  await runUntilStopped(context, async (signal) => {
    const own = { ...context, signal, connections: createConnections() };
    const reporting = await openReporting(own, settings, run, logging);
    try {
      await serve(own, settings, run, reporting);
    } finally {
      await reporting.notify?.close();
    }
  });
  log.info({ event: 'stopped', signal: String(context.signal.reason) }, 'stopped');
  return { exit: EXIT.done };
}

type Logging = Pick<ReportOptions, 'log' | 'concealer' | 'commands'>;

async function runOnceEach(
  context: Context,
  settings: Settings,
  run: RunSettings,
  logging: Logging,
): Promise<CommandResult> {
  const emit = createConcealingLog(logging);
  if (run.role === 'worker')
    return drainFleet({ ...context, connections: createConnections() }, settings, run, { ...logging, emit });
  const lasting = (event: DaemonEvent): void => emit(keepLastingPart(event, settings.state));
  return runAccounts(context, settings, {
    saved: null,
    ending: 'none',
    command: (own, alone) => runOnce(own, alone, { mode: run.mode, emit: lasting }),
  });
}

/** Leaves out commands that do not work after the job has ended. */
function keepLastingPart(event: DaemonEvent, state: StateSettings): DaemonEvent {
  if (event.kind !== 'run-finished' || event.result.kind === 'failed') return event;
  if (event.result.report === null) return event;
  const report = lastingPart(event.result.report, state);
  return { ...event, result: { ...event.result, report } };
}

async function openReporting(
  context: Context,
  { state }: Settings,
  run: RunSettings,
  logging: Logging,
): Promise<ReportOptions> {
  const { concealer, commands } = logging;
  return {
    ...logging,
    program: programInfo(),
    listen: run.listen,
    page: await readPageSettings(context, run, logging),
    notify: await openNotify(context, state, run, logging),
    route: (address, manifests, engineOf) =>
      answerRoute(address, manifests, concealer.disclosure, { engineOf, about: commands.about }),
    who: (destination, manifests) =>
      answerWho(destination, manifests, concealer.disclosure, { cwd: context.cwd, command: commands.all }),
  };
}
