import type { Commit, RunEntry } from '../../core/model/history/entries.ts';
import {
  joinDrift,
  joinItems,
  standingOf,
  type RecordedDrift,
  type RecordedItem,
} from '../state/history/recorded.ts';
import type { HistoryStore } from '../state/store.ts';
import { itemKey } from '../../core/kinds/item-key.ts';
import type { RunItem } from './run-items.ts';

/** The last change of an item since a run. */
export interface LaterChange {
  /** Position in the order of writing; the newest is 0. */
  readonly place: number;
  readonly at: string;
  /** null means that it was made outside fwdsync. */
  readonly run: RunEntry | null;
}

/** Later changes in the history, by item key and by history key. */
export type LaterChanges = ReadonlyMap<string, LaterChange>;

/**
 * Reads the changes that other runs and drift made since a run last wrote the item. The order of lines decides which
 * change is later, because the clocks of two machines differ.
 */
export async function readLaterChanges(
  history: HistoryStore,
  { run }: Pick<RunEntry, 'run'>,
): Promise<LaterChanges> {
  const runs = new Map<string, RunEntry>();
  const later: Found[] = [];
  const seen = new Set<string>();
  const [joinedItem, joinedDrift] = [joinItems(), joinDrift()];
  for await (const entry of history.read({})) {
    if (entry.entry === 'run') {
      if (entry.run === run) break;
      runs.set(entry.run, entry);
    }
    const change = joinedItem(entry) ?? joinedDrift(entry);
    if (change === null || !counts(change, run)) continue;
    const found = foundIn(change);
    if (found.run !== run) later.push({ ...found, keys: found.keys.filter((key) => !seen.has(key)) });
    for (const key of found.keys) seen.add(key);
  }
  return new Map(
    later.flatMap(({ keys, at, run }, place) =>
      keys.map((key) => [key, { place, at, run: runs.get(run ?? '') ?? null }]),
    ),
  );
}

/**
 * True unless the change may not have happened, which only a read of the account shows. The run's own items all
 * count.
 */
function counts(change: RecordedItem | RecordedDrift, run: string): boolean {
  return !('result' in change) || change.entry.run === run || standingOf(change) === 'done';
}

interface Found {
  readonly keys: readonly string[];
  readonly at: string;
  /** Null means outside fwdsync. */
  readonly run: string | null;
}

function foundIn(change: RecordedItem | RecordedDrift): Found {
  const { entry } = change;
  const [id, run] = 'result' in change ? [change.result?.id ?? entry.id, change.entry.run] : [entry.id, null];
  return { keys: [itemKey({ ...entry, id }), entry.keys[0] ?? ''], at: entry.at, run };
}

/** Returns the latest change of an item since the run wrote it; null means that the history has none. */
export function laterChangeOf(item: RunItem, later: LaterChanges): LaterChange | null {
  const found = [itemKey(item), item.key].flatMap((key) => later.get(key) ?? []);
  return found.sort((a, b) => a.place - b.place)[0] ?? null;
}

/** Describes who changed an item since, and when. */
export function describeLater(change: LaterChange | null): string {
  if (change === null) return 'it was changed outside fwdsync since';
  if (change.run === null) return `it was changed outside fwdsync since: seen ${change.at}`;
  const { run, command } = change.run;
  return `it was changed since by ${command} ${run} (${describeOrigin(change.run)})`;
}

/** Describes when, by whom and from which commit a run was made. */
export function describeOrigin({ at, user, host, actor, commit }: RunEntry): string {
  const who = actor === null ? `${user ?? 'an unknown user'} on ${host}` : `${actor.name} by ${actor.ci}`;
  return `${at}, ${who}${commit === null ? '' : `, ${describeCommit(commit)}`}`;
}

export function describeCommit({ sha, dirty }: Commit): string {
  return `commit ${sha.slice(0, 10)}${dirty ? ' with uncommitted changes' : ''}`;
}
