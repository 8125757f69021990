import type { Clock } from '../../../../core/model/clock.ts';
import type { Disclosure } from '../../../../core/model/destinations.ts';
import type { DomainName } from '../../../../core/model/names.ts';
import type { Action } from '../../../../core/model/plan.ts';
import { describeHistoryItem, historyItemDocument } from '../../../../core/plan/document/history-item.ts';
import {
  readItems,
  readRuns,
  readRunsWithItems,
  type RecordedItem,
  type RecordedRun,
} from '../../../../engine/state/history/recorded.ts';
import { mergeNewestFirst } from '../../../../engine/state/history/merge.ts';
import type { AccountHistory, HistoryStore } from '../../../../engine/state/store.ts';
import type { DiffLine } from './diff-line.ts';
import { placeText } from './place.ts';

/** A run that wrote; plain data, not concealed yet. */
export interface RunRow {
  readonly id: string;
  readonly account: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly command: string;
  /** The person, and the job or the machine. */
  readonly by: string;
  /** Beginning of the manifest's commit; null if the manifest is in no repository. */
  readonly commit: string | null;
  /** null means that the run was killed, or is still running. */
  readonly outcome: string | null;
  readonly counts: Readonly<Record<Action, number>>;
  readonly failed: number;
}

export interface RunDetail extends RunRow {
  /** Changes by domain, in the order in which they were sent. */
  readonly domains: readonly { readonly domain: string; readonly lines: readonly DiffLine[] }[];
  /** Number of items that are not listed. */
  readonly more: number;
}

const MOST_RUNS = 8;
const MOST_CHANGES = 20;
/** Number of histories of accounts or domains whose last rows are kept. */
const MOST_KNOWN = 1_000;
const MOST_ITEMS = 200;

/**
 * Returns the last runs of accounts, newest first. `lastRun` returns the last run of each account, even if it wrote
 * nothing.
 */
export type RecentRuns = (
  histories: readonly AccountHistory[],
  lastRun: (account: string) => string | null,
) => Promise<readonly RunRow[]>;

/** A change of an item of a domain, and the run that made it. */
export interface ItemChange {
  readonly run: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly line: DiffLine;
}

/**
 * Returns the last changes of a domain, newest first. `lastRun` returns the last run of its account, even if it wrote
 * nothing.
 */
export type RecentChanges = (
  history: AccountHistory,
  domain: DomainName,
  lastRun: string | null,
) => Promise<readonly ItemChange[]>;

interface Known<Row> {
  readonly lastRun: string | null;
  readonly rows: Promise<readonly Row[]>;
  /** Rows of the read before; null if there was none. */
  readonly before: Promise<readonly Row[]> | null;
}

/** Maximum time for which a page waits for new rows. It then shows the rows of the read before. */
const LONGEST_WAIT_MS = 50;

/** Creates a reader of recent runs. A history may be large, so it is read again only if its account has run since. */
export function createRecentRuns(clock: Pick<Clock, 'sleep' | 'now'>): RecentRuns {
  const reread = createReread<HistoryStore, RunRow>(clock);
  return async (histories, lastRun) => {
    const all = await Promise.all(
      histories.map(({ account, history }) =>
        reread(history, lastRun(account), () => readLastRuns(account, history)),
      ),
    );
    return mergeNewestFirst(all, ({ at }) => at, clock.now()).slice(0, MOST_RUNS);
  };
}

/** Creates a reader of a domain's recent changes. It reads again only if the account has run since. */
export function createRecentChanges(clock: Pick<Clock, 'sleep'>, disclosure: Disclosure): RecentChanges {
  const reread = createReread<string, ItemChange>(clock);
  return ({ account, history }, domain, lastRun) =>
    reread(`${account}\n${domain}`, lastRun, async () => {
      const changes: ItemChange[] = [];
      for await (const item of readItems(history, { domain })) {
        const { run, at } = item.entry;
        changes.push({ run, at: Date.parse(at), line: itemLine(item, disclosure) });
        if (changes.length === MOST_CHANGES) break;
      }
      return changes;
    });
}

type Reread<Key, Row> = (
  key: Key,
  lastRun: string | null,
  read: () => Promise<readonly Row[]>,
) => Promise<readonly Row[]>;

function createReread<Key, Row>(clock: Pick<Clock, 'sleep'>): Reread<Key, Row> {
  const known = new Map<Key, Known<Row>>();
  return (key, lastRun, read) => {
    let own = known.get(key);
    if (own?.lastRun !== lastRun) own = { lastRun, rows: read(), before: own?.rows ?? null };
    known.delete(key);
    known.set(key, own);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    const { rows, before } = own;
    return before === null ? rows : Promise.race([rows, clock.sleep(LONGEST_WAIT_MS).then(() => before)]);
  };
}

async function readLastRuns(account: string, history: HistoryStore): Promise<readonly RunRow[]> {
  const rows: RunRow[] = [];
  for await (const run of readRuns(history)) {
    rows.push(runRow(account, run));
    if (rows.length === MOST_RUNS) break;
  }
  return rows;
}

/** Returns one run with its changes; null if no history has it. */
export async function findRun(
  id: string,
  histories: readonly AccountHistory[],
  disclosure: Disclosure,
): Promise<RunDetail | null> {
  for (const { account, history } of histories) {
    for await (const { items: sent, ...run } of readRunsWithItems(history, { run: id })) {
      const shown = Map.groupBy(sent.slice(0, MOST_ITEMS), ({ entry }) => entry.domain);
      const domains = [...shown].map(([domain, some]) => {
        return { domain, lines: some.map((item) => itemLine(item, disclosure)) };
      });
      return { ...runRow(account, run), domains, more: Math.max(0, sent.length - MOST_ITEMS) };
    }
  }
  return null;
}

const NONE = { added: 0, updated: 0, moved: 0, deleted: 0, failed: 0 };

function runRow(account: string, { start, end }: RecordedRun): RunRow {
  const { run: id, at, command, host, user, actor, commit } = start;
  const { added, updated, moved, deleted, failed } = end?.summary ?? NONE;
  return {
    id,
    account,
    at: Date.parse(at),
    command,
    by: actor === null ? `${user ?? 'unknown user'} on ${host}` : `${actor.name} (${actor.ci})`,
    commit: commit === null ? null : `${commit.sha.slice(0, 10)}${commit.dirty ? ' (dirty)' : ''}`,
    outcome: end?.outcome ?? null,
    counts: { add: added, update: updated, move: moved, delete: deleted },
    failed,
  };
}

function itemLine({ entry, result }: RecordedItem, { mask }: Disclosure): DiffLine {
  const document = historyItemDocument(entry, mask);
  const { action, kind, name, source } = document;
  const outcome = result === null ? 'result not known' : result.outcome.replace('-', ' ');
  const said = result?.message ?? null;
  return {
    action,
    kind,
    name: kind === 'domain' ? '' : name,
    text: describeHistoryItem(document),
    note: outcome === 'done' ? '' : `${outcome}${said === null ? '' : `: ${said}`}`,
    place: placeText(source),
  };
}
