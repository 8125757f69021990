import type { YAMLSeq } from 'yaml';
import { endOf, lineStartOf, nextLineOf, startOf, type Draft } from './draft.ts';
import { lineBreakOf } from './edits.ts';

/** Sorts the items of a list by their ranks. An item without a rank stays after the item before it. */
export function reorder(draft: Draft, list: YAMLSeq, ranks: readonly (number | null)[]): void {
  const order = orderOf(ranks);
  if (order.every((index, position) => index === position)) return;
  if (list.flow === true) reorderFlow(draft, list, order);
  else reorderLines(draft, list, order);
}

function orderOf(ranks: readonly (number | null)[]): readonly number[] {
  let latest = -Infinity;
  return ranks
    .map((rank, index) => ({ index, rank: (latest = rank ?? latest) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ index }) => index);
}

function reorderFlow({ text, edits }: Draft, list: YAMLSeq, order: readonly number[]): void {
  for (const [position, index] of order.entries()) {
    if (index === position) continue;
    const [item, other] = [list.items[position], list.items[index]];
    edits.push({ start: startOf(item), end: endOf(item), text: text.slice(startOf(other), endOf(other)) });
  }
}

/** Sorts the items of a block list. The last line of a file may lack its line break. */
function reorderLines(draft: Draft, list: YAMLSeq, order: readonly number[]): void {
  const { text, edits } = draft;
  const lineBreak = lineBreakOf(text);
  const slices = blockSlices(draft, list);
  const lines = order.map((index) => {
    const slice = text.slice(...(slices[index] as [number, number]));
    return slice.endsWith('\n') ? slice : `${slice}${lineBreak}`;
  });
  const [start = 0, end = 0] = [slices[0]?.[0], slices.at(-1)?.[1]];
  const moved = lines.join('');
  edits.push({ start, end, text: text[end - 1] === '\n' ? moved : moved.slice(0, -lineBreak.length) });
}

/** Returns the lines of each item, with the comments above it. Comments above the first item stay in place. */
function blockSlices({ text }: Draft, list: YAMLSeq): readonly (readonly [number, number])[] {
  let begin = lineStartOf(text, startOf(list.items[0]));
  return list.items.map((item) => {
    const slice = [begin, nextLineOf(text, endOf(item))] as const;
    begin = slice[1];
    return slice;
  });
}
