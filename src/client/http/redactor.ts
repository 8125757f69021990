import { createValueFinder, UNKNOWN, type ValueFinder } from '../../core/model/text/value-finder.ts';
import { decodingsOf, decodingsOfToken, TOKEN } from './decodings.ts';
import type { Reply } from './dispatch.ts';

/** Removes values from the service's texts, in any encoding in which it repeats them. */
export interface Redactor {
  /** Adds a value to redact. `shown` replaces it; if a value is added twice, the first replacement counts. */
  readonly add: (value: string, shown: string) => void;
  /** Returns the text without the values. Near a value that was encoded, the text is decoded too. Long texts are cut. */
  readonly redact: (text: string, effort?: Effort) => string;
}

/** Number of characters that may still be searched, in all decodings of one text or of all texts of an answer. */
interface Effort {
  left: number;
}

/** Texts are searched up to the first length and shown up to the second. */
const LONGEST_SEARCHED = 65_536;
const LONGEST_SHOWN = 16_384;
/** Characters that are searched and decoded: about a third of a second. The texts of an answer share them. */
const MOST_SEARCHED = 2 ** 24;
/** Minimum effort for a text, in characters. A short text takes as long as this many. */
const LEAST_EFFORT = 16;
const ROUNDS = 8;
/** Texts without a value that are remembered, and the longest of them. */
const MOST_CLEAN = 1_000;
const LONGEST_CLEAN = 200;
const HIDDEN = '***';

export function createRedactor(): Redactor {
  const shownOf = new Map<string, string>();
  const finder = createValueFinder();
  /** Texts without a value. Every entry of a log has the same names of servers and replies. */
  const clean = new Set<string>();
  return {
    add(value, shown) {
      clean.clear();
      for (const form of [value, value.normalize('NFKC')]) {
        if (!shownOf.has(form)) shownOf.set(form, shown);
        finder.add(form);
      }
    },
    redact(text, effort = { left: MOST_SEARCHED }) {
      if (clean.has(text)) return text;
      const isCut = text.length > LONGEST_SEARCHED;
      const searched = text.slice(0, LONGEST_SEARCHED);
      const redacted = redactWith(finder, searched, {
        effort,
        show: (value) => shownOf.get(value) ?? HIDDEN,
      });
      // A value at the cut is not recognized, so the text near it is not shown.
      const most = isCut ? Math.min(redacted.length / 4, LONGEST_SHOWN) : LONGEST_SHOWN;
      if (redacted === text && text.length <= LONGEST_CLEAN) {
        if (clean.size === MOST_CLEAN) clean.clear();
        clean.add(text);
      }
      return redacted.length > most ? `${redacted.slice(0, most)}…` : redacted;
    },
  };
}

function redactWith(
  finder: ValueFinder,
  text: string,
  { effort, show }: { readonly effort: Effort; readonly show: (value: string) => string },
): string {
  let current = text;
  const spend = (characters: number): void => {
    effort.left -= Math.max(characters, LEAST_EFFORT);
  };
  // A text that takes too long to search counts as containing a value.
  const holds = (candidate: string): boolean => {
    spend(candidate.length);
    return effort.left < 0 || finder.isIn(candidate);
  };
  const hides = (token: string): boolean => decodingsOfToken(token, spend).some(holds);
  for (let round = 0; round < ROUNDS; round += 1) {
    const found = decodingsOf(current, spend).find(
      (decoding) => holds(decoding) || decoding.match(TOKEN)?.some(hides),
    );
    if (effort.left < 0) return HIDDEN;
    if (found === undefined) return current;
    const plain = finder.replaceIn(found, show);
    current = plain.replace(TOKEN, (token) => (hides(token) ? HIDDEN : token)).replaceAll(UNKNOWN, '?');
  }
  return HIDDEN;
}

/**
 * Fields that people read and that decide nothing (v4: Errors, Account, Domain verification, Email log). v3 also has
 * `error`.
 */
const TEXTS: ReadonlySet<string> = new Set([
  'message',
  'error',
  'errors',
  'lock_reason',
  'provider',
  'subject',
  'hostname',
  'local',
  'server',
]);
/** Matches one of their names, or an escaped letter, which may be part of one. */
const MAY_HAVE_TEXTS = new RegExp(String.raw`"(?:${[...TEXTS].join('|')})"|\\u00[4-7]`);

/**
 * Redacts every text for people in an answer. All other content of a successful answer is data that decides about the
 * account, and stays unchanged.
 */
export function redactReply(reply: Reply, { redact }: Redactor): Reply {
  if (reply.kind === 'failure') return { ...reply, message: redact(reply.message) };
  const scope = reply.status >= 200 && reply.status < 300 ? 'texts' : 'everything';
  if (scope === 'texts' && !MAY_HAVE_TEXTS.test(reply.text)) return reply;
  const effort = { left: MOST_SEARCHED };
  return { ...reply, text: redactBody(reply.text, scope, (text) => redact(text, effort)) };
}

function redactBody(text: string, scope: 'texts' | 'everything', redact: (text: string) => string): string {
  let isChanged = false;
  const redacted = (part: string): string => {
    const after = redact(part);
    isChanged ||= after !== part;
    return after;
  };
  try {
    const value = walk(JSON.parse(text), { scope, depth: 0, redact: redacted });
    // Data is passed on in its original form, because not every decoder preserves numbers.
    return isChanged || scope === 'everything' ? JSON.stringify(value) : text;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return scope === 'everything' ? redact(text) : text;
  }
}

interface Walk {
  readonly scope: 'texts' | 'everything';
  readonly depth: number;
  readonly redact: (text: string) => string;
}

const DEEPEST = 32;

function walk(value: unknown, { scope, depth, redact }: Walk): unknown {
  if (typeof value === 'string') return scope === 'everything' ? redact(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return scope === 'everything' ? HIDDEN : value;
  if (Array.isArray(value)) return value.map((item) => walk(item, { scope, depth: depth + 1, redact }));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const inner = TEXTS.has(key) ? 'everything' : scope;
      return [
        scope === 'everything' ? redact(key) : key,
        walk(item, { scope: inner, depth: depth + 1, redact }),
      ];
    }),
  );
}
