import { Parser, type CST } from 'yaml';
import { walkTokens } from './tokens.ts';

/** An opening bracket or quote, and its offset in the text. */
interface Opening {
  readonly sign: string;
  readonly offset: number;
}

/**
 * Finds the bracket or quote that is still open at the first fault of a document; null means none. A closed bracket
 * ends before the fault, so the last one that opened before the fault is returned.
 */
export function findUnclosed(
  text: string,
  [start, end]: readonly [number, number],
  fault: number,
): Opening | null {
  let last: Opening | null = null;
  for (const document of new Parser().parse(text.slice(start, end))) {
    if (document.type !== 'document') continue;
    for (const { token } of walkTokens(document)) {
      const offset = start + token.offset;
      if (offset <= fault && offset >= (last?.offset ?? 0) && isUnclosed(token))
        last = { sign: text.charAt(offset), offset };
    }
  }
  return last;
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}' };

function isUnclosed(token: CST.Token): boolean {
  switch (token.type) {
    case 'flow-collection':
      return token.end[0]?.source !== CLOSING[token.start.source];
    case 'single-quoted-scalar':
    case 'double-quoted-scalar':
      return token.source.length < 2 || !token.source.endsWith(token.source.charAt(0));
    default:
      return false;
  }
}
