import { domainPartOf, parseDomainName } from '../../../model/names.ts';
import { fail, succeed, type Result } from '../../../model/result.ts';
import type { SourceText } from '../../read/text.ts';
import type { ForwardEntry, ParsedSource, PatternEntry, Span, Target } from '../forwards.ts';
import { shownText } from '../shown-text.ts';
import {
  addressOfKey,
  collectEntries,
  hasPlainCase,
  missingLocalDomain,
  type EntryCollector,
  type SourceContext,
  type SourceFault,
} from '../source-format.ts';
import { sourceDomain } from '../read/addresses.ts';
import { parseRecordPattern } from '../patterns/record-pattern.ts';
import { rowTarget } from './table-file.ts';
import { readTxtRecords, type TxtRecord } from '../read/txt-records.ts';

/** Parses TXT records of Forward Email. All matches of a name add up; the catch-all takes the rest. */
export function parseForwardEmail(
  within: SourceText,
  { localDomains }: SourceContext,
): Result<ParsedSource, SourceFault> {
  const records = readTxtRecords(within);
  if (!records.ok) return records;
  const found: FoundRecords = { names: new Map(), patterns: [], rest: new Map(), ...collectEntries() };
  for (const record of records.value) {
    const [, list] = /^forward-email=(.*)$/is.exec(record.text) ?? [];
    if (list === undefined) continue;
    const domains = domainsOf(record, localDomains);
    if (domains.length === 0) return fail(missingLocalDomain(record.span));
    const items = list.split(',').map((item) => item.trim());
    for (const domain of domains) {
      for (const item of items) if (item !== '') addItem(item, domain, record.span, found);
    }
  }
  const { names, patterns, rest, leftOut } = found;
  return succeed({
    lookups: [
      { kind: 'records', names, patterns },
      { kind: 'names', entries: rest },
    ],
    leftOut,
    domains: [],
  });
}

interface FoundRecords extends Pick<EntryCollector, 'leftOut' | 'leaveOut'> {
  readonly names: Map<string, ForwardEntry[]>;
  readonly patterns: PatternEntry[];
  readonly rest: Map<string, ForwardEntry & { readonly targets: Target[] }>;
}

/** Returns the domains of a record: the owner in a zone file; for `dig` output those in `--for`. */
function domainsOf({ owner, origin }: TxtRecord, localDomains: readonly string[]): readonly string[] {
  if (owner === null) return localDomains;
  if (owner.endsWith('.')) return [sourceDomain(owner)];
  const origins = origin === null ? localDomains : [sourceDomain(origin)];
  return owner === '@' ? origins : origins.map((domain) => sourceDomain(`${owner}.${domain}`));
}

const MARKED: Readonly<Record<string, Target>> = {
  '!': { kind: 'discard' },
  '!!': { kind: 'refuse' },
  '!!!': { kind: 'refuse' },
};

function addItem(item: string, domain: string, span: Span, found: FoundRecords): void {
  const [, mark = '', rest = ''] = /^(!{0,3})(.*)$/s.exec(item) ?? [];
  const marked = MARKED[mark];
  if (/^\/.*\//.test(rest)) return addPattern(rest, domain, { span, marked, found });
  const colon = rest.search(/:(?!\/\/)/);
  if (colon < 0 && marked === undefined) return addRest(rest, domain, span, found);
  const name = colon < 0 ? rest : rest.slice(0, colon);
  const target = marked ?? recordTarget(rest.slice(colon + 1).trim(), domain);
  addName(name.trim().toLowerCase(), domain, { span, targets: [target] }, found);
}

function addName(name: string, domain: string, entry: ForwardEntry, found: FoundRecords): void {
  const key = name === '*' ? `@${domain}` : `${name}@${domain}`;
  if (name === '') found.leaveOut(entry.span, null, 'syntax');
  else if (!hasPlainCase(key)) found.leaveOut(entry.span, addressOfKey(key), 'name');
  else if (name === '*') addToRest(key, entry, found);
  else found.names.set(key, [...(found.names.get(key) ?? []), entry]);
}

/** Adds an item without a colon: an address or webhook for every other name, or a domain where names stay the same. */
function addRest(text: string, domain: string, span: Span, found: FoundRecords): void {
  const isDomain = !text.includes('@') && parseDomainName(text).ok;
  const target: Target = isDomain
    ? { kind: 'same-name', domain: sourceDomain(text) }
    : recordTarget(text, domain);
  addToRest(`@${domain}`, { span, targets: [target] }, found);
}

function addToRest(key: string, { span, targets }: ForwardEntry, { rest }: FoundRecords): void {
  const before = rest.get(key);
  if (before === undefined) rest.set(key, { span, targets: [...targets] });
  else before.targets.push(...targets);
}

/**
 * Returns the target of a record. The service also allows host names and words in percent signs, which a manifest
 * cannot express.
 */
function recordTarget(text: string, domain: string): Target {
  const isWritable = text.includes('://') || (text.includes('@') && !text.includes('%'));
  return isWritable ? rowTarget(text, domain) : { kind: 'lost', reason: 'destination' };
}

interface PatternItem {
  readonly span: Span;
  readonly marked: Target | undefined;
  readonly found: FoundRecords;
}

function addPattern(text: string, domain: string, { span, marked, found }: PatternItem): void {
  const [, source, value] = /^\/(.*)\/[gi]*(?::(.*))?$/s.exec(text) ?? [];
  const parsed = source === undefined ? null : parseRecordPattern(source);
  const target = marked ?? (value === undefined ? undefined : recordTarget(value, domain));
  const shown = `${shownText(text.slice(0, text.lastIndexOf('/') + 1))}@${domain}`;
  if (parsed === null || target === undefined) return found.leaveOut(span, shown, 'pattern');
  const { pattern } = parsed;
  const targets = [patternTarget(target, parsed)];
  const isJoined = marked === undefined && joinsEqual(pattern.text, domain, targets, found.patterns);
  const matchesDomain = (other: string): boolean => other === domain;
  if (isJoined) return;
  found.patterns.push({ span, shown, domain, pattern, matchesDomain, ignoresLabels: true, targets });
}

/** Adds destinations to those of an equal expression, if there is one that forwards. */
function joinsEqual(
  text: string,
  domain: string,
  targets: readonly Target[],
  patterns: PatternEntry[],
): boolean {
  const at = patterns.findIndex((each) => each.domain === domain && each.pattern.text === text);
  const before = patterns[at];
  if (before === undefined || before.targets.some(isLast)) return false;
  patterns[at] = { ...before, targets: [...before.targets, ...targets] };
  return true;
}

function isLast({ kind }: Target): boolean {
  return kind === 'refuse' || kind === 'discard';
}

function patternTarget(
  target: Target,
  { pattern, isWhole }: NonNullable<ReturnType<typeof parseRecordPattern>>,
): Target {
  if (target.kind !== 'address' || !target.address.includes('$')) return target;
  const groups = (target.address.match(/\$./g) ?? []).map((group) => Number(group.slice(1)));
  const isKnown = groups.every((group) => group >= 1 && group <= pattern.groups);
  if (!isKnown || !isWhole || /\$\d\d/.test(target.address)) return { kind: 'lost', reason: 'capture' };
  const domain = domainPartOf(target.address);
  return target.address === `$${pattern.wholeGroup ?? ''}@${domain}` && !domain.includes('$')
    ? { kind: 'same-name', domain }
    : { kind: 'template', text: target.address };
}
