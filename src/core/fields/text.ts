import { showText, type References } from '../model/destinations.ts';
import type { KeptText } from '../model/history/entries.ts';
import type { Concealment } from './codec.ts';

/** Returns a text as the history keeps it, with values behind references concealed. */
export function keepText(text: string, { references, print }: Concealment): KeptText {
  const shown = showKnown(text, references);
  return shown === text ? text : { shown, print: print(text) };
}

/** Shows a text with references in place of their values. */
export function showKnown(text: string, references: References): string {
  // Every value is an address or a URL. Most names contain neither `@` nor `:`, and there may be a million of them.
  return /[@:]/.test(text) ? showText(text, { references, mask: false }) : text;
}
