import { showText } from '../model/destinations.ts';
import type { KeptText } from '../model/history/entries.ts';
import { succeed } from '../model/result.ts';
import { sameMatch, SCOPES, type RuleMatch, type Scope } from '../model/resources.ts';
import { readMatch } from '../manifest/resolve/values/rule-match.ts';
import { isKeptText, type Codec } from './codec.ts';
import { arrayField, DecodeError, stringField, type Json } from './json.ts';
import { keepText } from './text.ts';

/** A rule's condition. Plans show its parts under the API's names. */
export const condition: Codec<RuleMatch, RuleMatch<KeptText>> = {
  same: sameMatch,
  parts: (match) => Object.keys(match).filter((part) => part !== 'type'),
  show: (match, disclosure) => withText(match, showText(textOfMatch(match), disclosure)),
  sign: matchParts,
  keep: (match, concealment) => withText(match, keepText(textOfMatch(match), concealment)),
  isKept(json) {
    const { type, scopes, ...texts } = (json ?? {}) as Readonly<Record<string, unknown>>;
    const text = TEXTS[type as RuleMatch['type']];
    if (text === undefined || !isKeptText(texts[text])) return false;
    return type !== 'regex' || (Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string'));
  },
  restore(kept, reveal) {
    const text = reveal(textOfMatch(kept));
    return text.ok ? succeed(withText(kept, text.value)) : text;
  },
  namedAliases: (kept) => (kept.type === 'alias' ? [kept.alias] : []),
  encode: (match) => match,
  decode: decodeMatch,
  read: (node, { log }) => (node.kind === 'map' ? (readMatch(node, log) ?? undefined) : undefined),
  write: ({ type: _, ...parts }) => parts,
};

/** Returns equal parts for equal conditions, and only for those. */
export function matchParts(match: RuleMatch): readonly string[] {
  const scopes = match.type === 'regex' ? new Set(match.scopes.toSorted()) : [];
  return [match.type, textOfMatch(match), ...scopes];
}

/** Name of the property that holds the condition of each type of rule. */
const TEXTS = { alias: 'alias', regex: 'regex', cel: 'expression' } as const;

/** Returns a condition's text, without its scopes. */
export function textOfMatch<Text>(match: RuleMatch<Text>): Text {
  return (match as unknown as Readonly<Record<string, Text>>)[TEXTS[match.type]] as Text;
}

/** Returns the condition with another text. */
export function withText<Text>(match: RuleMatch<unknown>, text: Text): RuleMatch<Text> {
  return { ...match, [TEXTS[match.type]]: text } as RuleMatch<Text>;
}

/** Decodes a condition (v4: Rule, Config by type, with `type` beside it). */
function decodeMatch(json: Json): RuleMatch {
  const type = stringField(json, 'type');
  if (type === 'alias') return { type, alias: stringField(json, 'alias') };
  if (type === 'cel') return { type, expression: stringField(json, 'expression') };
  if (type !== 'regex')
    throw new DecodeError(`field type is ${JSON.stringify(type)}, which is not a rule type`);
  return { type, regex: stringField(json, 'regex'), scopes: arrayField(json, 'scopes').map(decodeScope) };
}

function decodeScope(value: unknown): Scope {
  const scope = SCOPES.find((candidate) => candidate === value);
  if (scope !== undefined) return scope;
  throw new DecodeError(`field scopes holds ${JSON.stringify(value)}, which is not a scope`);
}
