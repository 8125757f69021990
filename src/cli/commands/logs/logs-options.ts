import { LARGEST_LOG_PAGE } from '../../../api/logs/pages.ts';
import type { LogFilter, LogStatus, LogTransport } from '../../../api/logs/logs.ts';
import { CommandError, usageError } from '../../exit.ts';
import type { CommonOptions } from '../../settings.ts';

export interface LogsOptions extends CommonOptions {
  readonly follow?: true;
  readonly search?: string;
  readonly count?: true;
  readonly id?: string;
  readonly alias?: string;
  readonly sender?: string;
  readonly recipient?: string;
  readonly forward?: string;
  readonly status?: string;
  readonly transport?: string;
  readonly after?: string;
  readonly before?: string;
  readonly order?: string;
  readonly limit?: number;
}

/** What is asked of the logs. */
export type LogsMode = 'list' | 'follow' | 'search' | 'count' | 'id';

export type LogOrder = 'relevance' | 'newest' | 'oldest';

const STATUSES: readonly LogStatus[] = [
  'QUEUED',
  'REFUSED',
  'DELIVERED',
  'SOFT-BOUNCE',
  'HARD-BOUNCE',
  'BOUNCED',
];
const TRANSPORTS: readonly LogTransport[] = ['mx', 'smtp', 'api'];
/** The values of either generation. */
const ORDERS: Readonly<Record<string, LogOrder>> = {
  relevance: 'relevance',
  created_desc: 'newest',
  created_asc: 'oldest',
  desc: 'newest',
  asc: 'oldest',
};

export function logsMode(options: LogsOptions): LogsMode {
  const modes = (['follow', 'search', 'count', 'id'] as const).filter((mode) => options[mode] !== undefined);
  if (modes.length > 1) {
    throw usage(`--${modes[0]} and --${modes[1]} cannot be used together`, 'give one of them');
  }
  const [mode = 'list'] = modes;
  assertFitting(mode, options);
  return mode;
}

/** The filters as the client takes them, each checked here: nothing is requested for a mistake. */
export function logFilter(options: LogsOptions): LogFilter {
  const { sender, recipient, forward, status, transport, after, before } = options;
  return stated({
    sender,
    recipient,
    forward,
    statuses: status?.split(',').map(parseStatus),
    transport: transport === undefined ? undefined : parseTransport(transport),
    after: after === undefined ? undefined : parseTime('--after', after),
    before: before === undefined ? undefined : parseTime('--before', before),
  });
}

/** Without what is undefined. */
export function stated<T extends object>(values: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs) as { readonly [K in keyof T]?: Exclude<T[K], undefined> };
}

export function logOrder({ order }: LogsOptions): LogOrder | undefined {
  if (order === undefined) return undefined;
  const found = Object.hasOwn(ORDERS, order) ? ORDERS[order] : undefined;
  if (found !== undefined) return found;
  throw usage(`--order ${order} is not known`, `use ${Object.keys(ORDERS).join(', ')}`);
}

/** What a mode has no use for is a mistake, not something to pass over. */
function assertFitting(mode: LogsMode, options: LogsOptions): void {
  const useless: Readonly<Record<LogsMode, readonly (keyof LogsOptions)[]>> = {
    list: [],
    follow: ['order', 'before'],
    search: ['alias'],
    count: ['order', 'limit', 'alias'],
    id: [
      'order',
      'limit',
      'alias',
      'sender',
      'recipient',
      'forward',
      'status',
      'transport',
      'after',
      'before',
    ],
  };
  const found = useless[mode].find((name) => options[name] !== undefined);
  if (found !== undefined) throw usage(`--${found} has no effect with --${mode}`, 'leave it out');
  if (options.alias !== undefined && options.recipient !== undefined) {
    throw usage('--alias and --recipient cannot be used together', 'give one of them');
  }
  if (options.limit === 0) throw usage('--limit 0 returns nothing', 'give a number from 1 on');
  if (mode === 'follow' && (options.limit ?? 1) > LARGEST_LOG_PAGE) {
    throw usage(
      `--limit ${options.limit} is over ${LARGEST_LOG_PAGE}, the largest page`,
      'give a smaller one',
    );
  }
}

function parseStatus(text: string): LogStatus {
  const found = STATUSES.find((status) => status === text.trim().toUpperCase());
  if (found !== undefined) return found;
  throw usage(`--status ${text} is not known`, `use ${STATUSES.join(', ')}, with commas between them`);
}

function parseTransport(text: string): LogTransport {
  const found = TRANSPORTS.find((transport) => transport === text);
  if (found !== undefined) return found;
  throw usage(`--transport ${text} is not known`, `use ${TRANSPORTS.join(', ')}`);
}

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

function parseTime(flag: string, text: string): number {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw usage(
    `${flag} ${text} is not a time`,
    'write it in ISO 8601, such as 2026-09-01 or 2026-09-01T08:00:00Z',
  );
}

function usage(message: string, hint: string): CommandError {
  return usageError(message, hint);
}
