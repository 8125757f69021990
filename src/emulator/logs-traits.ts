import type { LogEntry } from './model.ts';

/** What entries are listed by; a trait is one of these and its value. */
export type TraitKind = 'alias' | 'sender' | 'recipient' | 'forward' | 'transport' | 'status';

/** A test of entries; those that pass are exactly those of its trait, if it has one. */
export interface LogTest {
  readonly trait?: string | undefined;
  readonly holds: (entry: LogEntry) => boolean;
}

/** Case does not count in names and addresses (v4: Email logs). */
export function traitOf(kind: TraitKind, value: string): string {
  return `${kind} ${value.toLowerCase()}`;
}

/** All that an entry is listed by. */
export function traitsOf(entry: LogEntry): readonly string[] {
  const statuses = new Set(entry.events.map(({ status }) => status));
  return [
    traitOf('alias', entry.alias),
    traitOf('sender', entry.sender.email),
    traitOf('recipient', entry.recipient.email),
    ...(entry.forward === null ? [] : [traitOf('forward', entry.forward.email)]),
    traitOf('transport', entry.transport),
    ...[...statuses].map((status) => traitOf('status', status)),
  ];
}

/** The log of one alias. */
export function aliasTest(name: string): LogTest {
  const alias = name.toLowerCase();
  return { trait: traitOf('alias', alias), holds: (entry) => entry.alias === alias };
}
