import type { Concealment } from '../../../core/fields/codec.ts';
import { keepFields } from '../../../core/fields/fields.ts';
import { showKnown } from '../../../core/fields/text.ts';
import { KINDS } from '../../../core/kinds/registry.ts';
import type { HistoryItem } from '../../../core/model/history/entries.ts';
import type { Change } from '../../../core/model/plan.ts';

type ChangedItem = Pick<Change, 'kind' | 'action' | 'domain' | 'name' | 'id' | 'fields' | 'source'>;

/** A change as it is kept. */
export function keptChange(change: Change, concealment: Concealment): HistoryItem {
  return keptItem(change, concealment, { from: change.observed, to: change.desired });
}

/** The same with other states than those of the change. */
export function keptItem(
  { kind, action, domain, name, id, fields, source }: ChangedItem,
  concealment: Concealment,
  { from, to }: Readonly<Record<'from' | 'to', object | null>>,
): HistoryItem {
  const keep = (state: object | null): object | null =>
    state === null ? null : keepFields(KINDS[kind].fields, state, concealment);
  // The states are those of the kind, which a type cannot say of all at once.
  return {
    kind,
    action,
    domain,
    name: kind === 'domain' ? name : showKnown(name, concealment.references),
    id,
    fields,
    from: keep(from),
    to: keep(to),
    source,
  } as HistoryItem;
}
