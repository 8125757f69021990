import type { Scalar } from 'yaml';
import { flowText } from '../update/value-text.ts';

/** Says whether a text needs quotes where it stands. */
export type NeedsQuotes = (text: string) => boolean;

/** Asks the YAML library once for each text: an address may stand at thousands of places. */
export function createNeedsQuotes(surrounding: 'block' | 'flow'): NeedsQuotes {
  const known = new Map<string, boolean>();
  return (text) => {
    const needed = known.get(text) ?? flowText(text, surrounding) !== text;
    known.set(text, needed);
    return needed;
  };
}

/**
 * Returns a text as it is written in the place of another one, in its style. Quotes stay; single ones that only the old text
 * needed go, and come where only the new one needs them: so the way back leads to the first text.
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
