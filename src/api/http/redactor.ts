import type { Reply } from './dispatch.ts';

/** Takes values out of what the service says, in whatever encoding it repeats them. */
export interface Redactor {
  /** `shown` stands in its place; that of the first time counts. */
  readonly add: (value: string, shown: string) => void;
  /** The text without the values. Where one was encoded, what surrounds it is decoded too. Long texts are cut. */
  readonly redact: (text: string) => string;
}

/** Shorter ones are found in ordinary text by chance. */
const LEAST_LENGTH = 4;
const LONGEST_TEXT = 16_384;
/** How often one encoding may wrap another. */
const DEPTH = 3;
const ROUNDS = 8;
const HIDDEN = '***';

export function createRedactor(): Redactor {
  const shownOf = new Map<string, string>();
  let pattern: RegExp | null = null;
  return {
    add(value, shown) {
      const folded = fold(value);
      if (value.length < LEAST_LENGTH || shownOf.has(folded)) return;
      shownOf.set(folded, shown);
      pattern = null;
    },
    redact(text) {
      pattern ??= patternOf(shownOf.keys());
      return redactWith(pattern, text, (found) => shownOf.get(fold(found)) ?? HIDDEN);
    },
  };
}

/** Without case, and with `+` for a space or the reverse, as forms are encoded. */
function patternOf(values: Iterable<string>): RegExp {
  const longestFirst = [...values].sort((a, b) => b.length - a.length);
  const alternatives = longestFirst.map((value) =>
    value.replace(/[.*?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '[+ ]'),
  );
  // Matches nothing where there are none.
  return new RegExp(alternatives.length === 0 ? '(?!)' : alternatives.join('|'), 'gi');
}

function fold(value: string): string {
  return value.toLowerCase().replaceAll('+', ' ');
}

function redactWith(pattern: RegExp, text: string, show: (found: string) => string): string {
  let current = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  const holds = (candidate: string): boolean => candidate.search(pattern) >= 0;
  const hides = (token: string): boolean => decodingsOfBase64(token).some(holds);
  for (let round = 0; round < ROUNDS; round += 1) {
    const decodings = decodingsOf(current);
    const found = decodings.find((decoding) => holds(decoding) || decoding.match(TOKEN)?.some(hides));
    if (found === undefined) return current;
    const plain = found.replace(pattern, show);
    current = plain.replace(TOKEN, (token) => (hides(token) ? HIDDEN : token));
  }
  return HIDDEN;
}

const DECODERS = [decodeJson, decodePercent, decodeHtml] as const;

/** The text itself, and what it says to whoever decodes it. */
function decodingsOf(text: string): readonly string[] {
  // Most texts are not encoded, and a page of the logs has hundreds.
  if (!/[\\%&]/.test(text)) return [text];
  const decodings = new Set([text]);
  let latest = [text];
  for (let depth = 0; depth < DEPTH; depth += 1) {
    latest = latest
      .flatMap((decoding) => DECODERS.map((decode) => decode(decoding)))
      .filter((decoding) => !decodings.has(decoding));
    for (const decoding of latest) decodings.add(decoding);
  }
  return [...decodings];
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function decodeJson(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|([^]))/gi, (_, code?: string, char = '') =>
    code === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  quot: '"',
  nbsp: ' ',
};

function decodeHtml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (entity, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? entity;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}

/** What may be base64, in either alphabet. */
const TOKEN = /[\w+/-]{6,}={0,2}/g;

/** Letters of the alphabet may stand before it: each of the four places where it can begin is tried. */
function decodingsOfBase64(token: string): readonly string[] {
  return [0, 1, 2, 3].flatMap((start) =>
    decodingsOf(Buffer.from(token.slice(start), 'base64').toString('utf8')),
  );
}

/**
 * An answer as it may go on: every text for people in it is redacted. What else an answer of a successful request holds is
 * data, by which the account is judged, and stays as it is.
 */
export function redactReply(reply: Reply, { redact }: Redactor): Reply {
  if (reply.kind === 'failure') return { ...reply, message: redact(reply.message) };
  const scope = reply.status >= 200 && reply.status < 300 ? 'messages' : 'everything';
  if (scope === 'messages' && !/"(?:message|errors?)"/.test(reply.text)) return reply;
  return { ...reply, text: redactBody(reply.text, scope, redact) };
}

function redactBody(
  text: string,
  scope: 'messages' | 'everything',
  redact: (text: string) => string,
): string {
  let isChanged = false;
  const redacted = (part: string): string => {
    const after = redact(part);
    isChanged ||= after !== part;
    return after;
  };
  try {
    const value = walk(JSON.parse(text), { scope, depth: 0, redact: redacted });
    // Data is passed on as it was written: numbers do not survive every decoder.
    return isChanged || scope === 'everything' ? JSON.stringify(value) : text;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return scope === 'everything' ? redact(text) : text;
  }
}

interface Walk {
  readonly scope: 'messages' | 'everything';
  readonly depth: number;
  readonly redact: (text: string) => string;
}

/** v4: Errors; v3 writes `error` too. */
const MESSAGES: ReadonlySet<string> = new Set(['message', 'error', 'errors']);
const DEEPEST = 32;

function walk(value: unknown, { scope, depth, redact }: Walk): unknown {
  if (typeof value === 'string') return scope === 'everything' ? redact(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return scope === 'everything' ? HIDDEN : value;
  if (Array.isArray(value)) return value.map((item) => walk(item, { scope, depth: depth + 1, redact }));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const inner = MESSAGES.has(key) ? 'everything' : scope;
      return [
        scope === 'everything' ? redact(key) : key,
        walk(item, { scope: inner, depth: depth + 1, redact }),
      ];
    }),
  );
}
