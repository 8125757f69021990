import type { HistoryItem } from '../../../core/model/history/entries.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import { keptItem, keptChange } from './kept-items.ts';
import type { Concealment } from '../../../core/fields/codec.ts';
import { liveItems } from '../../../core/kinds/items.ts';
import type { WriteItem } from '../../../core/kinds/steps.ts';

/** What one item of a request does: of a change that takes several requests, to each its part. */
export function itemOfRequest({ change, part }: WriteItem, concealment: Concealment): HistoryItem {
  if (part === undefined) return keptChange(change, concealment);
  const { action, fields, from, to } = part;
  return keptItem({ ...change, action, fields }, concealment, { from, to });
}

/** What goes with a domain that is deleted, as it was last read. */
export function itemsOfDomain(live: ObservedDomain, concealment: Concealment): readonly HistoryItem[] {
  return liveItems(live).map(({ state, ...item }) => {
    const change = { ...item, action: 'delete', fields: [], source: null } as const;
    return keptItem(change, concealment, { from: state, to: null });
  });
}
