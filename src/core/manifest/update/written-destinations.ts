import { isAlias, isMap, isScalar, isSeq, type YAMLSeq } from 'yaml';
import type { Desired } from '../../model/desired.ts';
import {
  DISCARD,
  normaliseDestination,
  type Destination,
  type ReferenceDocument,
} from '../../model/destinations.ts';
import { destinationDocument, oneOrList } from '../../model/manifest/manifest-document.ts';
import type { ForwardDocument } from '../../model/resources.ts';
import { editItems, newListItem, setValue, type Slot } from './collections.ts';
import { endOf, scalarText, sectionsOf, startOf, type Draft } from './draft.ts';
import { flowText } from './value-text.ts';
import type { YamlValue } from '../../model/manifest/manifest-document.ts';

/** The meaning of written destinations, and the written form of live ones. */
export interface Book {
  /** Returns the destinations behind a node; null if they are unknown here, so that the node does not stay. */
  readonly expand: (node: unknown) => ReadonlySet<string> | null;
  /** Writes one destination. A value behind a reference is written as that reference. */
  readonly write: (destination: string) => string | ReferenceDocument;
}

/** The most levels of groups within groups. A manifest with a cycle would not have loaded. */
const MAX_DEPTH = 32;

export function createBook(drafts: readonly Draft[], { references }: Pick<Desired, 'references'>): Book {
  const groups = new Map(
    sectionsOf(drafts, 'destinations').flatMap(({ map }) =>
      map.items.map(({ key, value }) => [scalarText(key), value] as const),
    ),
  );
  const values = Map.groupBy(references, ([, { shown }]) => shown);

  function expand(node: unknown, depth = 0): ReadonlySet<string> | null {
    if (depth > MAX_DEPTH) return null;
    if (isScalar(node)) return expandText(String(node.value), depth);
    if (isMap(node)) {
      const [only] = node.items;
      const shown = `{ ${scalarText(only?.key)}: ${scalarText(only?.value)} }`;
      const known = values.get(shown);
      return known === undefined ? null : new Set(known.map(([value]) => value));
    }
    if (!isSeq(node)) return null;
    const parts = node.items.map((item) => expand(item, depth + 1));
    return parts.includes(null) ? null : new Set(parts.flatMap((part) => [...(part ?? [])]));
  }

  function expandText(text: string, depth: number): ReadonlySet<string> | null {
    if (text === 'discard') return new Set([DISCARD]);
    if (text.includes('@') || text.includes('://')) return new Set([normaliseDestination(text)]);
    const group = groups.get(text);
    return group === undefined ? null : expand(group, depth + 1);
  }

  return { expand: (node) => expand(node), write: (text) => writeOne(text, references) };
}

function writeOne(destination: string, references: Desired['references']): string | ReferenceDocument {
  return references.get(destination)?.written ?? destinationDocument(destination);
}

/** Writes live destinations as a manifest does. A reference stands for all its values at once. */
export function writeForward(forward: readonly Destination[], book: Book): ForwardDocument {
  const written = forward.toSorted().map(book.write);
  return oneOrList([...new Map(written.map((part) => [JSON.stringify(part), part])).values()]);
}

/** Writes the live destinations; list items that are still right stay as written. */
export function setForward(slot: Slot, live: readonly Destination[], book: Book): void {
  const { pair } = slot;
  const wanted = new Set<string>(live.toSorted());
  const list = isAlias(pair.value) ? undefined : pair.value;
  const items: readonly unknown[] = isSeq(list) ? list.items : [list];
  const kept = items.filter((item) => {
    const means = book.expand(item);
    return means !== null && means.size > 0 && [...means].every((destination) => wanted.has(destination));
  });
  const written = new Set(kept.flatMap((item) => [...(book.expand(item) ?? [])]));
  const missing = [...wanted].filter((destination) => !written.has(destination));
  const isKept = (item: unknown): boolean => kept.includes(item);
  if (isSeq(list) && kept.length > 0) return editList(slot.draft, list, isKept, missing.map(book.write));
  const [only] = kept;
  if (only === undefined || isMap(only)) return setValue(slot, writeForward(live, book));
  // A single destination becomes several: the written text is the first of a list.
  const text = slot.draft.text.slice(startOf(only), endOf(only));
  const more = missing.map((destination) => flowText(book.write(destination), 'flow'));
  slot.draft.edits.push({ start: startOf(only), end: endOf(only), text: `[${[text, ...more].join(', ')}]` });
}

/** Removes items from a list and appends others. A removed and an added item are combined into one edit. */
function editList(
  draft: Draft,
  list: YAMLSeq,
  isKept: (item: unknown) => boolean,
  missing: readonly YamlValue[],
): void {
  const gone = list.items.filter((item) => !isKept(item));
  const flow = list.flow === true;
  for (const [index, item] of gone.entries()) {
    const value = missing[index];
    if (value !== undefined) {
      draft.edits.push({
        start: startOf(item),
        end: endOf(item),
        text: flowText(value, flow ? 'flow' : 'block'),
      });
    }
  }
  const removed = new Set(gone.slice(missing.length));
  editItems(draft, list, { removed, added: missing.slice(gone.length).map(newListItem) }, null);
}
