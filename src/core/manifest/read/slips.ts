import { isNull, type Node } from './node.ts';

/** A name, a colon and a value with no space between them: YAML takes that for one text. */
export function lacksSpace(line: string): boolean {
  return /^\s*(?:- +)?[\w.*+-]+:[^\s/\\:]/.test(line);
}

export const SPACE_HINT = 'write a space after the colon: `name: value`';

/** Nobody wrote a larger map by hand, and each of its keys may ask. */
const MOST_SEARCHED = 200;

/**
 * The key above this one whose value was left blank, where there is one: what stands below it, at its own column, was
 * probably meant to be its value.
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

/** What to do where the key was probably meant to be below the one above it. */
export function indentHint(blank: string): string {
  return `if it belongs to "${blank}" above, indent it: two spaces more than "${blank}"`;
}
