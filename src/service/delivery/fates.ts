import type { LogEntry, LogEvent } from '../../client/logs/logs.ts';

/** The outcome of a message, at a destination or before it got there. BOUNCED counts as hard. */
export type Fate = 'delivered' | FailedFate;
export type FailedFate = 'refused' | 'soft' | 'hard';

/** All fates, in the order of the documents. */
export const FATES = ['delivered', 'refused', 'soft', 'hard'] as const satisfies readonly Fate[];

export type FateCounts = Readonly<Record<Fate, number>>;

const FATE_OF_STATUS: Readonly<Record<string, Fate>> = {
  DELIVERED: 'delivered',
  REFUSED: 'refused',
  'SOFT-BOUNCE': 'soft',
  'HARD-BOUNCE': 'hard',
  BOUNCED: 'hard',
};

/** The progress of a message, according to its last event. */
export interface Course {
  /** The fate; null means that the message is queued or has no known event. */
  readonly fate: Fate | null;
  readonly event: LogEvent | null;
  /** Time of that event, or of the message if the event has none, in epoch milliseconds. */
  readonly at: number | null;
  /** True if more events may follow, as after QUEUED and SOFT-BOUNCE. */
  readonly isOpen: boolean;
}

/**
 * Returns the progress of a message by its last event (v4: Events, an ordered timeline). If times contradict the order, the
 * times count.
 */
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

/** True if the service forwards the message. Mail that a domain itself sends goes through no alias (v4: Email log entry). */
export function isForwarded({ transport }: LogEntry): boolean {
  return transport !== 'smtp' && transport !== 'api';
}

export function countsOf(counts: Partial<FateCounts>): FateCounts {
  return { delivered: 0, refused: 0, soft: 0, hard: 0, ...counts };
}
