import { UNKNOWN } from '../../core/model/text/value-finder.ts';

/** How often one encoding may wrap another. */
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
 * Yields the text itself, and how programs read it that take it for JSON, a URL, HTML, a mail or text in another charset.
 * `spend` is told the length of each text before it is decoded.
 */
export function* decodingsOf(text: string, spend: (characters: number) => void): Generator<string> {
  yield text;
  // Most texts are not encoded, and a page of the logs has hundreds.
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

/** What may be base64 in either alphabet, or hexadecimal digits; long lines may go on after white space. */
export const TOKEN = /(?:[\w+/-]{16,}\s+)+[\w+/-]+={0,2}|[\w+/-]{6,}={0,2}/g;

/** Letters of the alphabet may stand before it: each of the four places where it can begin is tried. */
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

/** Escapes of JSON, of `escape()` and of programs that print texts. */
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

/** Names of HTML that stand for what is no letter are many: any but these stands for a character that is not known. */
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

/** UTF-8 that was read as Latin-1. */
function decodeMisread(text: string): string {
  return /[^\x00-\xff]/.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8');
}
