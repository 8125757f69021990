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

/** What the logs of one domain say. */
export interface DomainDelivery {
  readonly domain: DomainName;
  readonly rows: readonly DeliveryRow[];
  /** Messages that were refused for names that nobody knows. */
  readonly unknownNames: number;
  /** Messages whose end is not known yet, soft bounces among them. */
  readonly open: number;
  /** When its logs were read to the end, epoch milliseconds; null: they were not. */
  readonly readAt: number | null;
  /** Why not. */
  readonly cut: Cut | null;
}

/** `requests`: as many as were allowed have been sent. */
export type Cut = { readonly kind: 'requests' } | { readonly kind: 'failed'; readonly error: ApiError };

export interface DomainReading extends Omit<LogWalk, 'cursor'>, Counting {
  readonly now: () => number;
  /** Whether one more request may be sent; counts it. */
  readonly mayAsk: () => boolean;
  /** Names that aliases took once. */
  readonly namesOfHistory: () => Promise<FindName>;
  /** Reads the names that the account has; null: it has no others than the manifest. */
  readonly readNames: (() => Promise<Result<FindName, ApiError>>) | null;
}

/** Reads the logs of a domain, newest first, as far back as is wanted. Each entry counts once. */
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

/** Adds what was refused for names that history or the account know, and says how many messages these were. */
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
