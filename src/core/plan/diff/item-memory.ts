import type { Disclosure } from '../../model/destinations.ts';
import { entryKeyOf, type KindFacts } from '../../kinds/facts.ts';
import type { PriorDomain } from '../../model/prior.ts';

type KeyFacts = Pick<KindFacts, 'kind' | 'identity'>;

/** The remembered state of one domain, looked up item by item. */
export interface ItemMemory {
  readonly prior: PriorDomain | null;
  readonly references: Disclosure['references'];
}

/** Returns `drift` if a state with this signature is known to have been in place before. */
export function reasonFor(
  facts: KeyFacts,
  name: string,
  wanted: string,
  { prior }: ItemMemory,
): 'drift' | 'manifest' {
  return prior?.applied.get(entryKeyOf(facts, name)) === wanted ? 'drift' : 'manifest';
}

/**
 * True if the service accepted a state with this signature before and then showed exactly the current live state. A
 * missing item (`live` null) is always a change.
 */
export function isKeptOtherwise(
  facts: KeyFacts,
  name: string,
  { wanted, live }: { readonly wanted: string; readonly live: string | null },
  { prior }: ItemMemory,
): boolean {
  const known = prior?.keptOtherwise.get(entryKeyOf(facts, name));
  return known?.sent === wanted && known.shown === live;
}
