import { escapeInvisible } from '../../../core/model/names.ts';
import type { Problem } from '../../../core/model/manifest/problem.ts';
import type { ManifestText } from '../../../core/manifest/read/text.ts';

/**
 * Returns the line of a problem with a caret below its column, as lines to print. Returns none if the line may hold a
 * secret.
 */
export type Excerpt = (problem: Problem) => readonly string[];

/** Creates excerpts of the manifests that were read. `columns` is the width of the terminal. */
export function createExcerpt(
  texts: readonly ManifestText[],
  problems: readonly Problem[],
  columns: number,
): Excerpt {
  // A secret may span several lines, so no excerpt is shown of a file that holds one.
  const secret = new Set(
    problems.filter(({ code }) => SECRET_CODES.has(code)).map(({ source }) => source?.file),
  );
  const lines = new Map<string, readonly string[]>();
  const linesOf = (file: string): readonly string[] => {
    const known = lines.get(file) ?? splitLines(texts.find((text) => text.file === file));
    lines.set(file, known);
    return known;
  };
  return (problem) => {
    const { source } = problem;
    if (source === null || secret.has(source.file)) return [];
    const near = linesOf(source.file).slice(Math.max(0, source.line - LINES_OF_SECRET), source.line);
    const line = near.at(-1);
    if (line === undefined || line.trim() === '' || near.some((text) => SECRET.test(text))) return [];
    return draw(line, source.column - 1, columns - INDENT.length);
  };
}

const INDENT = '    ';
const SECRET_CODES: ReadonlySet<string> = new Set([
  'secret-in-manifest',
  'webhook-credentials',
  'reference-refused',
]);
/**
 * Words near which a secret may stand, on the same line or some lines below. A webhook's address is often a secret
 * itself.
 */
const SECRET = /pass|secret|token|key|auth|credential|:\/\//i;
const LINES_OF_SECRET = 5;

function splitLines(text: ManifestText | undefined): readonly string[] {
  if (text === undefined) return [];
  const whole = typeof text.text === 'string' ? text.text : new TextDecoder().decode(text.text);
  return whole.replace(/^\uFEFF/, '').split(/\r?\n/);
}

/** Returns at most `room` columns of the line, including the column of the problem. */
function draw(line: string, column: number, room: number): readonly string[] {
  const before = Array.from(line.slice(0, column), show);
  const after = Array.from(line.slice(column), show);
  const half = Math.max(8, Math.floor(room / 2));
  const left = fit(before.toReversed(), half).toReversed();
  const width = left.reduce((sum, part) => sum + widthOf(part), 0);
  const right = fit(after, Math.max(8, room - width));
  return [`${INDENT}${left.join('')}${right.join('')}`, `${INDENT}${' '.repeat(width)}^`];
}

/** Shows a character in one column. A tab is one column too, so that the caret does not depend on tab stops. */
function show(character: string): string {
  return character === '\t' ? ' ' : escapeInvisible(character);
}

function fit(parts: readonly string[], room: number): readonly string[] {
  let used = 0;
  const end = parts.findIndex((part) => (used += widthOf(part)) > room);
  return end < 0 ? parts : parts.slice(0, end);
}

/** Returns the columns on a terminal: two for East Asian wide characters and emoji, none for combining marks. */
function widthOf(part: string): number {
  if (part.length > 2) return part.length;
  if (/^\p{M}$/u.test(part)) return 0;
  const isWide =
    /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])$/u.test(
      part,
    );
  return isWide ? 2 : 1;
}
