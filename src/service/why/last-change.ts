import type { DomainName } from '../../core/model/names.ts';
import { historyItemDocument, type HistoryItemDocument } from '../../core/plan/document/history-item.ts';
import type { Disclosure } from '../../core/model/destinations.ts';
import { blame, type BlameEntry } from '../../engine/state/history/blame.ts';
import type { RecordedDrift } from '../../engine/state/history/recorded.ts';
import type { HistoryStore } from '../../engine/state/store.ts';

/** Last change of an entry that decides about an address, and its author. */
export interface LastChange extends HistoryItemDocument {
  readonly at: string;
  /** The run that did it; null means that it was done outside fwdsync. */
  readonly run: string | null;
  /** The person who started the run; null means that it is not known. */
  readonly person: string | null;
  readonly commit: string | null;
}

/** Returns the newest change that the history has of these keys; null means that it has none. */
export async function readLastChange(
  history: HistoryStore,
  asked: { readonly domain: DomainName; readonly keys: readonly string[] },
  mask: Disclosure['mask'],
): Promise<LastChange | null> {
  const { entries, drift } = await blame(history, asked);
  const [entry] = entries;
  const [seen] = drift.filter(({ endedAt }) => endedAt === null);
  if (seen !== undefined && (entry === undefined || seen.entry.seenAt >= entry.entry.at)) {
    return fromDrift(seen, mask);
  }
  return entry === undefined ? null : fromRun(entry, mask);
}

function fromDrift({ entry }: RecordedDrift, mask: Disclosure['mask']): LastChange {
  return {
    ...historyItemDocument(entry, mask),
    at: entry.seenAt,
    run: null,
    person: null,
    commit: null,
  };
}

function fromRun({ entry, run }: BlameEntry, mask: Disclosure['mask']): LastChange {
  return {
    ...historyItemDocument(entry, mask),
    at: entry.at,
    run: entry.run,
    person: run?.actor?.name ?? run?.user ?? null,
    commit: run?.commit?.sha ?? null,
  };
}
