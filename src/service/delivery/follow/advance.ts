import type { LogEntry } from '../../../client/logs/logs.ts';
import { isForUnknownName, type CountedMessage } from '../tally.ts';
import type { FollowMemory, FollowTotals, OpenMessage } from './follow-memory.ts';

/**
 * The order of entries within one second is not documented, and an entry may appear late, so the latest entries are read
 * again.
 */
export const OVERLAP_MS = 60_000;
const RECHECK_MS = 60_000;
const LONGEST_RECHECK_MS = 6 * 3_600_000;
/** Time to wait for the end of a message. */
const OPEN_MS = 5 * 86_400_000;

export interface AdvanceOptions {
  /** Returns the message of an entry of the page; null means that it does not count. */
  readonly messageOf: (entry: LogEntry) => CountedMessage | null;
  readonly now: number;
  /** Number of messages that may still be added to the open ones. */
  readonly room: number;
  /**
   * `open` counts only messages that were open. It is for a page that is not the next one of a walk and has entries counted
   * before.
   */
  readonly counts: 'all' | 'open';
  /** Cursor of the page. null means that it began at the newest entry. */
  readonly cursor: string | null;
}

/** The result of counting a page of the logs. */
export interface Advanced {
  readonly memory: FollowMemory;
  /** Messages that have ended. */
  readonly ended: readonly CountedMessage[];
  /** Number of messages that should stay open, but have no room. */
  readonly dropped: number;
}

/** Counts the new entries of a page, and its entries that were open. */
export function countPage(
  before: FollowMemory,
  entries: readonly LogEntry[],
  options: AdvanceOptions,
): Advanced {
  const passed = passedIds(before);
  const page: PageCount = {
    open: new Map(before.open.map((one) => [one.id, one])),
    totals: { ...before.totals },
    ended: [],
    room: options.room,
    dropped: 0,
  };
  let listedBefore = options.cursor;
  for (const entry of entries) {
    const isNew = options.counts === 'all' && !passed.has(entry.id);
    passed.add(entry.id);
    if (isNew || page.open.has(entry.id)) countEntry(page, entry, listedBefore, options);
    listedBefore = entry.id;
  }
  const { totals, open, ended, dropped } = page;
  return { memory: { ...before, totals, open: [...open.values()] }, ended, dropped };
}

interface PageCount {
  readonly open: Map<string, OpenMessage>;
  readonly totals: { -readonly [K in keyof FollowTotals]: number };
  readonly ended: CountedMessage[];
  room: number;
  dropped: number;
}

function countEntry(
  page: PageCount,
  entry: LogEntry,
  listedBefore: string | null,
  options: AdvanceOptions,
): void {
  const { open, totals, ended } = page;
  const waiting = open.get(entry.id);
  open.delete(entry.id);
  const message = options.messageOf(entry);
  if (message === null) return;
  const kept = keptOpen(entry, message, listedBefore ?? waiting?.before ?? null, options.now);
  if (kept !== null && (waiting !== undefined || page.room > 0)) {
    open.set(entry.id, kept);
    if (waiting === undefined) page.room -= 1;
    return;
  }
  if (kept !== null) page.dropped += 1;
  count(totals, message);
  ended.push(message);
}

/** Returns the ids of counted entries that may be listed again. */
function passedIds({ known, walk }: FollowMemory): Set<string> {
  const { head = [], lastPage = [] } = walk ?? {};
  return new Set([...[...known, ...head].map(([id]) => id), ...lastPage]);
}

/** Returns the message as open, or null if it has ended or is given up. */
function keptOpen(
  { id, createdAt }: LogEntry,
  { course }: CountedMessage,
  before: string | null,
  now: number,
): OpenMessage | null {
  const at = createdAt ?? now;
  if (!course.isOpen || at < now - OPEN_MS) return null;
  const fate = course.fate === 'soft' ? 'soft' : null;
  return { id, createdAt: at, fate, before, dueAt: now + pauseOf(at, now) };
}

function pauseOf(at: number, now: number): number {
  return Math.min(Math.max(now - at, RECHECK_MS), LONGEST_RECHECK_MS);
}

/** Postpones a message that was not reached, so that others get their turn first. */
export function putOff(memory: FollowMemory, { id }: OpenMessage, now: number): FollowMemory {
  const open = memory.open.map((one) => {
    return one.id === id ? { ...one, dueAt: now + pauseOf(one.createdAt, now) } : one;
  });
  return { ...memory, open };
}

function count(totals: PageCount['totals'], message: CountedMessage): void {
  const { fate } = message.course;
  if (isForUnknownName(message)) totals.unknownNames += 1;
  else if (fate !== null) totals[fate] += 1;
}

/** Gives up messages that are no longer listed, or that have waited too long. Each counts with its last fate. */
export function giveUp(memory: FollowMemory, isGivenUp: (one: OpenMessage) => boolean): FollowMemory {
  const given = memory.open.filter(isGivenUp);
  if (given.length === 0) return memory;
  const soft = memory.totals.soft + given.filter(({ fate }) => fate === 'soft').length;
  const open = memory.open.filter((one) => !isGivenUp(one));
  return { ...memory, totals: { ...memory.totals, soft }, open };
}

export function isOverdue(now: number): (one: OpenMessage) => boolean {
  return ({ createdAt }) => createdAt < now - OPEN_MS;
}

/** Returns the memory after a page of the walk was counted. `next` is null at the end of the walk. */
export function withPage(
  { walk, ...memory }: FollowMemory,
  entries: readonly LogEntry[],
  next: string | null,
): FollowMemory {
  const times = entries.map(({ id, createdAt }) => [id, createdAt ?? 0] as const);
  const headAt = Math.max(walk?.headAt ?? memory.at, ...times.map(([, at]) => at));
  const isClose = ([, at]: readonly [string, number]): boolean => at >= headAt - OVERLAP_MS;
  const head = [...new Map([...(walk?.head ?? []), ...times].filter(isClose))];
  if (next !== null) {
    const lastPage = entries.map(({ id }) => id);
    return { ...memory, walk: { cursor: next, headAt, head, lastPage } };
  }
  const known = [...new Map([...memory.known, ...head].filter(isClose))];
  return { ...memory, at: headAt, known, walk: null };
}
