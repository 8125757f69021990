import type { Answer, BatchAnswer, ItemFailure } from '../../api/client.ts';
import type { ApiError } from '../../api/errors.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import { succeed, type Result } from '../../model/result.ts';

/** What the service says of one item. */
export type ItemAnswer = Result<Accepted, ItemFailure>;

export interface Accepted {
  readonly id: string | null;
  /** Whether the answer shows what was sent; true where it shows nothing. */
  readonly kept: boolean;
  /** Of a rule: the rank that the service says it has now. */
  readonly rank?: number;
  /** Of a new domain: what the service made of it. */
  readonly domain?: ObservedDomain;
  /** Of a domain that was updated: as it was right before. */
  readonly before?: ObservedDomain;
  readonly note?: string;
}

/** Where an answer shows nothing of the item. */
export const DONE: Accepted = { id: null, kept: true };

/** One request: each item's own outcome in the order sent, or what the whole request met with. */
export type WireAnswer = Result<readonly ItemAnswer[], ApiError>;

/** The answer of a single endpoint. */
export async function one<Row>(answer: Answer<Row>, accept: (row: Row) => Accepted): Promise<WireAnswer> {
  const single = await answer;
  return single.ok ? succeed([succeed(accept(single.value))]) : single;
}

/** The answer of a batch endpoint. */
export async function many<Item, Row>(
  items: readonly Item[],
  answer: BatchAnswer<Row>,
  accept: (item: Item, row: Row) => Accepted,
): Promise<WireAnswer> {
  const batch = await answer;
  if (!batch.ok) return batch;
  const outcomes = items.flatMap((item, index) => {
    const outcome = batch.value[index];
    if (outcome === undefined) return [];
    return [outcome.ok ? succeed(accept(item, outcome.value)) : outcome];
  });
  return succeed(outcomes);
}
