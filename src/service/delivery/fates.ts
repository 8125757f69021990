import type { LogEntry, LogEvent } from '../../client/logs/logs.ts';

/** The outcome of a message at a destination, or before one; BOUNCED counts as hard. */
export type Fate = 'delivered' | FailedFate;
export type FailedFate = 'refused' | 'soft' | 'hard';

/** In the order of the documents. */
export const FATES = ['delivered', 'refused', 'soft', 'hard'] as const satisfies readonly Fate[];

export type FateCounts = Readonly<Record<Fate, number>>;

const FATE_OF_STATUS: Readonly<Record<string, Fate>> = {
  DELIVERED: 'delivered',
  REFUSED: 'refused',
  'SOFT-BOUNCE': 'soft',
  'HARD-BOUNCE': 'hard',
  BOUNCED: 'hard',
};

/** How far a message has come, by its last event. */
export interface Course {
  /** Null: it is queued, or nothing is known yet. */
  readonly fate: Fate | null;
  readonly event: LogEvent | null;
  /** Of that event, or of the message where that has none; epoch milliseconds. */
  readonly at: number | null;
  /** Whether there may still be events: QUEUED and SOFT-BOUNCE are not the end. */
  readonly isOpen: boolean;
}

/** By its last event (v4: Events, an ordered timeline); where times say otherwise, they count. */
export function courseOf({ events, createdAt }: LogEntry): Course {
  const last = lastOf(events);
  const status = last?.status ?? 'QUEUED';
  const fate = FATE_OF_STATUS[status] ?? null;
  return {
    fate,
    event: last,
    at: last?.createdAt ?? createdAt,
    isOpen: status === 'QUEUED' || fate === 'soft',
  };
}

function lastOf(events: readonly LogEvent[]): LogEvent | null {
  const later = (last: LogEvent, event: LogEvent): LogEvent =>
    (event.createdAt ?? Infinity) >= (last.createdAt ?? -Infinity) ? event : last;
  const [first, ...others] = events;
  return first === undefined ? null : others.reduce(later, first);
}

/** Whether it is mail that the service forwards: what a domain sends itself goes through no alias (v4: Email log entry). */
export function isForwarded({ transport }: LogEntry): boolean {
  return transport !== 'smtp' && transport !== 'api';
}

export function countsOf(counts: Partial<FateCounts>): FateCounts {
  return { delivered: 0, refused: 0, soft: 0, hard: 0, ...counts };
}
