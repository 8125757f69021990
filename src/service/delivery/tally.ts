import type { LogEntry } from '../../client/logs/logs.ts';
import { localPartOf } from '../../core/model/names.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import { courseOf, countsOf, isForwarded, type Course, type FailedFate, type FateCounts } from './fates.ts';
import type { FindName, KnownName } from './known-names.ts';
import type { FindTaker, Taker } from './takers.ts';

/**
 * The counts of mail by one alias or rule at one destination, or of mail refused by one name. Texts are unchanged from the
 * logs.
 */
export interface DeliveryRow extends RowKey {
  readonly source: Source | null;
  readonly counts: FateCounts;
  /** Times of failed messages by fate, in epoch milliseconds. */
  readonly failedAt: Readonly<Record<FailedFate, readonly number[]>>;
  readonly lastError: DeliveryError | null;
  /** Senders of messages that failed, the newest first, at most five. */
  readonly senders: readonly string[];
}

/** `alias` and `rule` are null if the taker is unknown. `destination` is null if the mail was refused or dropped. */
export interface RowKey {
  readonly alias: string | null;
  readonly rule: string | null;
  readonly destination: string | null;
}

export interface DeliveryError {
  /** Epoch milliseconds; null if the log has no time. */
  readonly at: number | null;
  readonly code: number | null;
  readonly message: string;
}

/** One message of the logs, and the alias or rule that took it. */
export interface CountedMessage extends RowKey {
  readonly source: Source | null;
  readonly course: Course;
  /** Null means that the log has none. */
  readonly sender: string | null;
}

export interface Counting {
  /** Returns how to find takers at a time in epoch milliseconds. */
  readonly takerAt: (at: number) => FindTaker;
  readonly findName: FindName;
}

/**
 * Reads a message from a log entry. A message refused for an unknown name has neither alias nor rule. Returns null if the
 * mail was not forwarded, or if it was accepted to be dropped and will have no other events.
 */
export function readMessage(entry: LogEntry, counting: Counting): CountedMessage | null {
  if (!isForwarded(entry)) return null;
  const read = messageOf(entry, counting);
  return read === null ? null : { ...read, sender: entry.sender?.email || null };
}

type MessageCourse = Omit<CountedMessage, 'sender'>;

function messageOf(entry: LogEntry, { takerAt, findName }: Counting): MessageCourse | null {
  const course = courseOf(entry);
  const to = entry.recipient?.email ?? '';
  if (course.fate === 'refused') return refusedMessage(course, findName(localPartOf(to).toLowerCase()));
  const takerOf = takerAt(entry.createdAt ?? 0);
  const destination = entry.forward?.email || null;
  const { sender, subject } = entry;
  const taker = takerOf({ to, from: sender?.email ?? '', subject: subject ?? '', destination });
  return sentMessage(course, destination, taker);
}

function refusedMessage(course: Course, known: KnownName | null): MessageCourse {
  const { name, source } = known ?? { name: null, source: null };
  return { alias: name, rule: null, destination: null, source, course };
}

function sentMessage(course: Course, sentTo: string | null, taker: Taker | null): MessageCourse | null {
  const isDropped = sentTo === null && taker?.drops === true;
  if (isDropped && course.fate === null) return null;
  const destination = isDropped ? DISCARD_WORD : sentTo;
  if (taker === null) return { alias: null, rule: null, destination, source: null, course };
  const { kind, name, source } = taker;
  const by = kind === 'alias' ? { alias: name, rule: null } : { alias: null, rule: name };
  return { ...by, destination, source, course };
}

/** The manifest's word for it. */
const DISCARD_WORD = 'discard';

/** True if a message was refused for an unknown name. */
export function isForUnknownName({ course, alias }: Pick<CountedMessage, 'course' | 'alias'>): boolean {
  return course.fate === 'refused' && alias === null;
}

/** Adds up the messages of one domain. */
export interface Tally {
  add(message: CountedMessage): void;
  /** Returns the rows with at least one message. */
  rows(): readonly DeliveryRow[];
}

export function createTally(): Tally {
  const rows = new Map<string, GrowingRow>();
  return {
    add({ course, sender, ...whose }) {
      const { fate } = course;
      if (fate === null) return;
      const key = rowKey(whose);
      const row = rows.get(key) ?? startRow(whose);
      rows.set(key, row);
      row.counts[fate] += 1;
      if (fate === 'delivered') return;
      row.failedAt[fate].push(course.at ?? 0);
      row.lastError = laterError(row.lastError, errorOf(course));
      if (sender !== null) row.latest = withSender(row.latest, { sender, at: course.at ?? 0 });
    },
    rows: () =>
      Array.from(rows.values(), ({ latest, ...row }) => {
        return { ...row, senders: latest.map(({ sender }) => sender) };
      }),
  };
}

const MOST_SENDERS = 5;

interface FailedSender {
  readonly sender: string;
  readonly at: number;
}

/** Returns the latest senders, the newest first, each once. */
function withSender(latest: readonly FailedSender[], added: FailedSender): readonly FailedSender[] {
  const isSame = ({ sender }: FailedSender): boolean => sender.toLowerCase() === added.sender.toLowerCase();
  const at = Math.max(added.at, latest.find(isSame)?.at ?? added.at);
  return [...latest.filter((one) => !isSame(one)), { ...added, at }]
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MOST_SENDERS);
}

/** Returns the server's reply at the last event. */
export function errorOf({ at, event }: Course): DeliveryError {
  return { at, code: event?.code ?? null, message: event?.message ?? '' };
}

function laterError(a: DeliveryError | null, b: DeliveryError): DeliveryError {
  return a !== null && (a.at ?? 0) > (b.at ?? 0) ? a : b;
}

/** Returns the key that identifies a row in its domain. Case does not count, because readers do not tell cases apart. */
export function rowKey({ alias, rule, destination }: RowKey): string {
  return JSON.stringify([alias, rule, destination?.toLowerCase() ?? null]);
}

type GrowingRow = Omit<DeliveryRow, 'senders'> & {
  latest: readonly FailedSender[];
  readonly counts: Record<keyof FateCounts, number>;
  readonly failedAt: Record<FailedFate, number[]>;
  lastError: DeliveryError | null;
};

function startRow(row: RowKey & Pick<DeliveryRow, 'source'>): GrowingRow {
  const failedAt = { refused: [], soft: [], hard: [] };
  return { ...row, counts: countsOf({}), failedAt, lastError: null, latest: [] };
}
