import type { DriftEntry, ItemEntry, RunEntry } from '../../model/history/entries.ts';
import { readDrift, readItems, readRuns, standingOf } from '../../state/history/recorded.ts';
import type { HistoryStore } from '../../state/store.ts';
import { identityOf, type RunItem } from './run-items.ts';

/** The last change of an item since a run. */
export interface LaterChange {
  readonly at: string;
  /** Null: it was made outside fwdsync. */
  readonly run: RunEntry | null;
}

/** What the history has of later changes, by what an item is and by what it is found by. */
export type LaterChanges = ReadonlyMap<string, LaterChange>;

/** What other runs changed since a run, and what was found to be changed outside fwdsync. */
export async function readLaterChanges(
  history: HistoryStore,
  { run, at: since }: Pick<RunEntry, 'run' | 'at'>,
): Promise<LaterChanges> {
  const runs = new Map<string, RunEntry>();
  const later = new Map<string, LaterChange>();
  const note = (entry: ItemEntry | DriftEntry, change: LaterChange): void => {
    for (const key of [identityOf(entry), entry.keys[0] ?? '']) {
      if ((later.get(key)?.at ?? '') < change.at) later.set(key, change);
    }
  };
  for await (const { start } of readRuns(history, { since })) runs.set(start.run, start);
  for await (const { entry, result } of readItems(history, { since })) {
    // What may not have been done is seen by reading the account.
    if (entry.run === run || standingOf({ entry, result }) !== 'done') continue;
    const found = { ...entry, id: result?.id ?? entry.id };
    note(found, { at: entry.at, run: runs.get(entry.run) ?? null });
  }
  for await (const { entry } of readDrift(history, { since })) note(entry, { at: entry.at, run: null });
  return later;
}

/** The latest change of an item since the run wrote it; null: the history has none. */
export function laterChangeOf(item: RunItem, later: LaterChanges): LaterChange | null {
  const found = [identityOf(item), item.key].flatMap((key) => later.get(key) ?? []);
  return found.filter(({ at }) => at > item.at).sort((a, b) => (a.at < b.at ? 1 : -1))[0] ?? null;
}

/** Who changed an item since, and when. */
export function describeLater(change: LaterChange | null): string {
  if (change === null) return 'it was changed outside fwdsync since';
  if (change.run === null) return `it was changed outside fwdsync since: seen ${change.at}`;
  const { run, command } = change.run;
  return `it was changed since by ${command} ${run} (${describeOrigin(change.run)})`;
}

/** When, by whom and from which commit a run was made. */
export function describeOrigin({ at, user, host, actor, commit }: RunEntry): string {
  const who = actor === null ? `${user ?? 'somebody'} on ${host}` : `${actor.name} by ${actor.ci}`;
  const from =
    commit === null
      ? ''
      : `, commit ${shortSha(commit.sha)}${commit.dirty ? ' with uncommitted changes' : ''}`;
  return `${at}, ${who}${from}`;
}

export function shortSha(sha: string): string {
  return sha.slice(0, 10);
}
