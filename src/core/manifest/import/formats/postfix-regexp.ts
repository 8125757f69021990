import { succeed, type Result } from '../../../model/result.ts';
import type { SourceText } from '../../read/text.ts';
import type { LeftOutLine, OpaquePattern, ParsedSource, PatternEntry, Span, Target } from '../forwards.ts';
import { opaqueMatcher } from '../patterns/opaque-pattern.ts';
import { parseAddressPattern, type AddressPattern } from '../patterns/address-pattern.ts';
import { shownText } from '../shown-text.ts';
import type { SourceContext, SourceFault } from '../source-format.ts';
import type { LocalDomain } from '../read/addresses.ts';
import { logicalLines, POSTFIX_LINES } from '../read/logical-lines.ts';
import { postfixTargets } from './postfix.ts';

/** Parses regexp_table(5) and pcre_table(5): patterns for whole addresses; the first match wins. */
export function parsePostfixRegexp(
  within: SourceText,
  { localDomains }: SourceContext,
): Result<ParsedSource, SourceFault> {
  const found: FoundRules = { entries: [], leftOut: [], written: new Set(), local: localDomains[0] ?? null };
  let depth = 0;
  for (const { span, text } of logicalLines(within, POSTFIX_LINES)) {
    const line = readRule(text);
    if (line.kind === 'if') depth += 1;
    if (line.kind === 'endif') depth = Math.max(0, depth - 1);
    if (line.kind === 'skipped') found.leftOut.push({ span, address: null, reason: 'syntax' });
    if (line.kind === 'rule')
      addRule(span, line, depth > 0 || line.isNegated ? null : patternOf(line), found);
  }
  return succeed({
    lookups: [{ kind: 'patterns', entries: found.entries }],
    leftOut: found.leftOut,
    domains: [],
  });
}

interface FoundRules {
  readonly entries: (PatternEntry | OpaquePattern)[];
  readonly leftOut: LeftOutLine[];
  /** Patterns with their flags that were already read. */
  readonly written: Set<string>;
  readonly local: LocalDomain;
}

/** Adds a rule. A conditional, negated or unknown one has no pattern. */
function addRule(
  span: Span,
  line: Extract<RuleLine, { readonly kind: 'rule' }>,
  parsed: AddressPattern | null,
  { entries, leftOut, written, local }: FoundRules,
): void {
  const shown = shownText(line.shown);
  const opaque = { span, shown, mayMatch: opaqueMatcher(line.pattern, line) };
  if (parsed === null) {
    leftOut.push({ span, address: shown, reason: 'pattern' });
    entries.push(opaque);
    return;
  }
  const key = `${line.pattern}\n${line.flags}`;
  if (written.has(key)) {
    leftOut.push({ span, address: shown, reason: 'duplicate' });
    return;
  }
  written.add(key);
  const rule = ruleOf(parsed, line.value, local);
  entries.push({ span, shown, ignoresLabels: false, ...rule });
  if (rule.pattern === parsed.pattern) return;
  const { domain } = parsed;
  leftOut.push({ span, address: `${shown} with an empty group`, reason: 'capture', domain });
  entries.push(opaque);
}

type RuleLine =
  | {
      readonly kind: 'rule';
      readonly isNegated: boolean;
      readonly pattern: string;
      readonly flags: string;
      readonly value: string;
      /** The pattern as written. */
      readonly shown: string;
    }
  | { readonly kind: 'if' | 'endif' | 'skipped' };

function readRule(text: string): RuleLine {
  if (/^endif(?:\s|$)/i.test(text)) return { kind: 'endif' };
  if (/^if\s/i.test(text)) return { kind: 'if' };
  const isNegated = text.startsWith('!');
  const rest = isNegated ? text.slice(1).trimStart() : text;
  const end = endOf(rest, rest.charAt(0));
  const found = end < 0 ? null : /^(\w*)\s+(\S.*)$/s.exec(rest.slice(end + 1));
  if (found === null) return { kind: 'skipped' };
  const [, flags = '', value = ''] = found;
  const shown = `${isNegated ? '!' : ''}${rest.slice(0, end + 1)}${flags}`;
  return { kind: 'rule', isNegated, pattern: rest.slice(1, end), flags, value: value.trim(), shown };
}

/** Returns the index of the delimiter that ends a pattern, skipping escaped characters; -1 if there is none. */
function endOf(text: string, delimiter: string): number {
  if (!/[^\w\s]/.test(delimiter)) return -1;
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === delimiter) return at;
  }
  return -1;
}

/** Returns the pattern of a rule; null for flags other than those about case, or without effect on an address. */
function patternOf({ pattern, flags }: Extract<RuleLine, { readonly kind: 'rule' }>): AddressPattern | null {
  if (!/^[ims]*$/.test(flags)) return null;
  const toggles = flags.replace(/[^i]/g, '').length;
  return parseAddressPattern(pattern, toggles % 2 === 1 ? 'exact' : 'any');
}

/**
 * Returns the pattern and its results. If a group could leave nothing before the `@`, the pattern requires at least
 * one character there.
 */
function ruleOf(
  parsed: AddressPattern,
  value: string,
  local: LocalDomain,
): Pick<PatternEntry, 'pattern' | 'targets' | 'domain' | 'matchesDomain'> {
  const { domain, matchesDomain, pattern, filled } = parsed;
  const text = fillDomain(value, parsed);
  const plain = text === null ? null : postfixTargets(text, local);
  if (plain === null)
    return { pattern, domain, matchesDomain, targets: [{ kind: 'lost', reason: 'capture' }] };
  const needsMore = plain.some((target) => mayBeNothing(target, pattern));
  const used = needsMore && filled !== null ? { ...parsed, pattern: filled } : parsed;
  const targets = plain.map((target) => asTemplate(target, used));
  return { pattern: used.pattern, domain, matchesDomain, targets };
}

/** Returns the result with `$1` for `${1}` and `$(1)`, and the domain for its group; null if it has something else. */
function fillDomain(value: string, { domain, domainGroup, pattern }: AddressPattern): string | null {
  const plain = value.replace(/\$(?:\{(\d+)\}|\((\d+)\))/g, (_, braced?: string, round?: string) => {
    return `$${braced ?? round ?? ''}\n`;
  });
  let isKnown = true;
  const filled = plain.replace(/\$(\d*)\n?/g, (_, digits: string) => {
    const group = Number(digits);
    if (group === domainGroup) return domain;
    isKnown &&= group >= 1 && group <= Math.min(9, pattern.groups);
    return `$${digits}`;
  });
  // A digit after a group in braces must not become part of its number.
  const isCut = /\$\d\d/.test(filled);
  return isKnown && !isCut ? filled : null;
}

/** True if a result may have no local part, which means that the address keeps its own. */
function mayBeNothing(target: Target, { emptyGroups, isTotal }: AddressPattern['pattern']): boolean {
  if (target.kind !== 'address' || isTotal || !target.address.includes('$')) return false;
  const [local = ''] = target.address.split('@');
  const groups = [...local.matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit));
  return local.replace(/\$\d/g, '') === '' && groups.every((group) => emptyGroups.has(group));
}

function asTemplate(target: Target, { pattern, hasCertainGroups }: AddressPattern): Target {
  if (target.kind !== 'address' || !target.address.includes('$')) return target;
  if (!hasCertainGroups || mayBeNothing(target, pattern)) return { kind: 'lost', reason: 'capture' };
  const [, group, domain = ''] = /^\$(\d)@(.+)$/.exec(target.address) ?? [];
  if (group !== undefined && Number(group) === pattern.wholeGroup && !domain.includes('$')) {
    return { kind: 'same-name', domain };
  }
  return { kind: 'template', text: target.address };
}
