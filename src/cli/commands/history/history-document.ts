import type { Disclosure } from '../../../core/model/destinations.ts';
import type { BaselineEntry, Commit, RunEndEntry, RunEntry } from '../../../core/model/history/entries.ts';
import { historyItemDocument, type HistoryItemDocument } from '../../../core/plan/document/history-item.ts';
import type { BlameEntry } from '../../../engine/state/history/blame.ts';
import {
  standingOf,
  type RecordedDrift,
  type RecordedItem,
  type RecordedRun,
  type RunWithItems,
} from '../../../engine/state/history/recorded.ts';

/** `fwdsync/history@1`: schemas/history.v1.schema.json. */
export interface HistoryDocument {
  readonly kind: 'fwdsync/history@1';
  readonly runs: readonly RunDocument[];
  readonly drift: readonly DriftDocument[];
}

export interface RunDocument extends Pick<
  RunEntry,
  'command' | 'account' | 'api' | 'host' | 'user' | 'actor' | 'commit' | 'plan'
> {
  readonly id: string;
  readonly startedAt: string;
  /** Time of the end. This and the next two are null if the run was killed, or is still running. */
  readonly finishedAt: string | null;
  readonly outcome: RunEndEntry['outcome'] | null;
  readonly summary: RunEndEntry['summary'] | null;
  /** The run that an `undo` reverses. */
  readonly undoes: string | null;
  readonly items: readonly ItemDocument[];
}

export type ItemDocument = HistoryItemDocument & {
  readonly at: string;
  readonly endpoint: string;
  readonly via: 'domain' | null;
  /** null means that it is not known. */
  readonly outcome: NonNullable<RecordedItem['result']>['outcome'] | null;
  readonly message: string | null;
};

export type DriftDocument = HistoryItemDocument & {
  readonly account: string;
  readonly at: string;
  readonly seenAt: string;
  readonly endedAt: string | null;
  readonly correctedBy: string | null;
};

/** A run, with its items if they are shown. */
export type FoundRun = RecordedRun & Partial<RunWithItems>;

/** Returns a run with its items, in the order in which they were sent. */
export function runDocument({ start, end, items = [] }: FoundRun, mask: Disclosure['mask']): RunDocument {
  const { command, account, api, host, user, actor, commit, plan } = start;
  return {
    id: start.run,
    startedAt: start.at,
    finishedAt: end?.at ?? null,
    command,
    account,
    api,
    host,
    user,
    actor,
    commit,
    plan,
    outcome: end?.outcome ?? null,
    summary: end?.summary ?? null,
    undoes: start.undoes ?? null,
    items: items.map((item) => itemDocument(item, mask)),
  };
}

export function itemDocument({ entry, result }: RecordedItem, mask: Disclosure['mask']): ItemDocument {
  const { at, endpoint, via } = entry;
  const outcome = result?.outcome ?? null;
  return {
    at,
    ...historyItemDocument(entry, mask),
    endpoint,
    via,
    outcome,
    message: result?.message ?? null,
  };
}

export function driftDocument(
  { entry, endedAt, correctedBy }: RecordedDrift,
  { account, mask }: { readonly account: string; readonly mask: Disclosure['mask'] },
): DriftDocument {
  const { at, seenAt } = entry;
  return { account, at, seenAt, endedAt, correctedBy, ...historyItemDocument(entry, mask) };
}

/** `fwdsync/blame@1`: schemas/blame.v1.schema.json. */
export interface BlameDocument {
  readonly kind: 'fwdsync/blame@1';
  readonly address: string;
  readonly entries: readonly BlameEntryDocument[];
  readonly drift: readonly DriftDocument[];
  /** Exports that took over the domain as it was, newest first. */
  readonly takenOver: readonly TakenOverDocument[];
}

export type TakenOverDocument = Pick<BaselineEntry, 'at' | 'account' | 'host' | 'user' | 'actor'>;

export function takenOverDocument({ at, account, host, user, actor }: BaselineEntry): TakenOverDocument {
  return { at, account, host, user, actor };
}

export type BlameEntryDocument = HistoryItemDocument & {
  readonly account: string;
  readonly at: string;
  readonly run: string;
  /** Command of the run. This and the next fields are null if the run's entry is no longer kept. */
  readonly command: RunEntry['command'] | null;
  readonly host: string | null;
  readonly user: string | null;
  readonly actor: RunEntry['actor'];
  readonly commit: Commit | null;
  /** `unknown` means that the run was killed, or had no reliable answer. */
  readonly outcome: 'done' | 'unknown';
};

export function blameEntryDocument(
  blamed: BlameEntry,
  { account, mask }: { readonly account: string; readonly mask: Disclosure['mask'] },
): BlameEntryDocument {
  const { entry, run } = blamed;
  const { command, host, user, actor, commit } = run ?? UNKNOWN_RUN;
  return {
    account,
    at: entry.at,
    run: entry.run,
    ...historyItemDocument(entry, mask),
    command,
    host,
    user,
    actor,
    commit,
    outcome: standingOf(blamed) === 'done' ? 'done' : 'unknown',
  };
}

const UNKNOWN_RUN = { command: null, host: null, user: null, actor: null, commit: null } as const;
