import { createLogId } from './logs-events.ts';
import { searchEntries } from './logs-search.ts';
import type { LogTest } from './logs-tests.ts';
import type { MailLog } from '../account/model.ts';
import { createIndex, insertInto, type Direction } from '../index/sorted.ts';
import { takeSequence, type DomainRecord, type LogTable, type State } from '../account/state.ts';

/** Which entries are meant. Times are epoch milliseconds: received at `from` or later, and before `until`. */
export interface MailFilter {
  readonly from: number;
  readonly until: number;
  readonly tests: readonly LogTest[];
}

export interface MailListing {
  readonly filter: MailFilter;
  readonly direction: Direction;
  readonly limit: number;
  /** Where the page starts: at the entry of this id, or after it. */
  readonly cursor?: { readonly id: string; readonly place: 'at' | 'after' } | undefined;
  /** Scripted: moves the page by so many entries. */
  readonly shift: number;
}

export interface MailPage {
  readonly entries: readonly MailLog[];
  /** The entry that comes after the page. */
  readonly next: MailLog | undefined;
}

export interface MailSearch {
  readonly query: string;
  readonly filter: MailFilter;
  readonly order: 'relevance' | 'created_desc' | 'created_asc';
}

export type NewLog = Omit<MailLog, 'id' | 'sequence' | 'messageId' | 'alias'> & {
  readonly id?: string | undefined;
  readonly messageId?: string | undefined;
  /** The alias that took the mail; without one, the name that it was addressed to. */
  readonly alias?: string | undefined;
};

const DAY = 86_400_000;
const compare = (a: MailLog, b: MailLog): number => a.createdAt - b.createdAt || a.sequence - b.sequence;

export function createLogTable(): LogTable {
  return { byId: new Map(), inCreatedOrder: createIndex(compare) };
}

/** Leaves an entry in the log of a domain. */
export function insertLog(state: State, { logs }: DomainRecord, fields: NewLog): MailLog {
  const sequence = takeSequence(state);
  const id = fields.id ?? createLogId(state.environment.randomId(), logs.byId, sequence);
  const addressed = localPart(fields.recipient.email);
  const entry: MailLog = {
    ...fields,
    id,
    sequence,
    messageId: fields.messageId ?? id,
    alias: state.switches.aliasLogs === 'taken' ? (fields.alias?.toLowerCase() ?? addressed) : addressed,
  };
  logs.byId.set(id, entry);
  insertInto(logs.inCreatedOrder, entry);
  return entry;
}

/** The log without what is older than the account keeps it. */
export function currentLogs(state: State, { logs }: DomainRecord): LogTable {
  const oldest = state.environment.now() - state.account.email_log_retention_days * DAY;
  const { items } = logs.inCreatedOrder;
  const kept = items.findIndex(({ createdAt }) => createdAt >= oldest);
  for (const { id } of items.splice(0, kept === -1 ? items.length : kept)) logs.byId.delete(id);
  return logs;
}

/** undefined when the cursor names no entry, and `unknownLogCursor` refuses that. */
export function listLogs(state: State, domain: DomainRecord, query: MailListing): MailPage | undefined {
  const logs = currentLogs(state, domain);
  const { cursor, direction, limit, shift } = query;
  const at = cursor === undefined ? undefined : logs.byId.get(cursor.id);
  if (cursor !== undefined && at === undefined) return unknownCursorPage(state, domain, query);
  const { items } = logs.inCreatedOrder;
  const ordered = direction === 'ascending' ? items : items.toReversed();
  const from = at === undefined ? 0 : ordered.indexOf(at) + (cursor?.place === 'after' ? 1 : 0);
  const isMeant = meantBy(query.filter);
  if (shift === 0) {
    const entries = ordered
      .slice(from)
      .values()
      .filter(isMeant)
      .take(limit + 1)
      .toArray();
    return { entries: entries.slice(0, limit), next: entries[limit] };
  }
  const start = Math.max(0, ordered.slice(0, from).filter(isMeant).length + shift);
  const meant = ordered.filter(isMeant);
  return { entries: meant.slice(start, start + limit), next: meant[start + limit] };
}

function unknownCursorPage(state: State, domain: DomainRecord, query: MailListing): MailPage | undefined {
  switch (state.switches.unknownLogCursor) {
    case 'refuse':
      return undefined;
    case 'first-page':
      return listLogs(state, domain, { ...query, cursor: undefined });
    case 'empty':
      return { entries: [], next: undefined };
  }
}

export function countLogs(state: State, domain: DomainRecord, filter: MailFilter): number {
  return meantEntries(currentLogs(state, domain), filter).length;
}

/** All entries that a search finds, best first or by time. */
export function searchLogs(state: State, domain: DomainRecord, search: MailSearch): readonly MailLog[] {
  const meant = meantEntries(currentLogs(state, domain), search.filter);
  const newestFirst = searchEntries(meant, search.query, state.switches).toReversed();
  const hits = search.order === 'relevance' ? newestFirst.toSorted((a, b) => b.score - a.score) : newestFirst;
  const entries = hits.map(({ entry }) => entry);
  return search.order === 'created_asc' ? entries.reverse() : entries;
}

/** In order of time. */
function meantEntries({ inCreatedOrder }: LogTable, filter: MailFilter): readonly MailLog[] {
  return inCreatedOrder.items.filter(meantBy(filter));
}

function meantBy({ from, until, tests }: MailFilter): (entry: MailLog) => boolean {
  return (entry) =>
    entry.createdAt >= from && entry.createdAt < until && tests.every((isMeant) => isMeant(entry));
}

/** The name that an address was sent to, without a plus label, in lower case. */
function localPart(address: string): string {
  const at = address.lastIndexOf('@');
  const local = at === -1 ? address : address.slice(0, at);
  return local.toLowerCase().replace(/(?<=.)\+.*$/su, '');
}
