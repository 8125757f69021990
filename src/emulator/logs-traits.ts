import { LOG_STATUSES, LOG_TRANSPORTS } from './logs-events.ts';
import type { LogEntry, LogStatus, LogTransport } from './model.ts';

/** What entries are listed by; a trait is one of these and its value. */
export type TraitKind = 'alias' | 'sender' | 'recipient' | 'forward' | 'course';

/** A test of entries; if it has traits, those that pass are those that have one of them, and none has two. */
export interface LogTest {
  readonly traits?: readonly string[] | undefined;
  /** In lower case; the text of those that pass has it, and seldom that of others. */
  readonly containing?: string | undefined;
  readonly holds: (entry: LogEntry) => boolean;
}

/** Case does not count in names and addresses (v4: Email logs). */
export function traitOf(kind: TraitKind, value: string): string {
  return `${kind} ${value.toLowerCase()}`;
}

/** All that an entry is listed by. */
export function traitsOf(entry: LogEntry): readonly string[] {
  return [
    traitOf('alias', entry.alias),
    traitOf('sender', entry.sender.email),
    traitOf('recipient', entry.recipient.email),
    ...(entry.forward === null ? [] : [traitOf('forward', entry.forward.email)]),
    // One for transport and statuses together: whatever is asked of these, the traits that meet it are disjoint.
    courseTrait(
      entry.transport,
      LOG_STATUSES.filter((status) => hasStatus(entry, [status])),
    ),
  ];
}

/** The log of one alias. */
export function aliasTest(name: string): LogTest {
  const alias = name.toLowerCase();
  return { traits: [traitOf('alias', alias)], holds: (entry) => entry.alias === alias };
}

/** Entries with this text, which is in lower case, in one of the fields that v3 looks at. */
export function textTest(text: string): LogTest {
  return {
    containing: text,
    holds: (entry) => fieldsOf(entry).some((field) => field.toLowerCase().includes(text)),
  };
}

/** What a filter by text looks at: a line for each field. */
export function textOf(entry: LogEntry): string {
  return fieldsOf(entry).join('\n');
}

function fieldsOf({ subject, sender, recipient, forward }: LogEntry): readonly string[] {
  return [subject, sender.email, recipient.email, forward?.email ?? ''];
}

/** What is asked of how a mail went: all of it if nothing is given. */
export interface Course {
  readonly transport?: LogTransport | undefined;
  /** It had one of them. */
  readonly statuses?: readonly string[] | undefined;
}

export function courseTest({ transport, statuses }: Course): LogTest {
  const meant = COURSES.filter(
    (course) =>
      (transport === undefined || course.transport === transport) &&
      (statuses === undefined || course.statuses.some((status) => statuses.includes(status))),
  );
  return {
    traits: meant.map(({ trait }) => trait),
    holds: (entry) =>
      (transport === undefined || entry.transport === transport) &&
      (statuses === undefined || hasStatus(entry, statuses)),
  };
}

/** All sets of statuses, each in the order of `LOG_STATUSES`. */
const STATUS_SETS = LOG_STATUSES.reduce<readonly (readonly LogStatus[])[]>(
  (sets, status) => [...sets, ...sets.map((set) => [...set, status])],
  [[]],
);

const COURSES = LOG_TRANSPORTS.flatMap((transport) =>
  STATUS_SETS.map((statuses) => ({ transport, statuses, trait: courseTrait(transport, statuses) })),
);

function courseTrait(transport: LogTransport, statuses: readonly LogStatus[]): string {
  return traitOf('course', `${transport} ${statuses.join()}`);
}

function hasStatus({ events }: LogEntry, wanted: readonly string[]): boolean {
  return events.some(({ status }) => wanted.includes(status));
}
