/** Maximum number of values in one answer. A hundred domains of v3 with 200 aliases each have about 110,000. */
const MOST_VALUES = 250_000;
const DEEPEST = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = bytesOf('{[');
const CLOSING = bytesOf('}]');
/** Bytes that precede a value. */
const BEFORE_VALUE = bytesOf('{[,');
const BLANK = bytesOf(' \t\r\n');

/**
 * Returns why a body must not be parsed, or null if it may be. Three bytes of JSON can take 100 bytes of memory, and JSON
 * that is nested too deeply cannot be printed again. A body that is not JSON is accepted.
 */
export function bodyFault(body: Buffer): string | null {
  if (!isJson(body)) return null;
  let values = 0;
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === QUOTE) {
      at = endOfText(body, at);
      continue;
    }
    values += BEFORE_VALUE[byte] ?? 0;
    depth += (OPENING[byte] ?? 0) - (CLOSING[byte] ?? 0);
    if (values > MOST_VALUES) return `the answer has more than ${MOST_VALUES} values`;
    if (depth > DEEPEST) return `the answer is nested more than ${DEEPEST} levels deep`;
  }
  return null;
}

function isJson(body: Buffer): boolean {
  const start = body.find((byte) => BLANK[byte] === 0);
  return start !== undefined && OPENING[start] === 1;
}

/** Returns the position of the quote that ends the text. */
function endOfText(body: Buffer, start: number): number {
  for (let at = start + 1; at < body.length; at += 1) {
    if (body[at] === QUOTE) return at;
    if (body[at] === BACKSLASH) at += 1;
  }
  return body.length;
}

/** Returns a table with 1 for each character of the text. */
function bytesOf(text: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of text) table[character.charCodeAt(0)] = 1;
  return table;
}
