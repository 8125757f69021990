import { isAlias, isCollection, isMap, isSeq, type Node, type Pair, type YAMLSeq } from 'yaml';
import type { Destination } from '../../model/destinations.ts';
import { writeForward, type Book } from './book.ts';
import { editItems, newListItem } from './collections.ts';
import { behindAnchor, endOf, startOf, type Draft } from './draft.ts';
import { flowText, type Surrounding, type YamlValue } from './flow.ts';

/** Where a pair is that gets another value. */
export interface Slot {
  readonly draft: Draft;
  readonly pair: Pair;
  readonly surrounding: Surrounding;
}

/** Puts a value in the place of another one; an anchor on it stays, for others may refer to it. */
export function setValue({ draft, pair, surrounding }: Slot, value: YamlValue): void {
  const node = pair.value as Node | null;
  const text = flowText(value, surrounding);
  if (node !== null && (!isCollection(node) || node.flow === true)) {
    draft.edits.push({ start: startOf(node), end: endOf(node), text });
    return;
  }
  const start = behindAnchor(draft, pair, node);
  draft.edits.push({ start, end: node === null ? start : endOf(node), text: ` ${text}` });
}

/** Makes what is written mean the live destinations; what of a list says the truth stays as it is written. */
export function setForward(slot: Slot, live: readonly Destination[], book: Book): void {
  const { pair } = slot;
  const wanted = new Set<string>(live.toSorted());
  const list = isAlias(pair.value) ? undefined : pair.value;
  const items: readonly unknown[] = isSeq(list) ? list.items : [list];
  const kept = items.filter((item) => {
    const means = book.expand(item);
    return means !== null && means.size > 0 && [...means].every((destination) => wanted.has(destination));
  });
  const said = new Set(kept.flatMap((item) => [...(book.expand(item) ?? [])]));
  const missing = [...wanted].filter((destination) => !said.has(destination));
  const isKept = (item: unknown): boolean => kept.includes(item);
  if (isSeq(list) && kept.length > 0) return editList(slot.draft, list, isKept, missing.map(book.write));
  const [only] = kept;
  if (only === undefined || isMap(only)) return setValue(slot, writeForward(live, book));
  // One destination of several now: what was written becomes the first of a list.
  const text = slot.draft.text.slice(startOf(only), endOf(only));
  const more = missing.map((destination) => flowText(book.write(destination), 'flow'));
  slot.draft.edits.push({ start: startOf(only), end: endOf(only), text: `[${[text, ...more].join(', ')}]` });
}

/** Takes items out of a list and appends others; an item that goes and one that comes are one edit. */
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
