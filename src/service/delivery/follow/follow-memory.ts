import type { DomainName } from '../../../core/model/names.ts';
import type { Source } from '../../../core/model/manifest/problem.ts';
import type { DeliveryError, RowKey } from '../tally.ts';

/** Memory between reads of the logs of one domain. Texts from the logs are safe to print. Times are epoch milliseconds. */
export interface FollowMemory {
  /** Number of messages that have ended, by fate. */
  readonly totals: FollowTotals;
  /** All entries received up to this time have been read. */
  readonly at: number;
  /** Entries close to that time with their times of receipt. They must not be counted again. */
  readonly known: readonly (readonly [id: string, at: number])[];
  /** A read that has not ended; null if there is none. */
  readonly walk: WalkMemory | null;
  readonly open: readonly OpenMessage[];
  readonly troubles: readonly Trouble[];
}

/**
 * Numbers of ended messages. `soft` were given up while they bounced softly. `unknownNames` were refused for unknown names.
 */
export interface FollowTotals {
  readonly delivered: number;
  readonly refused: number;
  readonly soft: number;
  readonly hard: number;
  readonly unknownNames: number;
}

export interface WalkMemory {
  /** Cursor to continue from. null means the newest entry. */
  readonly cursor: string | null;
  /** Time of the newest entry of the read. */
  readonly headAt: number;
  /** Entries close to the newest one. `lastPage` has the ids of the last page. */
  readonly head: readonly (readonly [id: string, at: number])[];
  readonly lastPage: readonly string[];
}

/** A message whose last event is QUEUED or SOFT-BOUNCE. */
export interface OpenMessage {
  readonly id: string;
  readonly createdAt: number;
  readonly fate: 'soft' | null;
  /** The newer entry that is listed right before the message. null means that none was. */
  readonly before: string | null;
  /** Time of the next recheck. */
  readonly dueAt: number;
}

/** A destination at which mail fails, or a name that refuses mail. Texts are safe to print. */
export interface Trouble extends RowKey {
  /** Fingerprint of the destination. It identifies the destination even if the shown text is redacted. */
  readonly print: string;
  readonly source: Source | null;
  /** Times of final failures; only the latest are kept. */
  readonly failedAt: readonly number[];
  /** Number of final failures since the trouble began. */
  readonly count: number;
  readonly lastError: DeliveryError;
  readonly deliveredAt: number | null;
  /** The state that was reported last. */
  readonly reported: 'nothing' | 'failing';
}

export const NO_TOTALS: FollowTotals = { delivered: 0, refused: 0, soft: 0, hard: 0, unknownNames: 0 };

const KIND = 'fwdsync/delivery-memory@1';

/** Returns the memory of a domain whose logs are to be read from this time on. */
export function startMemory(at: number): FollowMemory {
  return { totals: NO_TOTALS, at, known: [], walk: null, open: [], troubles: [] };
}

export function encodeMemory(domain: DomainName, memory: FollowMemory): string {
  return `${JSON.stringify({ kind: KIND, domain, ...memory })}\n`;
}

/** Parses a memory. Returns null if this version did not write it completely. */
export function decodeMemory(domain: DomainName, text: string): FollowMemory | null {
  try {
    const {
      kind,
      domain: of,
      ...memory
    } = JSON.parse(text) as FollowMemory & Record<'kind' | 'domain', unknown>;
    return kind === KIND && of === domain ? memory : null;
  } catch {
    return null;
  }
}
