import type { Context } from '../context.ts';
import { usageError } from '../exit.ts';
import type { CommonOptions } from '../settings.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
const LOG_FORMATS = ['json', 'pretty'] as const;

export interface LogSettings {
  /** Null: not stated. */
  readonly level: LogLevel | null;
  /** Null: not stated; pretty on a terminal, else JSON. */
  readonly format: (typeof LOG_FORMATS)[number] | null;
}

/** Level and format of the log: flag, then environment; a value that does not exist is wrong usage. */
export function resolveLog(options: CommonOptions, { env }: Pick<Context, 'env'>): LogSettings {
  return {
    level: oneOf('log level', LOG_LEVELS, options.logLevel ?? env['FWDSYNC_LOG_LEVEL']),
    format: oneOf('log format', LOG_FORMATS, options.logFormat ?? env['FWDSYNC_LOG_FORMAT']),
  };
}

function oneOf<Word extends string>(
  what: string,
  words: readonly Word[],
  text: string | undefined,
): Word | null {
  if (text === undefined || text === '') return null;
  const word = words.find((candidate) => candidate === text);
  if (word !== undefined) return word;
  throw usageError(`there is no ${what} ${JSON.stringify(text)}`, `use one of ${words.join(', ')}`);
}
