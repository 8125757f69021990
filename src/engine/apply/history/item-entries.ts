import type { HistoryItem } from '../../../core/model/history/entries.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import { keptItem, keptChange } from './kept-items.ts';
import type { Concealment } from '../../../core/fields/codec.ts';
import { liveItems } from '../../../core/kinds/items.ts';
import type { WriteItem } from '../../../core/kinds/steps.ts';
import type { Change } from '../../../core/model/plan.ts';

/**
 * Returns the history item for a request's item. If a change takes several requests, it is the part of this request.
 */
export function itemOfRequest({ change, part }: WriteItem, concealment: Concealment): HistoryItem {
  if (part === undefined) return keptChange(change, concealment);
  const { action, fields, from, to } = part;
  return keptItem({ ...change, action, fields }, concealment, { from, to });
}

/** Returns the deletes of everything that a deleted domain takes with it, as last read. */
export function deletionsOf(live: ObservedDomain): readonly Change[] {
  return liveItems(live).map(({ state, ...item }) => {
    const rest = { desired: null, fields: [], stage: 2, conditional: false, reason: 'absent', source: null };
    // The state has the type of the kind, which TypeScript cannot express for all kinds at once.
    return { ...item, action: 'delete', observed: state, ...rest } as unknown as Change;
  });
}
