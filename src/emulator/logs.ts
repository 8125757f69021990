import { addToVocabulary, createVocabulary, searchVocabulary } from './logs-vocabulary.ts';
import { createLogId } from './logs-events.ts';
import { forgetBitmap } from './logs-bitmaps.ts';
import { countSource, sourceOf, walkSource, type Source } from './logs-source.ts';
import { COURSE_TRAITS, textOf, traitsOf, type LogTest } from './logs-traits.ts';
import type { LogEntry, Mailbox } from './model.ts';
import {
  createIndex,
  dropFirst,
  insertInto,
  positionOf,
  walk,
  type Direction,
  type Range,
  type SortedIndex,
} from './sorted.ts';
import { takeSequence, type DomainRecord, type LogTable, type State } from './state.ts';

/** Which entries are meant. Times are epoch milliseconds: received at `from` or later, and before `until`. */
export interface LogFilter {
  readonly from: number;
  readonly until: number;
  readonly tests: readonly LogTest[];
}

export interface LogQuery {
  readonly filter: LogFilter;
  readonly direction: Direction;
  readonly limit: number;
  /** Where the page starts: at the entry of this id, or after it. */
  readonly cursor?: { readonly id: string; readonly place: 'at' | 'after' } | undefined;
  /** Scripted: moves the page by so many entries. */
  readonly shift: number;
}

export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** The entry that comes after the page. */
  readonly next: LogEntry | undefined;
}

export interface LogSearch {
  readonly query: string;
  readonly filter: LogFilter;
  readonly order: 'relevance' | 'created_desc' | 'created_asc';
}

export type NewLog = Omit<LogEntry, 'id' | 'sequence' | 'messageId' | 'alias'> & {
  readonly id?: string | undefined;
  readonly messageId?: string | undefined;
  /** The alias that took the mail; without one, the name that it was addressed to. */
  readonly alias?: string | undefined;
};

const DAY = 86_400_000;
/** To look through so many entries takes a fraction of a millisecond. */
const SCANNED = 2000;
const MAX_CORRESPONDENTS = 10_000;
const compare = (a: LogEntry, b: LogEntry): number => a.createdAt - b.createdAt || a.sequence - b.sequence;

export function createLogTable({ scanned }: Pick<LogTable, 'scanned'> = { scanned: SCANNED }): LogTable {
  return {
    byId: new Map(),
    inCreatedOrder: createIndex(compare, textOf),
    byTrait: new Map(),
    scanned,
    marked: new Set(),
    correspondents: new Map(),
    vocabulary: undefined,
  };
}

/** Leaves an entry in the log of a domain. */
export function insertLog(state: State, domain: DomainRecord, fields: NewLog): LogEntry {
  const { logs } = domain;
  const sequence = takeSequence(state);
  const id = fields.id ?? createLogId(state.environment.randomId(), logs.byId, sequence);
  const addressed = localPart(fields.recipient.email);
  const entry: LogEntry = {
    id,
    sequence,
    createdAt: fields.createdAt,
    events: fields.events,
    forward: fields.forward === null ? null : shared(logs, fields.forward),
    hostname: fields.hostname,
    messageId: fields.messageId ?? id,
    recipient: shared(logs, fields.recipient),
    sender: shared(logs, fields.sender),
    subject: fields.subject,
    transport: fields.transport,
    alias: state.switches.aliasLogs === 'taken' ? (fields.alias?.toLowerCase() ?? addressed) : addressed,
  };
  logs.byId.set(id, entry);
  insertInto(logs.inCreatedOrder, entry);
  listByTraits(logs, entry);
  state.unready.add(domain);
  if (logs.vocabulary !== undefined) addToVocabulary(logs.vocabulary, entry);
  return entry;
}

/** The log without what is older than the account keeps it. */
export function currentLogs(state: State, { logs }: DomainRecord): LogTable {
  const oldest = state.environment.now() - state.account.email_log_retention_days * DAY;
  const count = positionOf(logs.inCreatedOrder, (entry) => entry.createdAt < oldest);
  if (count === 0) return logs;
  dropOldest(logs, count);
  if (logs.vocabulary !== undefined) logs.vocabulary.stale += count;
  if ((logs.vocabulary?.stale ?? 0) > logs.inCreatedOrder.size) logs.vocabulary = undefined;
  return logs;
}

/** undefined when the cursor names no entry, and `unknownLogCursor` refuses that. */
export function listLogs(state: State, domain: DomainRecord, query: LogQuery): LogPage | undefined {
  const logs = currentLogs(state, domain);
  const cursor = query.cursor === undefined ? undefined : logs.byId.get(query.cursor.id);
  if (query.cursor !== undefined && cursor === undefined) return unknownCursorPage(state, domain, query);
  const source = sourceOf(logs, query.filter.tests);
  if (query.shift !== 0) return shiftedPage(source, query, cursor);
  const entries: LogEntry[] = [];
  for (const entry of walkSource(source, pageRange(source.index, query, cursor), query.direction)) {
    if (entries.length === query.limit) return { entries, next: entry };
    entries.push(entry);
  }
  return { entries, next: undefined };
}

/** Scripted: the page begins so many entries further on, or earlier, than it should. */
function shiftedPage(source: Source, query: LogQuery, cursor: LogEntry | undefined): LogPage {
  const { filter, direction, limit, shift } = query;
  const all = [...walkSource(source, rangeOf(source.index, filter), direction)];
  const unmoved = [...walkSource(source, pageRange(source.index, query, cursor), direction)].length;
  const start = Math.max(0, all.length - unmoved + shift);
  return { entries: all.slice(start, start + limit), next: all[start + limit] };
}

function unknownCursorPage(state: State, domain: DomainRecord, query: LogQuery): LogPage | undefined {
  switch (state.switches.unknownLogCursor) {
    case 'refuse':
      return undefined;
    case 'first-page':
      return listLogs(state, domain, { ...query, cursor: undefined });
    case 'empty':
      return { entries: [], next: undefined };
  }
}

export function countLogs(state: State, domain: DomainRecord, filter: LogFilter): number {
  const source = sourceOf(currentLogs(state, domain), filter.tests);
  return countSource(source, rangeOf(source.index, filter));
}

/** All entries that a search finds, best first or by time. */
export function searchLogs(state: State, domain: DomainRecord, search: LogSearch): readonly LogEntry[] {
  const byScore = hitsByScore(state, currentLogs(state, domain), search);
  if (search.order === 'relevance') {
    const scores = [...byScore.keys()].sort((a, b) => b - a);
    return scores.flatMap((score) => byScore.get(score)?.sort(compare).reverse() ?? []);
  }
  const hits = [...byScore.values()].flat().sort(compare);
  return search.order === 'created_asc' ? hits : hits.reverse();
}

function hitsByScore(
  { switches }: State,
  logs: LogTable,
  { query, filter }: LogSearch,
): ReadonlyMap<number, LogEntry[]> {
  const { inCreatedOrder } = logs;
  logs.vocabulary ??= createVocabulary(
    walk(inCreatedOrder, { from: 0, to: inCreatedOrder.size }, 'ascending'),
  );
  // The vocabulary may still hold entries that are too old.
  const from = Math.max(filter.from, inCreatedOrder.pieces[0]?.[0]?.createdAt ?? Infinity);
  const isMeant = (entry: LogEntry): boolean =>
    entry.createdAt >= from &&
    entry.createdAt < filter.until &&
    filter.tests.every(({ holds }) => holds(entry));
  const byScore = new Map<number, LogEntry[]>();
  for (const [entry, score] of searchVocabulary(logs.vocabulary, query, switches)) {
    if (!isMeant(entry)) continue;
    const equals = byScore.get(score) ?? [];
    if (equals.length === 0) byScore.set(score, equals);
    equals.push(entry);
  }
  return byScore;
}

function shared({ correspondents }: LogTable, mailbox: Mailbox): Mailbox {
  const known = correspondents.get(mailbox.email);
  if (known?.name === mailbox.name) return known;
  if (correspondents.size >= MAX_CORRESPONDENTS) correspondents.clear();
  correspondents.set(mailbox.email, mailbox);
  return mailbox;
}

function listByTraits(logs: LogTable, entry: LogEntry): void {
  for (const trait of traitsOf(entry)) {
    const index = logs.byTrait.get(trait) ?? addIndex(logs, trait);
    insertInto(index, entry);
    if (index.size === logs.scanned + 1) logs.marked.add(index);
  }
}

function addIndex({ byTrait, marked }: LogTable, trait: string): SortedIndex<LogEntry> {
  const index = createIndex(compare);
  byTrait.set(trait, index);
  if (COURSE_TRAITS.has(trait)) marked.add(index);
  return index;
}

/** Those that it keeps no longer: the first of every index that they are in. */
function dropOldest(logs: LogTable, count: number): void {
  const dropped = new Map<string, number>();
  for (const entry of walk(logs.inCreatedOrder, { from: 0, to: count }, 'ascending')) {
    logs.byId.delete(entry.id);
    for (const trait of traitsOf(entry)) dropped.set(trait, (dropped.get(trait) ?? 0) + 1);
  }
  dropFirst(logs.inCreatedOrder, count);
  for (const [trait, ofTrait] of dropped) {
    const index = logs.byTrait.get(trait);
    if (index === undefined) continue;
    dropFirst(index, ofTrait);
    if (index.size > 0) continue;
    logs.byTrait.delete(trait);
    forgetBitmap(logs, index);
  }
}

function pageRange(index: SortedIndex<LogEntry>, query: LogQuery, cursor: LogEntry | undefined): Range {
  const { from, to } = rangeOf(index, query.filter);
  const isAscending = query.direction === 'ascending';
  const isPastCursor = isAscending === (query.cursor?.place === 'after');
  const at = (end: number): number => {
    if (cursor === undefined) return end;
    return positionOf(index, (entry) => compare(entry, cursor) < (isPastCursor ? 1 : 0));
  };
  return isAscending ? { from: Math.max(from, at(0)), to } : { from, to: Math.min(to, at(index.size)) };
}

function rangeOf(index: SortedIndex<LogEntry>, { from, until }: LogFilter): Range {
  return {
    from: positionOf(index, (entry) => entry.createdAt < from),
    to: positionOf(index, (entry) => entry.createdAt < until),
  };
}

/** The name that an address was sent to, without a plus label, in lower case. */
function localPart(address: string): string {
  const at = address.lastIndexOf('@');
  const local = at === -1 ? address : address.slice(0, at);
  return local.toLowerCase().replace(/(?<=.)\+.*$/su, '');
}
