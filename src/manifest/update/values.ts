import { isAlias, isCollection, isMap, isSeq, type Node, type Pair, type YAMLSeq } from 'yaml';
import { destinationsOf } from '../../model/destinations.ts';
import { writeForward, type Book } from './book.ts';
import { afterColon, columnOf, endOf, lineStartOf, nextLineOf, startOf, type Draft } from './draft.ts';
import { lineBreakOf } from './edits.ts';
import { flowText, type Surrounding, type YamlValue } from './flow.ts';

/** Where a pair is that gets another value. */
export interface Slot {
  readonly draft: Draft;
  readonly pair: Pair;
  readonly surrounding: Surrounding;
}

/** Puts a value in the place of another one; an anchor on it stays, for others may refer to it. */
export function setValue({ draft, pair, surrounding }: Slot, value: YamlValue): void {
  const node = pair.value;
  const text = flowText(value, surrounding);
  if (node === null || (isCollection(node) && node.flow !== true)) {
    const anchor =
      node === null || (node as Node & { anchor?: string }).anchor === undefined ? '' : ` &${anchorOf(node)}`;
    const start = afterColon(draft, pair);
    draft.edits.push({ start, end: node === null ? start : endOf(node), text: `${anchor} ${text}` });
    return;
  }
  draft.edits.push({ start: startOf(node), end: endOf(node), text });
}

function anchorOf(node: unknown): string {
  return (node as { readonly anchor?: string }).anchor ?? '';
}

/** Makes what is written mean the live destinations; what of a list says the truth stays as it is written. */
export function setForward(slot: Slot, live: string, book: Book): void {
  const { pair } = slot;
  const wanted = new Set<string>(destinationsOf(live));
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
    if (value === undefined) removeItem(draft, list, item);
    else {
      draft.edits.push({
        start: startOf(item),
        end: endOf(item),
        text: flowText(value, flow ? 'flow' : 'block'),
      });
    }
  }
  const rest = missing.slice(gone.length);
  if (rest.length > 0) appendItems(draft, list, rest);
}

/** Takes an item out of a list or a flow map, its comma or its lines included. */
export function removeItem(
  draft: Draft,
  collection: { readonly items: unknown[]; readonly flow?: boolean | undefined },
  item: unknown,
): void {
  const { text } = draft;
  const { items } = collection;
  const index = items.indexOf(item);
  const [start, end] = [itemStart(item), endOf(item)];
  if (collection.flow !== true) {
    draft.edits.push({ start: lineStartOf(text, start), end: nextLineOf(text, end), text: '' });
    return;
  }
  const next = items[index + 1];
  const previous = items[index - 1];
  if (next !== undefined) draft.edits.push({ start, end: itemStart(next), text: '' });
  else draft.edits.push({ start: previous === undefined ? start : endOf(previous), end, text: '' });
}

function itemStart(item: unknown): number {
  const pair = item as Partial<Pair>;
  return startOf(pair.key ?? item);
}

/** Behind the last item, one line each in a block list. */
export function appendItems(draft: Draft, list: YAMLSeq, values: readonly YamlValue[]): void {
  const { text, edits } = draft;
  const last = list.items.at(-1);
  if (list.flow === true) {
    const added = values.map((value) => flowText(value, 'flow')).join(', ');
    const at = last === undefined ? startOf(list) + 1 : endOf(last);
    edits.push({ start: at, end: at, text: last === undefined ? added : `, ${added}` });
    return;
  }
  const lines = values.map(
    (value) => `${' '.repeat(columnOf(text, startOf(list)))}- ${flowText(value, 'block')}`,
  );
  insertLines(draft, endOf(last), lines);
}

/** Lines below the line of this offset. */
export function insertLines({ text, edits }: Draft, offset: number, lines: readonly string[]): void {
  const lineBreak = lineBreakOf(text);
  const at = nextLineOf(text, offset);
  const first = at > 0 && text[at - 1] !== '\n' ? lineBreak : '';
  edits.push({ start: at, end: at, text: `${first}${lines.map((line) => `${line}${lineBreak}`).join('')}` });
}
