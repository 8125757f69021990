import { InvalidArgumentError, Option, type Command } from 'commander';
import type { LogFilter, LogStatus, LogTransport } from '../../../client/logs/logs.ts';
import { plainOption, positiveNumber } from '../../declare/options.ts';

export interface LogsOptions {
  readonly follow?: true;
  readonly search?: string;
  readonly count?: true;
  readonly id?: string;
  readonly alias?: string;
  readonly sender?: string;
  readonly recipient?: string;
  readonly forward?: string;
  readonly status?: readonly LogStatus[];
  readonly transport?: LogTransport;
  /** Epoch milliseconds. */
  readonly after?: number;
  readonly before?: number;
  readonly order?: keyof typeof ORDERS;
  readonly limit?: number;
}

const STATUSES: readonly LogStatus[] = [
  'QUEUED',
  'REFUSED',
  'DELIVERED',
  'SOFT-BOUNCE',
  'HARD-BOUNCE',
  'BOUNCED',
];
const TRANSPORTS: readonly LogTransport[] = ['mx', 'smtp', 'api'];
/** The values of both API versions. */
const ORDERS = {
  relevance: 'relevance',
  created_desc: 'newest',
  created_asc: 'oldest',
  desc: 'newest',
  asc: 'oldest',
} as const;

/**
 * Adds the options of the logs command: one of four questions, or else a list. Options that a question does not use
 * are refused.
 */
export function logQueryOptions(command: Command): Command {
  const paging = ['order', 'limit', 'alias'];
  const filters = ['sender', 'recipient', 'forward', 'status', 'transport', 'after', 'before'];
  return command
    .addOption(
      new Option(
        '--follow',
        'print what arrives, until interrupted; with --after from that time on (v4)',
      ).conflicts(['search', 'count', 'id', 'order', 'before']),
    )
    .addOption(
      new Option('--search <text>', 'search subject and addresses').conflicts(['count', 'id', 'alias']),
    )
    .addOption(new Option('--count', 'print how many there are').conflicts(['id', ...paging]))
    .addOption(new Option('--id <id>', 'one entry with its timeline').conflicts([...paging, ...filters]))
    .addOption(new Option('--alias <name>', 'mail to one alias').conflicts('recipient'))
    .option('--sender <address>', 'from this address')
    .option('--recipient <address>', 'to this address')
    .option('--forward <address>', 'forwarded to this destination')
    .option('--status <list>', 'with an event of these, such as SOFT-BOUNCE,BOUNCED', parseStatuses)
    .addOption(new Option('--transport <name>', 'how it was received').choices(TRANSPORTS))
    .option('--after <time>', 'received after this time, in ISO 8601', parseTime)
    .option('--before <time>', 'received before this time, in ISO 8601', parseTime)
    .addOption(
      new Option('--order <order>', 'default: created_desc, of a search relevance (v4)').choices(
        Object.keys(ORDERS),
      ),
    )
    .addOption(
      plainOption('--limit <n>', 'maximum number of entries, with --follow per request', '100').argParser(
        positiveNumber,
      ),
    );
}

/** Returns the filters for the client. */
export function logFilter(options: LogsOptions): LogFilter {
  const { sender, recipient, forward, status, transport, after, before } = options;
  return stated({ sender, recipient, forward, statuses: status, transport, after, before });
}

export function logOrder({ order }: LogsOptions): (typeof ORDERS)[keyof typeof ORDERS] | undefined {
  return order === undefined ? undefined : ORDERS[order];
}

/** Returns the values without those that are undefined. */
export function stated<T extends object>(values: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}

function parseStatuses(list: string): readonly LogStatus[] {
  return list.split(',').map((text) => {
    const found = STATUSES.find((status) => status === text.trim().toUpperCase());
    if (found !== undefined) return found;
    throw new InvalidArgumentError(`Use ${STATUSES.join(', ')}, with commas between them.`);
  });
}

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

function parseTime(text: string): number {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new InvalidArgumentError('Write it in ISO 8601, such as 2026-09-01 or 2026-09-01T08:00:00Z.');
}
