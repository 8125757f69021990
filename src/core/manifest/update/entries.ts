import { isMap, type Pair, type YAMLMap } from 'yaml';
import type { DesiredDomain } from '../../model/desired.ts';
import type { Destination } from '../../model/destinations.ts';
import type { Section } from '../../model/kinds.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { Adoption, Change } from '../../model/plan.ts';
import { editItems, newPair, setValue, type NewItem } from './collections.ts';
import { setForward, writeForward, type Book } from './written-destinations.ts';
import { findPair, inlineAlias, placeWithin, type Draft, type DraftPlace } from './draft.ts';
import type { YamlValue } from '../../model/manifest/manifest-document.ts';

/** The change of an entry of a map. */
export type EntryChange =
  | { readonly kind: 'remove' }
  | { readonly kind: 'value'; readonly value: YamlValue }
  | { readonly kind: 'forward'; readonly forward: readonly Destination[] };

export type EntryChanges = ReadonlyMap<string, EntryChange>;

/** A domain of the manifest during editing: its place, its desired state and its live state. */
export interface DomainEditing {
  readonly place: DraftPlace;
  readonly book: Book;
  readonly desired: DesiredDomain | undefined;
  readonly live: ObservedDomain | undefined;
  readonly adoptions: readonly Adoption[];
}

export function changesOf<K extends Change['kind']>(
  kind: K,
  changes: readonly Change[],
): readonly Extract<Change, { readonly kind: K }>[] {
  return changes.filter((change): change is Extract<Change, { readonly kind: K }> => change.kind === kind);
}

/** Changes entries of a section of a domain; `changeOf` returns the change of each entry. */
export function editSection<T extends Change>(
  { place, book }: DomainEditing,
  section: Section,
  changes: readonly T[],
  changeOf: (change: T) => EntryChange,
): void {
  if (changes.length === 0) return;
  const entries = new Map(changes.map((change) => [change.name, changeOf(change)]));
  const own = placeWithin(place, section);
  if (own !== null) return editEntries(own, entries, book);
  // If only templates have the section, the domain gets its own.
  const written = [...entries].flatMap(([name, change]) =>
    change.kind === 'remove' ? [] : [[name, writeEntry(change, book)] as const],
  );
  editEntries(place, new Map([[section, { kind: 'value', value: Object.fromEntries(written) }]]), book);
}

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

/** Returns the value of a new entry. */
export function writeEntry(change: Exclude<EntryChange, { readonly kind: 'remove' }>, book: Book): YamlValue {
  return change.kind === 'value' ? change.value : writeForward(change.forward, book);
}
