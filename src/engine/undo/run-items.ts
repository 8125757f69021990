import type { HistoryOutcome, ItemEntry, RunEntry } from '../../core/model/history/entries.ts';
import type { Kind } from '../../core/model/kinds.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import { itemKey } from '../../core/kinds/item-key.ts';
import { readItems, type RecordedItem } from '../state/history/recorded.ts';
import type { HistoryQuery, StateStore } from '../state/store.ts';

/** Everything that a run did to one item, over all its requests. */
export interface RunItem {
  readonly kind: Kind;
  readonly domain: DomainName;
  readonly name: string;
  /** The live id. Aliases and credentials are found by name instead. */
  readonly id: string | null;
  /** The item before the run. null means that it did not exist. */
  readonly original: object | null;
  /** States that the run may have left. There is more than one if the outcome of a request is not known. */
  readonly left: readonly (object | null)[];
  /** True if a request for the item may have been accepted. */
  readonly wrote: boolean;
  /** Settings that the run wrote. Other kinds are written in full. */
  readonly fields: readonly string[];
  /** `domain` means that the item was deleted with its domain. */
  readonly via: 'domain' | null;
  /** Key of the item in the history. */
  readonly key: string;
  /** Place of the item in the run's manifest. */
  readonly source: Source | null;
}

/** Reads everything that the history has about the items of a run. */
export async function readRunItems(
  { history }: Pick<StateStore, 'history'>,
  query: Pick<HistoryQuery<'item'>, 'since'> & Pick<RunEntry, 'run'>,
): Promise<readonly RunItem[]> {
  const items: RecordedItem[] = [];
  for await (const item of readItems(history, query)) items.push(item);
  return itemsOfRun(items);
}

/** Combines the requests of each item. If a request had no answer, the item may have been written or not. */
function itemsOfRun(recorded: readonly RecordedItem[]): readonly RunItem[] {
  const items = new Map<string, RunItem>();
  for (const one of recorded.toSorted((a, b) => a.entry.item - b.entry.item)) {
    const found = { ...one.entry, id: one.result?.id ?? one.entry.id };
    const identity = itemKey(found);
    items.set(identity, addRequest(items.get(identity), found, one.result?.outcome ?? 'unknown'));
  }
  return [...items.values()];
}

/**
 * Adds a request to its item. The first request shows the state before the run; each request adds a state that it may
 * have left.
 */
function addRequest(before: RunItem | undefined, entry: ItemEntry, outcome: HistoryOutcome): RunItem {
  const { kind, domain, name, id, via, source, from, to, keys } = entry;
  const item = before ?? { original: from, left: [from], wrote: false, fields: [], source };
  return {
    ...item,
    kind,
    domain,
    name,
    id,
    via,
    key: keys[0] ?? '',
    left: STATES_LEFT[outcome](item.left, to),
    wrote: item.wrote || (outcome !== 'failed' && outcome !== 'not-done'),
    fields: [...new Set([...item.fields, ...fieldsOf(entry)])],
    source: source ?? item.source,
  };
}

type Kept = object | null;

/** Possible states of an item after a request with this outcome. */
const STATES_LEFT: Readonly<Record<HistoryOutcome, (left: readonly Kept[], to: Kept) => readonly Kept[]>> = {
  done: (_, to) => [to],
  failed: (left) => left,
  'not-done': (left) => left,
  unknown: (left, to) => [...left, to],
  'not-kept': (left, to) => [...left, to],
};

function fieldsOf({ kind, fields, from, to }: Pick<ItemEntry, 'kind' | 'fields' | 'from' | 'to'>) {
  if (kind !== 'domain' || (from !== null && to !== null)) return fields;
  return Object.keys(to ?? from ?? {});
}
