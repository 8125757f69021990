import { isNull, type Node } from './node.ts';

/** True if a line has a name, a colon and a value without a space between them. YAML reads that as one text. */
export function lacksSpace(line: string): boolean {
  return /^\s*(?:- +)?[\w.*+-]+:[^\s/\\:]/.test(line);
}

export const SPACE_HINT = 'write a space after the colon: `name: value`';

/** The largest map that is searched. Handwritten maps are smaller, and each key may search. */
const MOST_SEARCHED = 200;

/**
 * Returns the key above this one whose value is blank; null if there is none. The entry below it, at its own column,
 * was probably meant as its value.
 */
export function blankAbove(map: Node, key: string): string | null {
  if (map.kind !== 'map' || map.entries.size > MOST_SEARCHED) return null;
  let blank: string | null = null;
  for (const entry of map.entries.values()) {
    if (entry.key.text === key) return blank;
    if (entry.value.kind === 'text' && entry.value.text === '' && isNull(entry.value)) blank = entry.key.text;
  }
  return null;
}

/** Returns the hint for a key that probably belongs below the one above it. */
export function indentHint(blank: string): string {
  return `if it belongs to "${blank}" above, indent it: two spaces more than "${blank}"`;
}
