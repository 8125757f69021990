import { looksLikeRegex, quote } from '../../../model/names.ts';
import type { RuleMatch, Scope } from '../../../model/resources.ts';
import { compileExpression } from '../../../routing/cel.ts';
import { compilePattern } from '../../../routing/regex.ts';
import { reportInside } from './inner-fault.ts';
import { textOf, valueOf, type MapNode, type Node } from '../../read/node.ts';
import type { ProblemLog } from '../../problems.ts';

const SCOPES: ReadonlySet<string> = new Set<Scope>(['sender', 'recipient', 'subject', 'body']);

/**
 * Reads a rule's condition: exactly one of `alias`, `regex` with `scopes`, `expression`. Returns null if it is wrong
 * or unclear.
 */
export function readMatch(node: MapNode, log: ProblemLog): RuleMatch | null {
  const types = ['alias', 'regex', 'expression'].filter((key) => node.entries.has(key));
  if (types.length !== 1) {
    const stated = types.length === 0 ? 'none of them' : types.join(' and ');
    log.report('rule-type', node, {
      message: `a rule has exactly one of alias, regex with scopes, and expression; this one has ${stated}`,
      hint:
        types.length === 0 ? 'add the key for the mail that the rule should match' : 'make it several rules',
    });
    return null;
  }
  const scopes = node.entries.get('scopes');
  if (scopes !== undefined && types[0] !== 'regex') {
    log.report('rule-type', scopes.key, {
      message: 'only `regex` can have `scopes`',
      hint: 'leave it out, or write `regex`',
    });
    return null;
  }
  if (types[0] === 'alias') return readAliasMatch(valueOf(node, 'alias'), log);
  return types[0] === 'regex' ? readRegexMatch(node, log) : readExpression(valueOf(node, 'expression'), log);
}

function readAliasMatch(written: Node | undefined, log: ProblemLog): RuleMatch | null {
  const alias = textOf(written)?.normalize('NFC');
  if (written === undefined || alias === undefined || alias === '') return null;
  if (/[@\s,]/.test(alias) || alias.length > 150) {
    log.report('invalid-name', written, {
      message: `${quote(alias)} is not a name that an alias rule can match`,
      hint: 'write the part before the @, a prefix such as sales*, "*", or a regular expression',
    });
    return null;
  }
  const compiled = looksLikeRegex(alias) ? compilePattern(alias, { letterCase: 'any' }) : null;
  if (compiled === null || compiled.ok) return { type: 'alias', alias };
  reportInside('pattern', written, compiled.error, log);
  return null;
}

function readRegexMatch(node: MapNode, log: ProblemLog): RuleMatch | null {
  const written = valueOf(node, 'regex');
  const scopes = readScopes(node, log);
  const regex = textOf(written);
  if (written === undefined || !regex) return null;
  const compiled = compilePattern(regex, { letterCase: 'exact' });
  if (!compiled.ok) {
    reportInside('pattern', written, compiled.error, log);
    return null;
  }
  warnAnchoring(written, regex, log);
  return scopes === null ? null : { type: 'regex', regex, scopes };
}

function readScopes(node: MapNode, log: ProblemLog): readonly Scope[] | null {
  const written = valueOf(node, 'scopes');
  if (written === undefined) {
    log.report('missing-key', node, {
      message: 'the rule does not say where to search its regex',
      hint: 'add `scopes:` with some of sender, recipient, subject, body',
    });
    return null;
  }
  const scopes = (written.kind === 'list' ? written.items : []).map(textOf);
  const valid = scopes.filter((scope): scope is Scope => scope !== undefined && SCOPES.has(scope));
  return valid.length === 0 || valid.length < scopes.length ? null : [...new Set(valid)];
}

/** Warns of a pattern without anchors. It is unknown if the service searches it or compares the whole text. */
function warnAnchoring(written: Node, regex: string, log: ProblemLog): void {
  if (isAnchored(regex)) return;
  log.report('anchoring', written, {
    message: `it is not known if ${quote(regex)} must match the whole text or a part of it`,
    hint: 'write .*PATTERN.* for a part, ^PATTERN$ for the whole',
  });
}

/**
 * True if a pattern matches the same texts either way, as far as its ends show: each alternative begins and ends with
 * an anchor or `.*`.
 */
function isAnchored(regex: string): boolean {
  const pattern = regex.replace(/^\(\?[a-z]+\)/, '');
  return alternativesOf(pattern).every((part) => {
    const inner = /^\((?:\?:)?(.*)\)$/s.exec(part)?.[1];
    if (inner !== undefined && isBalanced(inner)) return isAnchored(inner);
    return /^(?:\^|\\A|\.\*)/.test(part) && /(?:(?<!\\)\$|\\z|(?<!\\)\.\*\??)$/.test(part);
  });
}

/** True if the parentheses of a text are balanced. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '(') depth += 1;
    else if (token === ')' && --depth < 0) return false;
  }
  return depth === 0;
}

/** Returns the alternatives of a pattern outside its groups. */
function alternativesOf(pattern: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === '|' && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts;
}

/** An escaped character, a class of characters, or one character. */
const TOKEN = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|[\s\S]/g;

function readExpression(written: Node | undefined, log: ProblemLog): RuleMatch | null {
  const expression = textOf(written);
  if (written?.kind !== 'text' || !expression) return null;
  const compiled = compileExpression(expression);
  if (compiled.ok) return { type: 'cel', expression };
  reportInside('expression', written, compiled.error, log);
  return null;
}
