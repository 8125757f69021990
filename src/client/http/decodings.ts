import { UNKNOWN } from '../../core/model/text/value-finder.ts';

/** Maximum number of nested encodings. */
const DEPTH = 3;

const DECODERS = [
  decodeEscapes,
  (text: string) => decodeBytes(text, '%', 'utf8'),
  (text: string) => decodeBytes(text, '%', 'latin1'),
  (text: string) => decodeBytes(text.replace(/=[ \t]*\r?\n/g, ''), '=', 'utf8'),
  (text: string) => decodeBytes(text.replace(/=[ \t]*\r?\n/g, ''), '=', 'latin1'),
  decodeHtml,
  decodeMisread,
  (text: string) => text.normalize('NFKC'),
] as const;

/**
 * Yields the text itself and its decodings as JSON, URL, HTML, mail or other charset. Before each decoding, `spend` gets the
 * length of the text.
 */
export function* decodingsOf(text: string, spend: (characters: number) => void): Generator<string> {
  yield text;
  // Most texts are not encoded, and a page of logs has hundreds.
  if (!/[\\%&=\x80-\uffff]/.test(text)) return;
  const seen = new Set([text]);
  let latest = [text];
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const decoded: string[] = [];
    for (const source of latest) {
      for (const decode of DECODERS) {
        spend(source.length);
        const decoding = decode(source);
        if (seen.has(decoding)) continue;
        seen.add(decoding);
        decoded.push(decoding);
        yield decoding;
      }
    }
    latest = decoded;
  }
}

/** Possible base64 in either alphabet, or hexadecimal digits. Long lines may continue after white space. */
export const TOKEN = /(?:[\w+/-]{16,}\s+)+[\w+/-]+={0,2}|[\w+/-]{6,}={0,2}/g;

/**
 * Yields the decodings of a token. Other letters of the alphabet may precede it, so each of the four possible offsets is
 * tried.
 */
export function* decodingsOfToken(token: string, spend: (characters: number) => void): Generator<string> {
  const letters = token.replace(/\s+/g, '');
  for (const start of [0, 1, 2, 3])
    yield* decodingsOfBytes(Buffer.from(letters.slice(start), 'base64'), spend);
  if (!/^[\da-f]+$/i.test(letters)) return;
  for (const start of [0, 1]) yield* decodingsOfBytes(Buffer.from(letters.slice(start), 'hex'), spend);
}

function* decodingsOfBytes(bytes: Buffer, spend: (characters: number) => void): Generator<string> {
  yield* decodingsOf(bytes.toString('utf8'), spend);
  if (bytes.some((byte) => byte >= 0x80)) yield bytes.toString('latin1').normalize('NFKC');
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Decodes escapes of JSON, of `escape()` and of programs that print texts. */
function decodeEscapes(text: string): string {
  const escape = /[\\%]u([0-9a-f]{4})|\\(?:u\{([0-9a-f]{1,6})\}|U([0-9a-f]{8})|x([0-9a-f]{2})|([^]))/gi;
  return text.replace(
    escape,
    (whole, unit?: string, braced?: string, long?: string, byte?: string, char = '') => {
      const digits = unit ?? braced ?? long ?? byte;
      return digits === undefined ? (ESCAPES[char] ?? char) : characterOf(Number.parseInt(digits, 16), whole);
    },
  );
}

function decodeBytes(text: string, sign: '%' | '=', charset: 'utf8' | 'latin1'): string {
  const bytes = sign === '%' ? /(?:%[0-9a-f]{2})+/gi : /(?:=[0-9a-f]{2})+/gi;
  return text.replace(bytes, (run) => Buffer.from(run.replaceAll(sign, ''), 'hex').toString(charset));
}

/** Named HTML entities to decode. HTML has many more for characters other than letters; they become an unknown character. */
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  quot: '"',
  nbsp: ' ',
  fjlig: 'fj',
};

function decodeHtml(text: string): string {
  const entity = /&(?:#(\d{1,7});?|#x([0-9a-f]{1,6});?|([a-z][a-z\d]{1,30});)/gi;
  return text.replace(entity, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? UNKNOWN;
    return characterOf(decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal), whole);
  });
}

function characterOf(code: number, otherwise: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
}

/** Decodes UTF-8 that was read as Latin-1. */
function decodeMisread(text: string): string {
  return /[^\x00-\xff]/.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8');
}
