import type { Concealment } from '../../../core/fields/codec.ts';
import { keepFields } from '../../../core/fields/fields.ts';
import { showKnown } from '../../../core/fields/text.ts';
import { KINDS } from '../../../core/kinds/registry.ts';
import type { HistoryItem } from '../../../core/model/history/entries.ts';
import type { Change } from '../../../core/model/plan.ts';

type ChangedItem = Pick<Change, 'kind' | 'action' | 'domain' | 'name' | 'id' | 'fields' | 'source'>;

/** Returns the history item of a change. */
export function keptChange(change: Change, concealment: Concealment): HistoryItem {
  return keptItem(change, concealment, { from: change.observed, to: change.desired });
}

/** Returns a history item with these states in place of those of the change. */
export function keptItem(
  { kind, action, domain, name, id, fields, source }: ChangedItem,
  concealment: Concealment,
  { from, to }: Readonly<Record<'from' | 'to', object | null>>,
): HistoryItem {
  const keep = (state: object | null): object | null =>
    state === null ? null : keepFields(KINDS[kind].fields, state, concealment);
  // The states have the type of the kind, which TypeScript cannot express for all kinds at once.
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
