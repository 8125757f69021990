import { localPartOf, domainPartOf, parseDomainName } from '../../../model/names.ts';
import { fail, succeed, type Result } from '../../../model/result.ts';
import type { SourceText } from '../../read/text.ts';
import type { ParsedSource, Target } from '../forwards.ts';
import {
  addressOfKey,
  collectEntries,
  hasPlainCase,
  missingLocalDomain,
  type EntryCollector,
  type SourceContext,
  type SourceFault,
} from '../source-format.ts';
import { addressTarget, bareAddress, sourceDomain, splitList, type LocalDomain } from '../read/addresses.ts';
import { logicalLines, POSTFIX_LINES, type LogicalLine } from '../read/logical-lines.ts';

/** Parses a source file of virtual(5): a key, white space, and addresses. */
export function parsePostfix(
  within: SourceText,
  { localDomains }: SourceContext,
): Result<ParsedSource, SourceFault> {
  const found = collectEntries();
  const bare: BareKey[] = [];
  for (const line of logicalLines(within, POSTFIX_LINES)) {
    const parts = splitKey(line.text);
    if (parts === null) found.leaveOut(line.span, null, 'syntax');
    else if (!parts.key.includes('@')) bare.push({ line, ...parts });
    else addAddress(line, parts, found, localDomains);
  }
  const named = new Set(Iterator.from(found.entries.keys()).map(domainPartOf));
  const { true: declared = [], false: names = [] } = Object.groupBy(bare, (each) =>
    declaresDomain(each, named, localDomains) ? 'true' : 'false',
  );
  const [first] = names;
  if (first !== undefined && localDomains.length === 0) return fail(missingLocalDomain(first.line.span));
  for (const { line, key, value } of names) addKey(line, key.toLowerCase(), value, found, localDomains);
  return succeed({
    lookups: [{ kind: 'names', entries: found.entries }],
    leftOut: found.leftOut,
    domains: declared.map(({ key }) => sourceDomain(key)),
  });
}

interface BareKey {
  readonly line: LogicalLine;
  readonly key: string;
  readonly value: string;
}

/** Splits a line at the first white space outside quotes; null if Postfix skips the line. */
export function splitKey(line: string): { readonly key: string; readonly value: string } | null {
  const [, key = '', rest = ''] = /^((?:\\.|"(?:\\.|[^"\\])*"|[^\s"\\])+)(?:\s+(.*))?$/s.exec(line) ?? [];
  const value = rest.trim();
  return key === '' || value === '' ? null : { key, value };
}

/**
 * True if a key without `@` only declares a virtual domain. Then its value has no meaning. Otherwise it is a local
 * name.
 */
function declaresDomain(
  { key, value }: BareKey,
  named: ReadonlySet<string>,
  localDomains: readonly string[],
): boolean {
  if (!parseDomainName(key).ok) return false;
  return named.has(sourceDomain(key)) || (localDomains.length === 0 && !value.includes('@'));
}

function addAddress(
  line: LogicalLine,
  { key, value }: { readonly key: string; readonly value: string },
  found: EntryCollector,
  localDomains: readonly string[],
): void {
  const local = localPartOf(key).toLowerCase();
  const domain = domainPartOf(key);
  if (domain === '') found.leaveOut(line.span, null, 'syntax');
  else addKey(line, `${local}@${sourceDomain(domain)}`, value, found, localDomains);
}

function addKey(
  { span }: LogicalLine,
  key: string,
  value: string,
  found: EntryCollector,
  localDomains: readonly string[],
): void {
  if (!hasPlainCase(key)) found.leaveOut(span, addressOfKey(key), 'name');
  else found.add(key, { span, targets: postfixTargets(value, localDomains[0] ?? null) });
}

/** Returns the addresses of a result. A result that begins with `@` keeps the local part. */
export function postfixTargets(value: string, local: LocalDomain): readonly Target[] {
  const items = splitList(value).flatMap((item) => {
    const bare = bareAddress(item);
    return /["|]/.test(bare) ? [bare] : bare.split(/\s+/);
  });
  return items.map((item, index) => {
    if (/^"?\|/.test(item)) return { kind: 'lost', reason: 'program' };
    if (index > 0 || !item.startsWith('@')) return addressTarget(item, local);
    return { kind: 'same-name', domain: sourceDomain(item.slice(1)) };
  });
}
