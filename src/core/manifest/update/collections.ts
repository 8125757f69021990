import { isCollection, isMap, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import {
  behindAnchor,
  columnOf,
  endOf,
  lineStartOf,
  nextLineOf,
  startOf,
  type Draft,
  type DraftPlace,
} from './draft.ts';
import { lineBreakOf } from './edits.ts';
import { flowText, pairText, type Surrounding } from './value-text.ts';
import type { YamlValue } from '../../model/manifest/manifest-document.ts';

type Collection = YAMLMap | YAMLSeq;

/** A new entry of a map or list, on its own line or within brackets. */
export type NewItem = (surrounding: Surrounding) => string;

export function newPair(key: string, value: YamlValue): NewItem {
  return (surrounding) => pairText(key, flowText(value, surrounding), surrounding);
}

export function newListItem(value: YamlValue): NewItem {
  return (surrounding) => `${surrounding === 'block' ? '- ' : ''}${flowText(value, surrounding)}`;
}

/** A pair that gets another value, and its surroundings. */
export interface Slot {
  readonly draft: Draft;
  readonly pair: Pair;
  readonly surrounding: Surrounding;
}

/** Replaces a value. An anchor on it stays, because others may refer to it. */
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

/** The changes to a map or list. */
interface ItemChanges {
  readonly removed: ReadonlySet<unknown>;
  /** Items that follow the last remaining one. */
  readonly added: readonly NewItem[];
}

/**
 * Removes items of a map or list, and adds others. An empty collection is written as such, because a blank value is an
 * error. `owner` is the key whose value the collection is; null for an item of a list.
 */
export function editItems(
  draft: Draft,
  collection: Collection,
  changes: ItemChanges,
  owner: DraftPlace | null,
): void {
  const { removed, added } = changes;
  if (removed.size + added.length === 0) return;
  const last = (collection.items as unknown[]).findLast((item) => !removed.has(item));
  if (collection.flow === true && last === undefined) return refill(draft, collection, added, owner);
  for (const item of removed) removeItem(draft, collection, item);
  if (added.length > 0) addItems(draft, collection, added, last);
  else if (last === undefined && owner !== null) {
    const at = behindAnchor(draft, owner.pair, collection);
    draft.edits.push({ start: at, end: at, text: ` ${isMap(collection) ? '{}' : '[]'}` });
  }
}

function addItems(draft: Draft, collection: Collection, added: readonly NewItem[], last: unknown): void {
  if (collection.flow === true) {
    const more = added.map((item) => `, ${item('flow')}`);
    draft.edits.push({ start: endOf(last), end: endOf(last), text: more.join('') });
    return;
  }
  const first = isMap(collection) ? itemStart(collection.items[0]) : startOf(collection);
  insertLines(draft, endOf(collection), columnOf(draft.text, first), added);
}

/** Rewrites a bracketed collection that lost all its items: as lines unless it is within other brackets. */
function refill(
  draft: Draft,
  collection: Collection,
  added: readonly NewItem[],
  owner: DraftPlace | null,
): void {
  const { text, edits } = draft;
  const end = endOf(collection);
  if (owner === null || owner.map.flow === true || added.length === 0) {
    const items = added.map((item) => item('flow')).join(', ');
    const inBraces = items === '' ? '{}' : `{ ${items} }`;
    edits.push({ start: startOf(collection), end, text: isMap(collection) ? inBraces : `[${items}]` });
    return;
  }
  const indent = `${lineBreakOf(text)}${' '.repeat(columnOf(text, startOf(owner.pair.key)) + 2)}`;
  const lines = added.map((item) => `${indent}${item('block')}`);
  edits.push({ start: behindAnchor(draft, owner.pair, collection), end, text: lines.join('') });
}

/** Removes an item with its comma or its lines. */
function removeItem({ text, edits }: Draft, collection: Collection, item: unknown): void {
  const [start, end] = [itemStart(item), endOf(item)];
  if (collection.flow !== true) {
    edits.push({ start: lineStartOf(text, start), end: nextLineOf(text, end), text: '' });
    return;
  }
  const items: readonly unknown[] = collection.items;
  const index = items.indexOf(item);
  const next = items[index + 1];
  const previous = items[index - 1];
  if (next !== undefined) edits.push({ start, end: itemStart(next), text: '' });
  else edits.push({ start: previous === undefined ? start : endOf(previous), end, text: '' });
}

function itemStart(item: unknown): number {
  return startOf((item as Partial<Pair>).key ?? item);
}

/** Inserts lines below the line of this offset. */
function insertLines(
  { text, edits }: Draft,
  offset: number,
  column: number,
  items: readonly NewItem[],
): void {
  const lineBreak = lineBreakOf(text);
  const at = nextLineOf(text, offset);
  const first = at > 0 && text[at - 1] !== '\n' ? lineBreak : '';
  const lines = items.map((item) => `${' '.repeat(column)}${item('block')}${lineBreak}`);
  edits.push({ start: at, end: at, text: `${first}${lines.join('')}` });
}
