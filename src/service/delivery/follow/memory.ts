import type { DomainName } from '../../../core/model/names.ts';
import type { Source } from '../../../core/model/manifest/problem.ts';
import type { DeliveryError, RowKey } from '../tally.ts';

/** What is kept between reads of the logs of one domain. Texts of the logs in it are safe; times are epoch milliseconds. */
export interface FollowMemory {
  /** Messages that have come to their end, by how. */
  readonly totals: FollowTotals;
  /** Everything that was received until then was read. */
  readonly at: number;
  /** Entries close to that time, which must not count again, and when they were received. */
  readonly known: readonly (readonly [id: string, at: number])[];
  /** A read that has not come to its end; null: none. */
  readonly walk: WalkMemory | null;
  readonly open: readonly OpenMessage[];
  readonly troubles: readonly Trouble[];
}

/** `soft`: given up on while they were; `unknownNames`: refused for names that nobody knows. */
export interface FollowTotals {
  readonly delivered: number;
  readonly refused: number;
  readonly soft: number;
  readonly hard: number;
  readonly unknownNames: number;
}

export interface WalkMemory {
  /** Where it goes on; null: at the newest entry. */
  readonly cursor: string | null;
  /** The newest entry of it. */
  readonly headAt: number;
  /** Entries close to the newest, and those of the last page. */
  readonly head: readonly (readonly [id: string, at: number])[];
  readonly lastPage: readonly string[];
}

/** A message whose last event is QUEUED or SOFT-BOUNCE. */
export interface OpenMessage {
  readonly id: string;
  readonly createdAt: number;
  readonly fate: 'soft' | null;
  /** The entry that is listed right before it, which is newer; null: none was. */
  readonly before: string | null;
  /** When it is read again. */
  readonly dueAt: number;
}

/** A destination at which mail failed, or a name that refuses it; texts are safe. */
export interface Trouble extends RowKey {
  /** Tells the destination apart, whatever is shown of it. */
  readonly print: string;
  readonly source: Source | null;
  /** When messages failed for good; the latest only. */
  readonly failedAt: readonly number[];
  /** How many did since it began. */
  readonly count: number;
  readonly lastError: DeliveryError;
  readonly deliveredAt: number | null;
  /** What was reported of it last. */
  readonly reported: 'nothing' | 'failing';
}

export const NO_TOTALS: FollowTotals = { delivered: 0, refused: 0, soft: 0, hard: 0, unknownNames: 0 };

const KIND = 'fwdsync/delivery-memory@1';

/** Nothing was read before this moment. */
export function startMemory(at: number): FollowMemory {
  return { totals: NO_TOTALS, at, known: [], walk: null, open: [], troubles: [] };
}

export function encodeMemory(domain: DomainName, memory: FollowMemory): string {
  return `${JSON.stringify({ kind: KIND, domain, ...memory })}\n`;
}

/** Null for anything that this version did not write whole. */
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
