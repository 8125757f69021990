import { CST, type YAMLSeq } from 'yaml';
import { endOf, lineStartOf, nextLineOf } from '../update/draft.ts';
import type { Edit } from '../update/edits.ts';

/**
 * Removes items from a list of which others stay: each with its dash and line, or with its comma. Comments and all
 * other items stay as written. Edits never overlap.
 */
export function removalsFrom(text: string, list: YAMLSeq, indexes: ReadonlySet<number>): readonly Edit[] {
  const tokens = itemTokens(list);
  if (list.flow !== true) {
    return [...indexes].flatMap((index) => blockRemoval(text, rangeOf(list, tokens, index), tokens[index]));
  }
  const removed = [...indexes].flatMap((index) =>
    flowRemoval(text, list, rangeOf(list, tokens, index), index),
  );
  const lastKept = list.items.findLastIndex((_, index) => !indexes.has(index));
  const isEndKept = lastKept === list.items.length - 1 || commaOf(list, list.items.length) !== null;
  if (isEndKept) return removed;
  // The last remaining item must not be followed by a comma.
  const comma = commaOf(list, lastKept + 1) ?? 0;
  const next = rangeOf(list, tokens, lastKept + 1).start;
  const isBesideIt = comma + 1 + spacesIn(text.slice(comma + 1)) === next;
  return [...removed, { start: comma, end: isBesideIt ? next : comma + 1, text: '' }];
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function itemTokens({ srcToken }: YAMLSeq): readonly CST.CollectionItem[] {
  if (srcToken === undefined || !CST.isCollection(srcToken)) throw new Error('a list has no tokens');
  return srcToken.items.filter(({ value }) => value !== undefined);
}

const BETWEEN: ReadonlySet<string> = new Set(['space', 'newline', 'comment', 'comma']);

/** Returns the range of an item, including its dash and anchor. */
function rangeOf(list: YAMLSeq, tokens: readonly CST.CollectionItem[], index: number): Range {
  const { start = [], value } = tokens[index] ?? {};
  const first = start.find(({ type }) => !BETWEEN.has(type));
  return { start: first?.offset ?? value?.offset ?? 0, end: endOf(list.items[index]) };
}

/** Removes an item of a block list. A comment between the dash and the item stays. */
function blockRemoval(
  text: string,
  item: Range,
  { start = [], value }: Partial<CST.CollectionItem> = {},
): readonly Edit[] {
  const comment = start.find(({ type, offset }) => type === 'comment' && offset > item.start);
  if (comment === undefined) return [wholeLine(text, item)];
  const anchor = start.find(({ type, offset }) => offset > comment.offset && !BETWEEN.has(type));
  const rest = anchor?.offset ?? value?.offset ?? item.end;
  return [{ start: item.start, end: comment.offset, text: '' }, wholeLine(text, { ...item, start: rest })];
}

/** Removes an item of a flow list with the comma after it. */
function flowRemoval(text: string, list: YAMLSeq, item: Range, index: number): readonly Edit[] {
  const comma = commaOf(list, index + 1);
  if (comma === null) return [wholeLine(text, item)];
  if (text.slice(item.end, comma).trim() !== '') {
    // There are comments before the comma.
    return [wholeLine(text, item), { start: comma, end: comma + 1, text: '' }];
  }
  const range = { start: item.start, end: comma + 1 };
  const line = wholeLine(text, range);
  if (line.end - line.start > range.end - range.start) return [line];
  return [{ ...range, end: range.end + spacesIn(text.slice(range.end)), text: '' }];
}

/** Removes a range, and the rest of its line if that is blank. */
function wholeLine(text: string, { start, end }: Range): Edit {
  const [before, after] = [text.slice(lineStartOf(text, start), start), restOfLine(text, end)];
  if (before.trim() !== '') return { start, end, text: '' };
  const isEmpty = after.trim() === '';
  const last = text[end - 1] === '\n' ? end : isEmpty ? nextLineOf(text, end) : end + spacesIn(after);
  return { start: isEmpty ? lineStartOf(text, start) : start, end: last, text: '' };
}

function restOfLine(text: string, offset: number): string {
  return text[offset - 1] === '\n' ? '' : text.slice(offset, nextLineOf(text, offset));
}

function spacesIn(text: string): number {
  return /^[ \t]*/.exec(text)?.[0].length ?? 0;
}

/** Returns the offset of the comma before an item, or before the closing bracket; null means that there is none. */
function commaOf({ srcToken }: YAMLSeq, index: number): number | null {
  if (srcToken?.type !== 'flow-collection') return null;
  const comma = srcToken.items[index]?.start.find(({ type }) => type === 'comma');
  return comma?.offset ?? null;
}
