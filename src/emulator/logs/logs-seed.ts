import { eventsOf, MAIL_HOST } from './logs-events.ts';
import { insertLog } from './logs.ts';
import type { MailLog, MailEvent, MailStatus, MailTransport, Mailbox } from '../account/model.ts';
import { readTime, type SeedTime } from '../account/seed-time.ts';
import type { DomainRecord, State } from '../account/state.ts';

/**
 * An entry as v4 answers it. Only `sender` and `recipient` are required; without `events` it was delivered, or refused
 * where `forward` is null. An event may be its status alone.
 */
export interface SeedLog {
  readonly id?: string | undefined;
  readonly created_at?: SeedTime | undefined;
  readonly sender: SeedMailbox;
  readonly recipient: SeedMailbox;
  readonly forward?: SeedMailbox | null | undefined;
  readonly subject?: string | undefined;
  readonly transport?: MailTransport | undefined;
  readonly hostname?: string | undefined;
  readonly message_id?: string | undefined;
  /** The alias that took it; default: the name that it was addressed to. */
  readonly alias?: string | undefined;
  readonly events?: readonly SeedLogEvent[] | undefined;
}

/** An address, or address and name. */
export type SeedMailbox = string | { readonly email: string; readonly name?: string | null | undefined };

export type SeedLogEvent =
  | MailStatus
  | {
      readonly status: MailStatus;
      readonly code?: number;
      readonly message?: string;
      readonly local?: string;
      readonly server?: string | null;
      readonly created_at?: SeedTime | undefined;
    };

export interface DumpedLog {
  readonly id?: string;
  readonly created_at?: number;
  readonly sender: Mailbox;
  readonly recipient: Mailbox;
  readonly forward: Mailbox | null;
  readonly subject: string;
  readonly transport: MailTransport;
  readonly hostname: string;
  readonly message_id?: string;
  readonly alias: string;
  readonly events: readonly DumpedLogEvent[];
}

interface DumpedLogEvent {
  readonly status: MailStatus;
  readonly code: number;
  readonly message: string;
  readonly local: string;
  readonly server: string | null;
  readonly created_at?: number;
}

export function seedLogs(state: State, domain: DomainRecord, seeds: readonly SeedLog[]): void {
  const now = state.environment.now();
  const dated = seeds.map((seed) => ({ seed, createdAt: readTime(seed.created_at, now) }));
  // To append is much faster than to insert all over.
  for (const { seed, createdAt } of dated.sort((a, b) => a.createdAt - b.createdAt)) {
    const forward = seed.forward === undefined || seed.forward === null ? null : readMailbox(seed.forward);
    const statuses: readonly MailStatus[] = forward === null ? ['REFUSED'] : ['QUEUED', 'DELIVERED'];
    insertLog(state, domain, {
      id: seed.id,
      createdAt,
      sender: readMailbox(seed.sender),
      recipient: readMailbox(seed.recipient),
      forward,
      subject: seed.subject ?? '',
      transport: seed.transport ?? 'mx',
      hostname: seed.hostname ?? MAIL_HOST,
      messageId: seed.message_id,
      alias: seed.alias,
      events: readEvents(seed.events ?? statuses, createdAt),
    });
  }
}

/** A log entry that seeds the same one. */
export function dumpLog(entry: MailLog, without: 'volatile' | undefined): DumpedLog {
  const { sender, recipient, forward, subject, transport, hostname, alias, createdAt } = entry;
  const lasting = { sender, recipient, forward, subject, transport, hostname, alias };
  const events = entry.events.map(({ after, ...event }) =>
    without === 'volatile' ? event : { ...event, created_at: createdAt + after },
  );
  if (without === 'volatile') return { ...lasting, events };
  return { id: entry.id, created_at: createdAt, ...lasting, message_id: entry.messageId, events };
}

function readMailbox(seed: SeedMailbox): Mailbox {
  return typeof seed === 'string'
    ? { email: seed, name: null }
    : { email: seed.email, name: seed.name ?? null };
}

/** Those that the emulator would write itself are shared with all others of their kind. */
function readEvents(seeds: readonly SeedLogEvent[], createdAt: number): readonly MailEvent[] {
  const usual = eventsOf(seeds.map((seed) => (typeof seed === 'string' ? seed : seed.status)));
  const events = seeds.map((seed, position) => readEvent(seed, usual[position] as MailEvent, createdAt));
  const isUsual = events.every((event, position) => isSame(event, usual[position] as MailEvent));
  return isUsual ? usual : events;
}

function readEvent(seed: SeedLogEvent, usual: MailEvent, createdAt: number): MailEvent {
  if (typeof seed === 'string') return usual;
  const { code, message, local, server } = { ...usual, ...seed };
  return {
    status: seed.status,
    code,
    message,
    local,
    server,
    after: readTime(seed.created_at, createdAt + usual.after) - createdAt,
  };
}

function isSame(a: MailEvent, b: MailEvent): boolean {
  return (
    a.code === b.code &&
    a.message === b.message &&
    a.local === b.local &&
    a.server === b.server &&
    a.after === b.after
  );
}
