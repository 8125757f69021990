import type { HistoryItem } from '../../../core/model/history/entries.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import type { Change, RuleChange } from '../../../core/model/plan.ts';
import type { RuleState } from '../../../core/kinds/rule/fields.ts';
import type { WriteItem } from '../../../core/plan/requests/order.ts';
import { keptItem, keptChange } from './kept-items.ts';
import type { Concealment } from '../../../core/fields/codec.ts';
import { liveItems } from '../../../core/kinds/items.ts';

/** Rules that were moved or widened and have another request before them, as they are by then. */
export type MovedRules = Map<Change, RuleState>;

/** What one item of a request does: of a rule that takes two requests, to each its part. */
export function itemOfRequest(item: WriteItem, moved: MovedRules, concealment: Concealment): HistoryItem {
  if (item.kind !== 'rule' || item.part === 'add' || item.part === 'delete') {
    return keptChange(item.change, concealment);
  }
  const { change, part, rule } = item;
  const from = moved.get(change) ?? change.observed;
  const to = { ...rule, rank: rule.rank ?? from?.rank ?? 0 };
  if (part === 'move' || part === 'widen') moved.set(change, to);
  return keptItem({ ...change, ...partOf(item) }, concealment, { from, to });
}

function partOf({
  change: { action, fields },
  part,
}: Extract<WriteItem, { readonly kind: 'rule' }>): Pick<RuleChange, 'action' | 'fields'> {
  if (part === 'move') return { action: 'move', fields: ['rank'] };
  return { action, fields: part === 'whole' ? fields : fields.filter((field) => field !== 'rank') };
}

/** What goes with a domain that is deleted, as it was last read. */
export function itemsOfDomain(live: ObservedDomain, concealment: Concealment): readonly HistoryItem[] {
  return liveItems(live).map(({ state, ...item }) => {
    const change = { ...item, action: 'delete', fields: [], source: null } as const;
    return keptItem(change, concealment, { from: state, to: null });
  });
}
