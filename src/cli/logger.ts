import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import type { OutputStream } from './context.ts';
import type { LogLevel, LogSettings } from './log-settings.ts';

/** One JSON line per event, or readable lines on a terminal. */
export function createLogger(
  { level, format }: LogSettings,
  destination: OutputStream,
  fallbackLevel: LogLevel,
): Logger {
  const settings = {
    level: level ?? fallbackLevel,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
  };
  const isPretty = (format ?? (destination.isTTY === true ? 'pretty' : 'json')) === 'pretty';
  if (!isPretty) return pino(settings, destination);
  return pino(
    settings,
    pretty({ destination, colorize: destination.isTTY === true, messageKey: 'message', sync: true }),
  );
}
