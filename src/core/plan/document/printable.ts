import { escapeInvisible } from '../../model/names.ts';

/**
 * Escapes every text in a document, including field names. Anyone may have written a saved plan, and no field may
 * forge a line of output. Escaped text stays as it is.
 */
export function printable<Document>(document: Document): Document {
  return escaped(document) as Document;
}

function escaped(value: unknown): unknown {
  if (typeof value === 'string') return escapeInvisible(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [escapeInvisible(name), escaped(part)]),
  );
}
