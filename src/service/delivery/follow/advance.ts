import type { LogEntry } from '../../../client/logs/logs.ts';
import { isForUnknownName, type CountedMessage } from '../tally.ts';
import type { FollowMemory, FollowTotals, OpenMessage } from './memory.ts';

/** Entries of one second have no order that is stated, and one may appear late: some that came before are read again. */
export const OVERLAP_MS = 60_000;
const RECHECK_MS = 60_000;
const LONGEST_RECHECK_MS = 6 * 3_600_000;
/** So long is waited for the end of a message. */
const OPEN_MS = 5 * 86_400_000;

export interface AdvanceOptions {
  /** Returns the message of an entry of the page; null means that it does not count. */
  readonly messageOf: (entry: LogEntry) => CountedMessage | null;
  readonly now: number;
  /** How many messages more may be kept open. */
  readonly room: number;
  /** `open`: the page is not the next one of a walk, and has what was counted before. */
  readonly counts: 'all' | 'open';
  /** Where the page began; null: at the newest entry. */
  readonly cursor: string | null;
}

/** What a page of the logs adds. */
export interface Advanced {
  readonly memory: FollowMemory;
  /** Messages that have come to their end. */
  readonly ended: readonly CountedMessage[];
  /** Messages that should be kept open, and for which there is no room. */
  readonly dropped: number;
}

/** Counts the entries of a page that are new, and those that were open. */
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

/** What was counted, as far as it may be listed again. */
function passedIds({ known, walk }: FollowMemory): Set<string> {
  const { head = [], lastPage = [] } = walk ?? {};
  return new Set([...[...known, ...head].map(([id]) => id), ...lastPage]);
}

/** Null: it is at its end, or given up. */
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

/** It was not reached; others have their turn first. */
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

/** Gives up what was listed no more, or waited for too long: it counts as what it was last. */
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

/** Where the walk stands once this page was counted; `next`: null at its end. */
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
