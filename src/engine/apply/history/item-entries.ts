import type { HistoryItem } from '../../../core/model/history/entries.ts';
import { KINDS, SECTION_KINDS, type SectionKind } from '../../../core/model/kinds.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import type { Change, RuleChange } from '../../../core/model/plan.ts';
import type { RuleState, SectionTypes } from '../../../core/model/resources.ts';
import type { WriteItem } from '../../../core/plan/requests/order.ts';
import { keptItem, type Concealment } from './kept-items.ts';

/** Rules that were moved or widened and have another request before them, as they are by then. */
export type MovedRules = Map<Change, RuleState>;

/** What one item of a request does: of a rule that takes two requests, to each its part. */
export function itemOfRequest(item: WriteItem, moved: MovedRules, concealment: Concealment): HistoryItem {
  if (item.kind !== 'rule' || item.part === 'add' || item.part === 'delete') {
    return keptItem(item.change, concealment);
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

/** Returns the deletes of all that goes with a domain which is deleted, as it was last read. */
export function deletionsOf(live: ObservedDomain): readonly Change[] {
  return SECTION_KINDS.flatMap((kind) => {
    const rows: Iterable<ObservedRow> = live[KINDS[kind].section] ?? [];
    return Array.from(rows, (row) => deletionOf(kind, row, live));
  });
}

type ObservedRow = SectionTypes[keyof SectionTypes]['observed'];

function deletionOf(kind: SectionKind, row: ObservedRow, { domain }: ObservedDomain): Change {
  const id = 'id' in row ? row.id : null;
  const change = {
    kind,
    action: 'delete',
    domain,
    name: 'name' in row ? row.name : row.id,
    id,
    observed: row,
    desired: null,
    fields: [],
    stage: 2,
    conditional: false,
    reason: 'absent',
    source: null,
  };
  // The row is of the kind, which a type cannot say of both at once.
  return change as unknown as Change;
}
