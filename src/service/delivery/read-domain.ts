import type { ApiError } from '../../client/errors.ts';
import type { LogEntry } from '../../client/logs/logs.ts';
import { localPartOf, type DomainName } from '../../core/model/names.ts';
import type { Result } from '../../core/model/result.ts';
import { firstName, type FindName } from './known-names.ts';
import { readLogPage, type LogWalk } from './log-pages.ts';
import {
  createTally,
  isForUnknownName,
  readMessage,
  type Counting,
  type DeliveryRow,
  type Tally,
} from './tally.ts';

/** The result of reading one domain's logs. */
export interface DomainDelivery {
  readonly domain: DomainName;
  readonly rows: readonly DeliveryRow[];
  /** Number of messages that were refused for unknown names. */
  readonly unknownNames: number;
  /** Number of messages that are still on the way, including soft bounces. */
  readonly open: number;
  /** Time at which the logs were read to the end, in epoch milliseconds. null means that they were not. */
  readonly readAt: number | null;
  /** Why the logs were not read to the end. */
  readonly cut: Cut | null;
}

/** The reason why a read stopped. `requests` means that the allowed number of requests was used. */
export type Cut = { readonly kind: 'requests' } | { readonly kind: 'failed'; readonly error: ApiError };

export interface DomainReading extends Omit<LogWalk, 'cursor'>, Counting {
  readonly now: () => number;
  /** True if one more request may be sent. Counts the request. */
  readonly mayAsk: () => boolean;
  /** Returns the names that aliases once took. */
  readonly namesOfHistory: () => Promise<FindName>;
  /** Reads the account's names. null means that it has no others than the manifest. */
  readonly readNames: (() => Promise<Result<FindName, ApiError>>) | null;
}

/** Reads the logs of a domain, newest first, as far back as requested. Each entry counts once. */
export async function readDomainDelivery(reading: DomainReading): Promise<DomainDelivery> {
  const { domain, now } = reading;
  const tally = createTally();
  const unknown: LogEntry[] = [];
  let open = 0;
  const cut = await eachEntry(reading, (entry) => {
    const message = readMessage(entry, reading);
    if (message === null) return;
    if (isForUnknownName(message)) unknown.push(entry);
    else tally.add(message);
    if (message.course.isOpen) open += 1;
  });
  const named = cut ?? (unknown.length === 0 ? 0 : await addNamed(reading, unknown, tally));
  const isCut = typeof named !== 'number';
  return {
    domain,
    rows: tally.rows(),
    unknownNames: unknown.length - (isCut ? 0 : named),
    open,
    readAt: isCut ? null : now(),
    cut: isCut ? named : null,
  };
}

async function eachEntry(reading: DomainReading, onEntry: (entry: LogEntry) => void): Promise<Cut | null> {
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    if (!reading.mayAsk()) return { kind: 'requests' };
    const page = await readLogPage({ ...reading, cursor });
    if (!page.ok) return { kind: 'failed', error: page.error };
    const news = page.value.entries.filter(({ id }) => !seen.has(id));
    for (const entry of news) {
      seen.add(entry.id);
      onEntry(entry);
    }
    cursor = page.value.next;
  } while (cursor !== null);
  return null;
}

/** Adds messages refused for names that the history or the account know. Returns their number. */
async function addNamed(
  { namesOfHistory, readNames, mayAsk, takerAt }: DomainReading,
  unknown: readonly LogEntry[],
  tally: Tally,
): Promise<number | Cut> {
  const former = await namesOfHistory();
  const localOf = ({ recipient }: LogEntry): string => localPartOf(recipient?.email ?? '').toLowerCase();
  let findName = former;
  if (readNames !== null && unknown.some((entry) => former(localOf(entry)) === null)) {
    if (!mayAsk()) return { kind: 'requests' };
    const live = await readNames();
    if (!live.ok) return { kind: 'failed', error: live.error };
    findName = firstName(former, live.value);
  }
  const known = unknown.filter((entry) => findName(localOf(entry)) !== null);
  for (const entry of known) {
    const message = readMessage(entry, { takerAt, findName });
    if (message !== null) tally.add(message);
  }
  return known.length;
}
