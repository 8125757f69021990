import { join } from 'node:path';
import type { Clock } from '../../../core/model/clock.ts';
import type { HistoryEntry, HistoryEntryAbout, HistorySubject } from '../../../core/model/history/entries.ts';
import { removeQuietly, replaceFile } from '../files.ts';
import { codeOf, describe, type OwnFiles } from '../own-files.ts';
import type { HistoryQuery, HistoryStore, StateFault } from '../store.ts';
import { createAppender } from './append.ts';
import {
  applyBounds,
  createPruning,
  HISTORY_BOUNDS,
  type HistoryBounds,
  type HistoryPart,
} from './bounds.ts';
import { dayFileName, dayOf, listDayFiles, nextDayFile } from './day-files.ts';
import { linesBackwards, linesWithout, type LineSearch } from './lines.ts';
import { parseEntry } from './parse-entry.ts';

export interface HistoryPlace {
  /** Directory of the history. */
  readonly directory: string;
  readonly files: OwnFiles;
  readonly clock: Clock;
  readonly bounds?: Partial<HistoryBounds> | undefined;
}

const DAY_MS = 86_400_000;

/** Opens the history of an account: files of JSON lines, one per day (UTC). It touches nothing before a method is called. */
export function openHistory({ directory, files, clock, bounds }: HistoryPlace): HistoryStore {
  const kept = { ...HISTORY_BOUNDS, ...bounds };
  const pruning = createPruning(kept);
  /** Length and latest time of the lines added since a file was last chosen. */
  let added = 0;
  let latest = '';
  const pathNow = async (): Promise<string> => {
    const now = clock.now();
    const isDue = pruning.isDue(now, added);
    const [newest] = await listDayFiles(files, directory, now);
    const next = nextDayFile(newest, { now, latestLine: latest });
    added = 0;
    latest = '';
    // If a file cannot be removed, it stays. Nothing depends on its removal.
    if (isDue) await prune({ directory, files }, kept, now).catch(() => undefined);
    return join(directory, dayFileName(next));
  };
  const append = createAppender(files, pathNow);
  return {
    append(entries, durability) {
      const text = entries.map(lineOf).join('');
      added += text.length;
      for (const { at } of entries) if (at > latest) latest = at;
      return append(text, durability);
    },
    read: (query) => read({ directory, files, clock }, query),
  };
}

function lineOf(entry: HistoryEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

async function prune(
  { directory, files }: Pick<HistoryPlace, 'directory' | 'files'>,
  bounds: HistoryBounds,
  now: number,
): Promise<void> {
  const pathOf = ({ id }: Pick<HistoryPart, 'id'>): string => join(directory, dayFileName(id));
  const parts: HistoryPart[] = [];
  for (const { order: id, day } of (await listDayFiles(files, directory, now)).toReversed())
    parts.push({ id, day, bytes: await files.size(pathOf({ id })) });
  const remove = (part: HistoryPart): Promise<void> => removeQuietly(files, pathOf(part));
  await applyBounds({ parts, remove, dropDrift: (part) => dropDrift(files, pathOf(part)) }, bounds, now);
}

/** Removes drift from a file. Returns its remaining size. */
async function dropDrift(files: OwnFiles, path: string): Promise<number> {
  const file = await files.openToRead(path);
  try {
    await replaceFile(files, path, linesWithout(file, '{"entry":"drift'));
  } finally {
    await file.close();
  }
  return files.size(path);
}

async function* read<S extends HistorySubject>(
  { directory, files, clock }: Pick<HistoryPlace, 'directory' | 'files' | 'clock'>,
  query: HistoryQuery<S>,
): AsyncGenerator<HistoryEntryAbout<S>> {
  const first = firstDay(query);
  const isAsked = createFilter(query);
  const fault = await files.fault(directory);
  if (fault !== null) query.onFault?.({ message: fault });
  for (const { order, day } of await listDayFiles(files, directory, clock.now())) {
    if (day < first) return;
    const path = join(directory, dayFileName(order));
    for await (const line of linesOf({ path, files }, query)) {
      const entry = parseEntry(line);
      if (entry === null) query.onFault?.(damaged(path));
      else if (isAsked(entry)) yield entry;
    }
  }
}

/** Returns the day before: a version before this one wrote after midnight to its file where the clock was set back. */
function firstDay({ since }: HistoryQuery<HistorySubject>): string {
  return since === undefined ? '' : dayOf(Date.parse(since) - DAY_MS);
}

/** Yields the matching lines of a file. A file that was removed meanwhile has none. */
async function* linesOf<S extends HistorySubject>(
  { path, files }: { readonly path: string; readonly files: OwnFiles },
  query: HistoryQuery<S>,
): AsyncGenerator<string> {
  try {
    const file = await files.openToRead(path);
    try {
      yield* linesBackwards(file, searchOf(query));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      query.onFault?.({ message: `${path} cannot be read: ${describe(error)}` });
    }
  }
}

const MOST_SET_BACK_MS = 3_600_000;
/** The beginning of each line. A line that begins differently is damaged. */
const HEAD = /^\{"entry":"([^"]*)","at":"([^"]*)"/;

function searchOf(query: HistoryQuery<HistorySubject>): LineSearch {
  const { since, stopsEarly } = query;
  const reach =
    since === undefined || stopsEarly === undefined
      ? ''
      : new Date(Date.parse(since) - MOST_SET_BACK_MS).toISOString();
  return {
    needles: needlesOf(query),
    mayMatch(head) {
      const [, entry, at] = HEAD.exec(head) ?? [];
      return entry === undefined || at === undefined || isAbout({ entry, at }, query);
    },
    isBeforeRange(head) {
      const [, entry = '', at = ''] = HEAD.exec(head) ?? [];
      // The time in other entries may be earlier than the time of writing.
      return entry.startsWith('item') && at < reach;
    },
  };
}

/**
 * Returns texts of which each matching line contains at least one, as rare as possible. They contain quotes, which would be
 * escaped within a JSON text.
 */
function needlesOf({ about, run, domain, keys }: HistoryQuery<HistorySubject>): readonly string[] {
  if (keys !== undefined) return keys.map((key) => JSON.stringify(key));
  if (run !== undefined) return [`"run":${JSON.stringify(run)}`];
  if (domain !== undefined) return [JSON.stringify(`${domain}\n`).slice(0, -1)];
  return [`"entry":"${about ?? ''}`];
}

function isAbout(
  { entry, at }: { readonly entry: string; readonly at: string },
  { about, since = '', until = '9999' }: HistoryQuery<HistorySubject>,
): boolean {
  return entry.startsWith(about ?? '') && at >= since && at <= until;
}

function createFilter<S extends HistorySubject>(
  query: HistoryQuery<S>,
): (entry: HistoryEntry) => entry is HistoryEntryAbout<S> {
  const { run, runs, domain, keys } = query;
  const isOfRun = (own: string | null): boolean =>
    (run === undefined || own === run) && (runs === undefined || (own !== null && runs.includes(own)));
  const isInPlace = (own: readonly string[]): boolean =>
    (keys === undefined || keys.some((key) => own.includes(key))) &&
    (domain === undefined || own.some((key) => key.startsWith(`${domain}\n`)));
  return (entry): entry is HistoryEntryAbout<S> => {
    if (!isAbout(entry, query)) return false;
    if (!isOfRun('run' in entry ? entry.run : null)) return false;
    return isInPlace('keys' in entry ? entry.keys : []);
  };
}

function damaged(path: string): StateFault {
  return { message: `${path} has a line that cannot be read; it is left out` };
}
