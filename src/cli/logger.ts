import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { Context, OutputStream } from './context.ts';
import { CommandError, EXIT } from './exit.ts';
import type { CommonOptions } from './settings.ts';

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** One JSON line an event, or readable lines on a terminal. */
export function createLogger(
  options: CommonOptions,
  context: Pick<Context, 'env'>,
  destination: OutputStream,
  fallbackLevel: string,
): Logger {
  const level = options.logLevel ?? context.env['FWDSYNC_LOG_LEVEL'] ?? fallbackLevel;
  if (!LEVELS.includes(level)) {
    throw new CommandError(
      EXIT.usage,
      `there is no log level ${JSON.stringify(level)}`,
      `use ${LEVELS.join(', ')}`,
    );
  }
  const settings = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
  };
  if (logFormat(options, context, destination.isTTY) === 'json') return pino(settings, destination);
  return pino(
    settings,
    pretty({ destination, colorize: destination.isTTY === true, messageKey: 'message', sync: true }),
  );
}

function logFormat(
  options: CommonOptions,
  context: Pick<Context, 'env'>,
  isTerminal: boolean | undefined,
): 'json' | 'pretty' {
  const format = options.logFormat ?? context.env['FWDSYNC_LOG_FORMAT'] ?? (isTerminal ? 'pretty' : 'json');
  if (format === 'json' || format === 'pretty') return format;
  throw new CommandError(
    EXIT.usage,
    `there is no log format ${JSON.stringify(format)}`,
    'use json or pretty',
  );
}
