import { CST, type YAMLSeq } from 'yaml';
import { endOf, lineStartOf, nextLineOf } from '../update/draft.ts';
import type { Edit } from '../update/edits.ts';

/**
 * Takes an item out of a list: with its dash and its line, or with its comma. Comments stay where they are, and so does every
 * other item as it is written.
 */
export function removalOf(text: string, list: YAMLSeq, index: number): readonly Edit[] {
  const tokens = itemTokens(list)[index];
  const [first, ...others] = (tokens?.start ?? []).filter(({ type }) => !BETWEEN.has(type));
  const value = tokens?.value;
  if (value === undefined) return [];
  const item = { start: first?.offset ?? value.offset, end: endOf(list.items[index]) };
  if (list.flow === true) return flowRemoval(text, list, { index, item });
  const comment = tokens?.start.find(({ type, offset }) => type === 'comment' && offset > item.start);
  if (comment === undefined) return [wholeLine(text, item)];
  const rest = others.find(({ offset }) => offset > comment.offset)?.offset ?? value.offset;
  return [{ start: item.start, end: comment.offset, text: '' }, wholeLine(text, { ...item, start: rest })];
}

interface Range {
  readonly start: number;
  readonly end: number;
}

const BETWEEN: ReadonlySet<string> = new Set(['space', 'newline', 'comment', 'comma']);

function itemTokens({ srcToken }: YAMLSeq): readonly CST.CollectionItem[] {
  if (srcToken === undefined || !CST.isCollection(srcToken)) throw new Error('a list has no tokens');
  return srcToken.items.filter(({ value }) => value !== undefined);
}

/** What is left empty of the line goes, too. */
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

/** The comma behind the item goes with it; where there is none, the one before it. */
function flowRemoval(
  text: string,
  list: YAMLSeq,
  { index, item }: { readonly index: number; readonly item: Range },
): readonly Edit[] {
  const behind = commaOf(list, index + 1);
  if (behind !== null) {
    const range = { start: item.start, end: behind + 1 };
    const line = wholeLine(text, range);
    if (line.end - line.start > range.end - range.start) return [line];
    return [{ ...range, end: range.end + spacesIn(text.slice(range.end)), text: '' }];
  }
  const comma = commaOf(list, index);
  if (comma === null) return [{ ...item, text: '' }];
  const isBesideIt = text.slice(comma + 1, item.start).trim() === '';
  if (isBesideIt) return [{ start: comma, end: item.end, text: '' }];
  return [{ start: comma, end: comma + 1, text: '' }, wholeLine(text, item)];
}

/** Returns where the comma before an item is, or before the closing bracket; null means that there is none. */
function commaOf({ srcToken }: YAMLSeq, index: number): number | null {
  if (srcToken?.type !== 'flow-collection') return null;
  const comma = srcToken.items[index]?.start.find(({ type }) => type === 'comma');
  return comma?.offset ?? null;
}
