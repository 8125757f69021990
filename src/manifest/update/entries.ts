import { isMap, type Pair, type YAMLMap } from 'yaml';
import { writeForward, type Book } from './book.ts';
import {
  afterColon,
  columnOf,
  endOf,
  findPair,
  inlineAlias,
  lineStartOf,
  startOf,
  type Draft,
  type DraftPlace,
} from './draft.ts';
import { lineBreakOf } from './edits.ts';
import { flowText, pairText, type YamlValue } from './flow.ts';
import { insertLines, removeItem, setForward, setValue } from './values.ts';

/** What becomes of an entry of a map. */
export type EntryChange =
  | { readonly kind: 'remove' }
  | { readonly kind: 'value'; readonly value: YamlValue }
  | { readonly kind: 'forward'; readonly forward: string };

export type EntryChanges = ReadonlyMap<string, EntryChange>;

/** Changes entries of the map under a pair, such as the aliases of a domain; new ones come last. */
export function editEntries(place: DraftPlace, changes: EntryChanges, book: Book): void {
  const { draft, document, pair } = place;
  if (inlineAlias(draft, document, pair.value) || !isMap(pair.value)) return;
  const map = pair.value;
  const removed = new Set<Pair>();
  const added: [string, YamlValue][] = [];
  for (const [key, change] of changes) {
    const own = findPair(map, key);
    if (own !== undefined && change.kind === 'remove') removed.add(own);
    else if (own !== undefined) setEntry(draft, map, own, { change, book });
    else if (change.kind !== 'remove') added.push([key, writeEntry(change, book)]);
  }
  removePairs(draft, pair, map, { removed, refilled: added.length > 0 });
  if (added.length > 0) addPairs(draft, pair, map, { removed, added });
}

type Setting = Exclude<EntryChange, { readonly kind: 'remove' }>;

/** The value of an entry that is new. */
export function writeEntry(change: Setting, book: Book): YamlValue {
  return change.kind === 'value' ? change.value : writeForward(change.forward, book);
}

function setEntry(
  draft: Draft,
  map: YAMLMap,
  pair: Pair,
  { change, book }: { readonly change: EntryChange; readonly book: Book },
): void {
  const slot = { draft, pair, surrounding: map.flow === true ? 'flow' : 'block' } as const;
  if (change.kind === 'value') setValue(slot, change.value);
  if (change.kind === 'forward') setForward(slot, change.forward, book);
}

/** A section that is left empty says so: a blank value is an error. */
function removePairs(
  draft: Draft,
  owner: Pair,
  map: YAMLMap,
  { removed, refilled }: { readonly removed: ReadonlySet<Pair>; readonly refilled: boolean },
): void {
  const all = removed.size > 0 && removed.size === map.items.length;
  if (all && map.flow === true) {
    if (!refilled) draft.edits.push({ start: startOf(map), end: endOf(map), text: '{}' });
    return;
  }
  for (const pair of removed) removeItem(draft, map, pair);
  if (!all || refilled) return;
  const at = behindAnchor(draft, owner, map);
  draft.edits.push({ start: at, end: at, text: ' {}' });
}

function behindAnchor(draft: Draft, owner: Pair, { anchor }: YAMLMap): number {
  const colon = afterColon(draft, owner);
  return anchor === undefined ? colon : draft.text.indexOf(`&${anchor}`, colon) + anchor.length + 1;
}

function addPairs(
  draft: Draft,
  owner: Pair,
  map: YAMLMap,
  {
    removed,
    added,
  }: { readonly removed: ReadonlySet<Pair>; readonly added: readonly (readonly [string, YamlValue])[] },
): void {
  const { text, edits } = draft;
  const pairs = (surrounding: 'block' | 'flow'): readonly string[] =>
    added.map(([key, value]) => pairText(key, flowText(value, surrounding), surrounding));
  const last = map.items.findLast((pair) => !removed.has(pair));
  if (map.flow !== true) {
    const [first] = map.items;
    const indent = ' '.repeat(columnOf(text, startOf(first?.key)));
    return insertLines(
      draft,
      endOf(map.items.at(-1)),
      pairs('block').map((pair) => `${indent}${pair}`),
    );
  }
  if (last !== undefined) {
    edits.push({ start: endOf(last), end: endOf(last), text: `, ${pairs('flow').join(', ')}` });
    return;
  }
  const isNested = text.slice(lineStartOf(text, startOf(map)), startOf(map)).includes('{');
  const { start, end } = { start: startOf(map), end: endOf(map) };
  if (isNested) edits.push({ start, end, text: `{ ${pairs('flow').join(', ')} }` });
  else {
    const indent = `${lineBreakOf(text)}${' '.repeat(columnOf(text, startOf(owner.key)) + 2)}`;
    const lines = pairs('block').map((pair) => `${indent}${pair}`);
    edits.push({ start: afterColon(draft, owner), end, text: lines.join('') });
  }
}
