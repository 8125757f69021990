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
  /** Beginning of the commit of the manifest; null: it is in no repository. */
  readonly commit: string | null;
  /** Null: it was killed, or goes on. */
  readonly outcome: string | null;
  readonly counts: Readonly<Record<Action, number>>;
  readonly failed: number;
}

export interface RunDetail extends RunRow {
  /** In the order in which they were sent, by domain. */
  readonly domains: readonly { readonly domain: string; readonly lines: readonly DiffLine[] }[];
  /** How many items are not listed. */
  readonly more: number;
}

const MOST_RUNS = 8;
const MOST_CHANGES = 20;
/** Histories of accounts or domains of which the last rows are kept. */
const MOST_KNOWN = 1_000;
const MOST_ITEMS = 200;

/** The last runs of accounts, the newest first. `lastRun`: names the last run of each, written or not. */
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

/** Gives the last changes of a domain, the newest first. `lastRun`: the last run of its account, written or not. */
export type RecentChanges = (
  history: AccountHistory,
  domain: DomainName,
  lastRun: string | null,
) => Promise<readonly ItemChange[]>;

interface Known<Row> {
  readonly lastRun: string | null;
  readonly rows: Promise<readonly Row[]>;
  /** What was read before that; null: nothing was. */
  readonly before: Promise<readonly Row[]> | null;
}

/** A page waits so long for what is new; what was read before is shown until then. */
const LONGEST_WAIT_MS = 50;

/** A history may be large: each is read again only when its account has run since. */
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

/** Reads the changes of a domain as the runs of an account are read: again when the account has run since. */
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

/** One run with what it changed; null: no history knows it. */
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
