import { isDeepStrictEqual } from 'node:util';
import { eventsOf, MAIL_HOST } from './logs-events.ts';
import { insertLog } from './logs.ts';
import type { MailLog, MailEvent, MailStatus, MailTransport, Mailbox } from '../account/model.ts';
import { readTime, type SeedTime } from '../account/seed-time.ts';
import type { DomainRecord, State } from '../account/state.ts';

/**
 * A log entry as v4 returns it. Only `sender` and `recipient` are required. Without `events`, the mail was delivered, or
 * refused if `forward` is null. An event may be just its status.
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
  /** The alias that matched. The default is the name that the mail was addressed to. */
  readonly alias?: string | undefined;
  readonly events?: readonly SeedLogEvent[] | undefined;
}

/** An address, alone or with a name. */
export type SeedMailbox = string | { readonly email: string; readonly name?: string | null | undefined };

export type SeedLogEvent =
  | MailStatus
  | {
      readonly id?: string | undefined;
      readonly status: MailStatus;
      readonly code?: number;
      readonly message?: string;
      readonly local?: string;
      readonly server?: string | null;
      readonly created_at?: SeedTime | undefined;
    };

/** A dumped log entry. `without: 'volatile'` omits id, message id and times, which differ between two runs. */
export type DumpedLog = Omit<MailLog, 'id' | 'sequence' | 'created_at' | 'message_id' | 'events'> &
  Partial<Pick<MailLog, 'id' | 'created_at' | 'message_id'>> & { readonly events: readonly DumpedLogEvent[] };

type DumpedLogEvent = Omit<MailEvent, 'after'> & { readonly created_at?: number };

export function seedLogs(state: State, domain: DomainRecord, seeds: readonly SeedLog[]): void {
  const now = state.environment.now();
  const dated = seeds.map((seed) => ({ ...seed, created_at: readTime(seed.created_at, now) }));
  for (const seed of oldestFirst(dated)) {
    const forward = seed.forward === undefined || seed.forward === null ? null : readMailbox(seed.forward);
    const statuses: readonly MailStatus[] = forward === null ? ['REFUSED'] : ['QUEUED', 'DELIVERED'];
    insertLog(state, domain, {
      ...seed,
      sender: readMailbox(seed.sender),
      recipient: readMailbox(seed.recipient),
      forward,
      subject: seed.subject ?? '',
      transport: seed.transport ?? 'mx',
      hostname: seed.hostname ?? MAIL_HOST,
      events: readEvents(seed.events ?? statuses, seed.created_at),
    });
  }
}

/**
 * Sorts the oldest first, because appending is much faster than inserting. v4 returns the newest first, even within one
 * second.
 */
function oldestFirst<Dated extends { readonly created_at: number }>(
  seeds: readonly Dated[],
): readonly Dated[] {
  const times = seeds.map((seed) => seed.created_at);
  const isNewestFirst =
    times[0] !== times.at(-1) && times.every((time, index) => time <= (times[index - 1] ?? time));
  return (isNewestFirst ? seeds.toReversed() : seeds).toSorted((a, b) => a.created_at - b.created_at);
}

/** Returns a seed that produces the same log entry. */
export function dumpLog(entry: MailLog, without: 'volatile' | undefined): DumpedLog {
  const { id, sequence: _, created_at, message_id, events, ...lasting } = entry;
  if (without === 'volatile')
    return { ...lasting, events: events.map(({ after: __, id: ___, ...event }) => event) };
  const dated = events.map(({ after, ...event }) => ({ ...event, created_at: created_at + after }));
  return { id, created_at, ...lasting, message_id, events: dated };
}

function readMailbox(seed: SeedMailbox): Mailbox {
  return typeof seed === 'string'
    ? { email: seed, name: null }
    : { email: seed.email, name: seed.name ?? null };
}

/** Reads the events of a seed. If they equal the usual events, the entry shares those with all others. */
function readEvents(seeds: readonly SeedLogEvent[], createdAt: number): readonly MailEvent[] {
  const usual = eventsOf(seeds.map((seed) => (typeof seed === 'string' ? seed : seed.status)));
  const events = seeds.map((seed, position) => readEvent(seed, usual[position] as MailEvent, createdAt));
  return isDeepStrictEqual(events, usual) ? usual : events;
}

function readEvent(seed: SeedLogEvent, usual: MailEvent, createdAt: number): MailEvent {
  if (typeof seed === 'string') return usual;
  const { id, code, message, local, server } = { ...usual, ...seed };
  return {
    ...(id === undefined ? {} : { id }),
    status: seed.status,
    code,
    message,
    local,
    server,
    after: readTime(seed.created_at, createdAt + usual.after) - createdAt,
  };
}
