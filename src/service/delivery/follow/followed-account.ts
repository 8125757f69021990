import type { Client } from '../../../client/client.ts';
import type { LogEntry, LogsClient } from '../../../client/logs/logs.ts';
import type { Desired, PresentDomain } from '../../../core/model/desired.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import type { DomainMemories, HistoryStore } from '../../../engine/state/store.ts';
import { createCounting } from '../counting.ts';
import { firstName } from '../known-names.ts';
import { createValuesOf, namesOfPast, readPast, type PastByDomain } from '../past.ts';
import type { SafeText } from '../safe-text.ts';
import { isForUnknownName, readMessage, type CountedMessage } from '../tally.ts';

export interface FollowedAccount {
  /** Client whose requests use at most a quarter of each rate limit window. */
  readonly client: LogsClient & Pick<Client, 'version' | 'listDomains' | 'budgets' | 'hmac'>;
  readonly memories: DomainMemories;
  readonly safe: SafeText;
  /** Yields to other work. Text from strangers may take long to search, and a page has hundreds of messages. */
  readonly rest: () => Promise<void>;
  readonly history: Pick<HistoryStore, 'read'>;
  /** References of the manifest, by their values. */
  readonly references: Desired['references'];
  /** Returns all lost names in the history. They may be slightly outdated. */
  readonly lostNames: () => Promise<PastByDomain>;
}

/** Reads messages from log entries. Unwanted names are looked up only if mail to one was refused. */
export async function readMessagesNow(
  wanted: PresentDomain,
  live: Pick<ObservedDomain, 'routingEngine'> | undefined,
  { history, references, lostNames, rest }: FollowedAccount,
  entries: readonly LogEntry[],
): Promise<(entry: LogEntry) => CountedMessage | null> {
  const messages = new Map<LogEntry, CountedMessage | null>();
  if (entries.length === 0) return () => null;
  const { domain } = wanted;
  const since = Math.min(...entries.map(({ createdAt }) => createdAt ?? Infinity));
  const recent = Number.isFinite(since)
    ? await readPast(history, { since, domain, stopsEarly: true })
    : new Map<DomainName, never[]>();
  const counting = createCounting({
    wanted,
    live,
    changes: recent.get(domain) ?? [],
    valuesOf: createValuesOf(references),
  });
  for (const entry of entries) {
    messages.set(entry, readMessage(entry, counting));
    await rest();
  }
  const unknown = entries.filter((entry) => {
    const message = messages.get(entry) ?? null;
    return message !== null && isForUnknownName(message);
  });
  if (unknown.length > 0) {
    const lost = namesOfPast((await lostNames()).get(domain) ?? [], wanted);
    const findName = firstName(counting.findName, lost);
    for (const entry of unknown) messages.set(entry, readMessage(entry, { ...counting, findName }));
  }
  return (entry) => messages.get(entry) ?? null;
}
