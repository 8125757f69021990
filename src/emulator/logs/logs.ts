import { searchEntries } from './logs-search.ts';
import type { MailEvent, MailLog } from '../account/model.ts';
import { takeSequence, type DomainRecord, type State } from '../account/state.ts';
import { byCreation, createTable } from '../account/table.ts';

/** A test of log entries. Case does not count in names and addresses (v4: Email logs). */
export type LogTest = (entry: MailLog) => boolean;

/** A filter of log entries. Times are epoch milliseconds: received at `from` or later, and before `until`. */
export interface MailFilter {
  readonly from: number;
  readonly until: number;
  readonly tests: readonly LogTest[];
}

export interface MailListing {
  readonly filter: MailFilter;
  readonly order: 'created_asc' | 'created_desc';
  readonly limit: number;
  /** Start of the page: at the entry with this id, or after it. */
  readonly cursor?: { readonly id: string; readonly place: 'at' | 'after' } | undefined;
  /** Number of entries by which a fault moves the page. */
  readonly shift: number;
}

export interface MailPage {
  readonly entries: readonly MailLog[];
  /** The first entry after the page. */
  readonly next: MailLog | undefined;
}

export interface MailSearch {
  readonly query: string;
  readonly filter: MailFilter;
  readonly order: 'relevance' | 'created_desc' | 'created_asc';
}

export type NewLog = Omit<MailLog, 'id' | 'sequence' | 'message_id' | 'alias'> & {
  readonly id?: string | undefined;
  readonly message_id?: string | undefined;
  /** The alias that took the mail. If there is none, the name that the mail was addressed to. */
  readonly alias?: string | undefined;
};

const DAY = 86_400_000;

export function createLogTable(): DomainRecord['logs'] {
  return createTable<MailLog, 'id', 'created'>({
    keys: { id: ({ id }) => id },
    letterCase: 'exact',
    orders: { created: byCreation },
  });
}

/** Adds an entry to the log of a domain. */
export function insertLog(state: State, { logs }: DomainRecord, fields: NewLog): MailLog {
  const sequence = takeSequence(state);
  const id = fields.id ?? freshId(state.environment.randomId(), logs, sequence);
  const addressed = localPart(fields.recipient.email);
  const entry: MailLog = {
    ...fields,
    id,
    sequence,
    message_id: fields.message_id ?? id,
    alias: state.switches.aliasLogs === 'taken' ? (fields.alias?.toLowerCase() ?? addressed) : addressed,
  };
  logs.insert(entry);
  return entry;
}

/** Appends an event to an entry. Event ids follow from the order. */
export function addLogEvent(entry: MailLog, event: MailEvent): void {
  // Entries with the same course share one list, so it is not changed in place.
  entry.events = [...entry.events, event];
}

/** Returns an id that is not taken, even if the source of random ids repeats itself. */
function freshId(random: string, logs: DomainRecord['logs'], sequence: number): string {
  const id = random.replaceAll('-', '');
  return logs.get(id) === undefined ? id : `${id}${sequence}`;
}

/** Returns the entries in order of time, without those older than the account's retention. */
export function currentLogs({ environment, account }: State, { logs }: DomainRecord): readonly MailLog[] {
  const oldest = environment.now() - account.email_log_retention_days * DAY;
  const entries = logs.inOrder('created');
  const kept = entries.findIndex(({ created_at }) => created_at >= oldest);
  if (kept === 0) return entries;
  return kept === -1 ? [] : entries.slice(kept);
}

/** Returns a page of the log. undefined means that the cursor names no entry and `unknownLogCursor` refuses it. */
export function listLogs(state: State, domain: DomainRecord, query: MailListing): MailPage | undefined {
  const entries = currentLogs(state, domain);
  const { cursor, order, limit, shift } = query;
  const ordered = order === 'created_asc' ? entries : entries.toReversed();
  const at = cursor === undefined ? 0 : ordered.indexOf(domain.logs.get(cursor.id) as MailLog);
  if (at === -1) return unknownCursorPage(state, domain, query);
  const from = cursor?.place === 'after' ? at + 1 : at;
  const isMeant = meantBy(query.filter);
  // The page is found without scanning all entries, because logs are long and clients that follow them ask often.
  const repeated = shift < 0 ? ordered.slice(0, from).filter(isMeant).slice(shift) : [];
  const following = ordered.slice(from).values().filter(isMeant);
  const found = [...repeated, ...following.drop(Math.max(0, shift)).take(limit + 1)];
  return { entries: found.slice(0, limit), next: found[limit] };
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
  return currentLogs(state, domain).filter(meantBy(filter)).length;
}

/** Returns all entries that a search finds, best first or by time. */
export function searchLogs(state: State, domain: DomainRecord, search: MailSearch): readonly MailLog[] {
  const meant = currentLogs(state, domain).filter(meantBy(search.filter));
  const newestFirst = searchEntries(meant, search.query, state.switches).toReversed();
  const hits = search.order === 'relevance' ? newestFirst.toSorted((a, b) => b.score - a.score) : newestFirst;
  const entries = hits.map(({ entry }) => entry);
  return search.order === 'created_asc' ? entries.reverse() : entries;
}

function meantBy({ from, until, tests }: MailFilter): (entry: MailLog) => boolean {
  return (entry) =>
    entry.created_at >= from && entry.created_at < until && tests.every((isMeant) => isMeant(entry));
}

/** Returns the local part of an address in lower case, without a plus label. */
function localPart(address: string): string {
  const at = address.lastIndexOf('@');
  const local = at === -1 ? address : address.slice(0, at);
  return local.toLowerCase().replace(/(?<=.)\+.*$/su, '');
}
