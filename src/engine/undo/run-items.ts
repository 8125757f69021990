import type { HistoryOutcome, ItemEntry, RunEntry } from '../../core/model/history/entries.ts';
import type { Kind } from '../../core/model/kinds.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import { itemKey } from '../../core/kinds/item-key.ts';
import { readItems, type RecordedItem } from '../state/history/recorded.ts';
import type { HistoryQuery, StateStore } from '../state/store.ts';

/** All that a run did to one item, whatever it took. */
export interface RunItem {
  readonly kind: Kind;
  readonly domain: DomainName;
  readonly name: string;
  /** The live id; of an alias and a credential it says nothing, for they are found by name. */
  readonly id: string | null;
  /** What it was before the run; null: it was not there. */
  readonly original: object | null;
  /** What the run may have left: more than one where the outcome of a request is not known. */
  readonly left: readonly (object | null)[];
  /** Whether a request of it may have been accepted. */
  readonly wrote: boolean;
  /** The settings that the run wrote; of other kinds nothing is left out. */
  readonly fields: readonly string[];
  /** `domain`: it went with its domain. */
  readonly via: 'domain' | null;
  /** What it is found by in the history. */
  readonly key: string;
  /** Where the manifest of the run had it. */
  readonly source: Source | null;
}

/** Reads all that the history has of the items of a run. */
export async function readRunItems(
  { history }: Pick<StateStore, 'history'>,
  query: Pick<HistoryQuery<'item'>, 'since'> & Pick<RunEntry, 'run'>,
): Promise<readonly RunItem[]> {
  const items: RecordedItem[] = [];
  for await (const item of readItems(history, query)) items.push(item);
  return itemsOfRun(items);
}

/** An item may be written in several requests, one after another; what no answer speaks for may be written or not. */
function itemsOfRun(recorded: readonly RecordedItem[]): readonly RunItem[] {
  const items = new Map<string, RunItem>();
  for (const one of recorded.toSorted((a, b) => a.entry.item - b.entry.item)) {
    const found = { ...one.entry, id: one.result?.id ?? one.entry.id };
    const identity = itemKey(found);
    items.set(identity, addRequest(items.get(identity), found, one.result?.outcome ?? 'unknown'));
  }
  return [...items.values()];
}

/** The first request says what there was, each says what it may have left. */
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

/** What an item may be after a request of this outcome. */
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
