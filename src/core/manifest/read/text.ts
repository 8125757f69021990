import type { Source } from '../../model/manifest/problem.ts';

/** A manifest as it was read; `file` is its name for people, `-` for standard input. */
export interface ManifestText {
  readonly file: string;
  readonly text: string | Uint8Array;
}

/** A decoded text with the positions of its lines. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** Offset of the first character of each line. */
  readonly lineStarts: readonly number[];
}

/** A position as an offset. Line and column are computed on demand, because most are never needed. */
export interface Place {
  readonly within: SourceText;
  /** In UTF-16 code units, as editors count. */
  readonly offset: number;
}

export function createSourceText(file: string, text: string): SourceText {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { file, text, lineStarts };
}

/** Returns the file, line and column of a place. */
export function sourceOf({ within, offset }: Place): Source {
  const { lineStarts } = within;
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { file: within.file, line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 };
}
