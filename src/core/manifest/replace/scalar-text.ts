import type { Scalar } from 'yaml';
import { flowText } from '../update/value-text.ts';

/** Returns true if a text needs quotes at its place. */
export type NeedsQuotes = (text: string) => boolean;

/** Creates a test that asks the YAML library once per text, because an address may be in thousands of places. */
export function createNeedsQuotes(surrounding: 'block' | 'flow'): NeedsQuotes {
  const known = new Map<string, boolean>();
  return (text) => {
    const needed = known.get(text) ?? flowText(text, surrounding) !== text;
    known.set(text, needed);
    return needed;
  };
}

/**
 * Returns a text in the style of the text that it replaces. Quotes stay, but single quotes that only the old text
 * needed are removed, and added if only the new one needs them. So the reverse change restores the first text.
 */
export function textInStyle(
  { type, value }: Scalar,
  written: string,
  text: string,
  needsQuotes: NeedsQuotes,
): string {
  const old = String(value);
  const single = `'${text.replaceAll("'", "''")}'`;
  switch (type) {
    case 'QUOTE_DOUBLE':
      return JSON.stringify(text);
    case 'QUOTE_SINGLE':
      return needsQuotes(old) && !needsQuotes(text) ? text : single;
    case 'BLOCK_FOLDED':
    case 'BLOCK_LITERAL':
      return written.replace(old.trim(), () => text);
    default:
      return needsQuotes(text) ? single : text;
  }
}
