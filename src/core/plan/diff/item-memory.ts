import type { Disclosure } from '../../model/destinations.ts';
import { entryKeyOf, type KindFacts } from '../../kinds/facts.ts';
import type { PriorDomain } from '../../model/prior.ts';

type KeyFacts = Pick<KindFacts, 'kind' | 'identity'>;

/** What the state directory knows of one domain, asked item by item. */
export interface ItemMemory {
  readonly prior: PriorDomain | null;
  readonly references: Disclosure['references'];
}

/** `drift` where a state of this signature is known to have been in place before. */
export function reasonFor(
  facts: KeyFacts,
  name: string,
  wanted: string,
  { prior }: ItemMemory,
): 'drift' | 'manifest' {
  return prior?.applied.get(entryKeyOf(facts, name)) === wanted ? 'drift' : 'manifest';
}

/**
 * Whether the service accepted a state of this signature before and showed then what it shows now. Any other difference
 * is a change, as is what is not there: `live` null.
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
