import { showKept, type ShownFields } from '../../fields/fields.ts';
import { KINDS } from '../../kinds/registry.ts';
import { DISCLOSE_ALL, showText, type Disclosure } from '../../model/destinations.ts';
import type { HistoryItem } from '../../model/history/entries.ts';
import { describeItem } from '../../kinds/items.ts';

/** An item of the history as it may be shown. */
export type HistoryItemDocument = Omit<HistoryItem, 'from' | 'to'> & {
  readonly from: ShownFields | null;
  readonly to: ShownFields | null;
};

/**
 * Returns an item of the history as it may be shown. Values behind references are kept as references; the rest is
 * masked if requested.
 */
export function historyItemDocument(item: HistoryItem, mask: Disclosure['mask']): HistoryItemDocument {
  const { kind, action, domain, name, id, fields, source } = item;
  const show = (state: object | null): ShownFields | null =>
    state === null ? null : showKept(KINDS[kind].fields, state, mask);
  const shown = kind === 'domain' ? name : showText(name, { ...DISCLOSE_ALL, mask });
  return { kind, action, domain, name: shown, id, fields, from: show(item.from), to: show(item.to), source };
}

/** Describes an item of the history in the words of a plan. */
export function describeHistoryItem({ kind, action, fields, from, to }: HistoryItemDocument): string {
  return describeItem(kind, { action, fields, observed: from, desired: to });
}
