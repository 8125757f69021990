import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import { escapeInvisible, escapeJson } from '../../../core/model/names.ts';
import type { OutputStream } from '../../process/standard-output.ts';
import type { LogLevel, LogSettings } from '../../settings/resolve-settings.ts';

/** Creates a logger with one JSON line per event, or readable lines on a terminal. */
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
  if (!isPretty) return pino(settings, { write: (line) => destination.write(escapeJson(line)) });
  const colorize = destination.isTTY === true;
  const options = {
    destination,
    colorize,
    messageKey: 'message',
    hideObject: true,
    // Names of items, which would stand where loggers have theirs.
    ignore: 'name',
    messageFormat,
    sync: true,
  };
  return pino(settings, pretty(options));
}

/** Formats one line for people: the account, what happened, the line of the manifest, and what to do. */
function messageFormat(fields: Readonly<Record<string, unknown>>, messageKey: string): string {
  const { account, source, hint, [messageKey]: message } = fields;
  const whose = typeof account === 'string' && account !== 'default' ? `${account}: ` : '';
  const where = typeof source === 'string' ? ` (${source})` : '';
  const fix = typeof hint === 'string' && hint !== '' ? `; try: ${hint}` : '';
  return escapeInvisible(`${whose}${String(message)}${where}${fix}`);
}
