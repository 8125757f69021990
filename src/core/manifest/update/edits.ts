import { Parser } from 'yaml';

/** A piece of a text, by offsets, and its replacement. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies edits to a text. An edit that overlaps an earlier one of the list is left for the next round. No comment
 * gets lost: a comment in a replaced piece moves to its own line after it, unless the new text contains it.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const comments = findComments(text);
  const chosen: Edit[] = [];
  for (const edit of edits) {
    if (!chosen.some((other) => overlaps(edit, other))) chosen.push(edit);
  }
  let result = text;
  for (const edit of chosen.toSorted((a, b) => b.start - a.start || b.end - a.end)) {
    const lost = comments.filter(
      ({ start, source }) => start >= edit.start && start < edit.end && !edit.text.includes(source),
    );
    result = splice(result, edit, lost.map((comment) => ownLine(text, comment)).join(''));
  }
  return result;
}

function overlaps(a: Edit, b: Edit): boolean {
  if (a.start === a.end || b.start === b.end) return a.start > b.start ? a.start < b.end : b.start < a.end;
  return a.start < b.end && b.start < a.end;
}

function splice(text: string, edit: Edit, comments: string): string {
  const before = text.slice(0, edit.start) + edit.text;
  const after = text.slice(edit.end);
  if (comments === '') return before + after;
  if (before === '' || before.endsWith('\n')) return before + comments + after;
  const rest = after.indexOf('\n') + 1;
  if (rest === 0) return `${before}${after}${lineBreakOf(text)}${comments}`;
  return before + after.slice(0, rest) + comments + after.slice(rest);
}

interface Comment {
  readonly start: number;
  readonly source: string;
}

/** Returns a comment as a line, indented like its original line. */
function ownLine(text: string, { start, source }: Comment): string {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const indent = /^ */.exec(text.slice(lineStart))?.[0] ?? '';
  return `${indent}${source.trimEnd()}${lineBreakOf(text)}`;
}

export function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function findComments(text: string): readonly Comment[] {
  const found: Comment[] = [];
  const open: unknown[] = [...new Parser().parse(text)];
  for (let token = open.pop(); token !== undefined; token = open.pop()) {
    if (typeof token !== 'object' || token === null) continue;
    if (isComment(token)) found.push({ start: token.offset, source: token.source });
    else open.push(...Object.values(token).filter((part) => typeof part === 'object'));
    if (Array.isArray(token)) open.push(...(token as unknown[]));
  }
  return [...new Map(found.map((comment) => [comment.start, comment])).values()].sort(
    (a, b) => a.start - b.start,
  );
}

function isComment(token: object): token is { readonly offset: number; readonly source: string } {
  return 'type' in token && token.type === 'comment' && 'offset' in token && 'source' in token;
}
