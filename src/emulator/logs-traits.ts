import { LOG_STATUSES, LOG_TRANSPORTS } from './logs-events.ts';
import type { LogEntry, LogTransport } from './model.ts';

/** What entries are listed by; a trait is one of these and its value. */
export type TraitKind = 'alias' | 'sender' | 'recipient' | 'forward' | 'transport' | 'status';

/** A test of entries; if it has traits, those that pass are those that have one of them. */
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
    ...COURSE_TESTS.filter(({ holds }) => holds(entry)).map(({ trait }) => trait),
  ];
}

/** The log of one alias. */
export function aliasTest(name: string): LogTest {
  const alias = name.toLowerCase();
  return { traits: [traitOf('alias', alias)], holds: (entry) => entry.alias === alias };
}

/** Case does not count (v4: Email logs). */
export function personTest(field: 'sender' | 'recipient' | 'forward', address: string): LogTest {
  const wanted = address.toLowerCase();
  return {
    traits: [traitOf(field, wanted)],
    holds: (entry) => entry[field]?.email.toLowerCase() === wanted,
  };
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

export function transportTest(transport: LogTransport): LogTest {
  return {
    traits: [traitOf('transport', transport)],
    holds: (entry) => entry.transport === transport,
  };
}

/** Entries that had one of the statuses. */
export function statusTest(statuses: readonly string[]): LogTest {
  return {
    traits: statuses.map((status) => traitOf('status', status)),
    holds: (entry) => hasStatus(entry, statuses),
  };
}

const COURSE_TESTS = [
  ...LOG_TRANSPORTS.map((transport) => ({
    trait: traitOf('transport', transport),
    ...transportTest(transport),
  })),
  ...LOG_STATUSES.map((status) => ({ trait: traitOf('status', status), ...statusTest([status]) })),
];

/** How a mail came and what became of it: few, of which a test may ask for several. */
export const COURSE_TRAITS: ReadonlySet<string> = new Set(COURSE_TESTS.map(({ trait }) => trait));

function hasStatus({ events }: LogEntry, wanted: readonly string[]): boolean {
  return events.some(({ status }) => wanted.includes(status));
}
