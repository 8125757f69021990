import type { CST } from 'yaml';

/** A token of a document and its level of nesting, from 1. */
export interface NestedToken {
  readonly token: CST.Token;
  readonly level: number;
}

/** Yields all values and keys of a document. It does not recurse, because the text may be nested without limit. */
export function* walkTokens(document: CST.Document): Generator<NestedToken> {
  const open: NestedToken[] = [];
  if (document.value !== undefined) open.push({ token: document.value, level: 1 });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next;
    const { token, level } = next;
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      if (key !== undefined && key !== null) open.push({ token: key, level: level + 1 });
      if (value !== undefined) open.push({ token: value, level: level + 1 });
    }
  }
}
