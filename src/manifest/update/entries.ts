import { isMap, type Pair, type YAMLMap } from 'yaml';
import type { Destination } from '../../model/destinations.ts';
import { editItems, newPair, setValue, type NewItem } from './collections.ts';
import { setForward, writeForward, type Book } from './destinations.ts';
import { findPair, inlineAlias, type Draft, type DraftPlace } from './draft.ts';
import type { YamlValue } from './value-text.ts';

/** What becomes of an entry of a map. */
export type EntryChange =
  | { readonly kind: 'remove' }
  | { readonly kind: 'value'; readonly value: YamlValue }
  | { readonly kind: 'forward'; readonly forward: readonly Destination[] };

export type EntryChanges = ReadonlyMap<string, EntryChange>;

/** Changes entries of the map under a key, such as the aliases of a domain; new ones come last. */
export function editEntries(place: DraftPlace, changes: EntryChanges, book: Book): void {
  const { draft, document, pair } = place;
  if (inlineAlias(draft, document, pair.value) || !isMap(pair.value)) return;
  editMap(draft, pair.value, { changes, book, owner: place });
}

/** Changes entries of a map; see `editItems` for `owner`. */
export function editMap(
  draft: Draft,
  map: YAMLMap,
  {
    changes,
    book,
    owner,
  }: { readonly changes: EntryChanges; readonly book: Book; readonly owner: DraftPlace | null },
): void {
  const removed = new Set<Pair>();
  const added: NewItem[] = [];
  for (const [key, change] of changes) {
    const pair = findPair(map, key);
    const slot = { draft, pair, surrounding: map.flow === true ? 'flow' : 'block' } as const;
    if (change.kind === 'remove') {
      if (pair !== undefined) removed.add(pair);
    } else if (pair === undefined) added.push(newPair(key, writeEntry(change, book)));
    else if (change.kind === 'value') setValue({ ...slot, pair }, change.value);
    else setForward({ ...slot, pair }, change.forward, book);
  }
  editItems(draft, map, { removed, added }, owner);
}

/** The value of an entry that is new. */
export function writeEntry(change: Exclude<EntryChange, { readonly kind: 'remove' }>, book: Book): YamlValue {
  return change.kind === 'value' ? change.value : writeForward(change.forward, book);
}
