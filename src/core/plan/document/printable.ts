import { escapeInvisible } from '../../model/names.ts';

/**
 * A document with every text in it escaped, names of fields included: a saved plan is a file that anybody may have
 * written, and no field of it may forge a line of the output. What is escaped already stays as it is.
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
