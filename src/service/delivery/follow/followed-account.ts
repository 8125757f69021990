import type { Client } from '../../../client/client.ts';
import type { LogEntry, LogsClient } from '../../../client/logs/logs.ts';
import type { Desired, PresentDomain } from '../../../core/model/desired.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import type { DeliveryMemories, HistoryStore } from '../../../engine/state/store.ts';
import { createCounting } from '../counting.ts';
import { firstName } from '../known-names.ts';
import { createValuesOf, namesOfPast, readPast, type PastByDomain } from '../past.ts';
import type { SafeText } from '../safe-text.ts';
import { isForUnknownName, readMessage, type Counting } from '../tally.ts';

export interface FollowedAccount {
  /** The client. Its requests use at most a quarter of each window. */
  readonly client: LogsClient & Pick<Client, 'version' | 'listDomains' | 'budgets' | 'hmac'>;
  readonly memories: DeliveryMemories;
  readonly safe: SafeText;
  readonly history: Pick<HistoryStore, 'read'>;
  /** References of the manifest, by their values. */
  readonly references: Desired['references'];
  /** Returns all lost names in the history. They may be slightly outdated. */
  readonly lostNames: () => Promise<PastByDomain>;
}

/** Names that nobody wants any more are looked up only where mail to one was refused. */
export async function countingNow(
  wanted: PresentDomain,
  live: Pick<ObservedDomain, 'routingEngine'> | undefined,
  { history, references, lostNames }: FollowedAccount,
  entries: readonly LogEntry[],
): Promise<Counting> {
  if (entries.length === 0) return NO_COUNTING;
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
  const messages = entries.map((entry) => readMessage(entry, counting));
  if (!messages.some((message) => message !== null && isForUnknownName(message))) return counting;
  const changes = (await lostNames()).get(domain) ?? [];
  return { ...counting, findName: firstName(counting.findName, namesOfPast(changes, wanted)) };
}

const NO_COUNTING: Counting = { takerAt: () => () => null, findName: () => null };
