import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit.ts';
import type { LogSettings } from '../../settings/resolve-settings.ts';

interface CommandLog {
  /** The command's own, which logs each request. */
  readonly context: Context;
  /** Says that the command ended. */
  readonly finish: (exitCode: ExitCode) => void;
}

/**
 * Opens the log of a command, on standard error. It has each request and the end, both with level debug. Below that
 * level the logger is not even loaded. `run` has its own log.
 */
export async function openCommandLog(
  context: Context,
  settings: LogSettings,
  command: string,
): Promise<CommandLog> {
  const isDebug = settings.level === 'debug' || settings.level === 'trace';
  if (!isDebug || command === 'run') return { context, finish: () => undefined };
  const { createLogger } = await import('./logger.ts');
  const { createEventLog, requestEvent, roundSeconds } = await import('../../../service/log/event-log.ts');
  const logger = createLogger(settings, context.stderr, settings.level);
  const log = createEventLog(logger);
  const startedAt = context.clock.monotonic();
  return {
    context: { ...context, onRequest: (event, account) => log(requestEvent(account, event)) },
    finish(exit) {
      const seconds = roundSeconds((context.clock.monotonic() - startedAt) / 1000);
      logger.debug({ event: 'command.finished', command, exit, seconds }, `${command} finished`);
    },
  };
}
