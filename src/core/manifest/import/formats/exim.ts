import { domainPartOf, localPartOf } from '../../../model/names.ts';
import { fail, succeed, type Result } from '../../../model/result.ts';
import type { SourceText } from '../../read/text.ts';
import type { ParsedSource, Target } from '../forwards.ts';
import {
  addressOfKey,
  collectEntries,
  hasPlainCase,
  missingLocalDomain,
  type SourceContext,
  type SourceFault,
} from '../source-format.ts';
import { addressTarget, bareAddress, sourceDomain, splitList, type LocalDomain } from '../read/addresses.ts';
import { EXIM_LINES, logicalLines } from '../read/logical-lines.ts';

/** Parses an lsearch file of Exim, such as cPanel's `valiases/acme.example`. */
export function parseExim(
  within: SourceText,
  { localDomains, fileDomain }: SourceContext,
): Result<ParsedSource, SourceFault> {
  const domains = localDomains.length > 0 || fileDomain === null ? localDomains : [fileDomain];
  const found = collectEntries();
  const [local = null] = localDomains;
  for (const { span, text } of logicalLines(within, EXIM_LINES)) {
    const { key, data } = splitEximKey(text);
    if (key === '' || data === '') {
      found.leaveOut(span, null, 'syntax');
      continue;
    }
    const keys = keysOf(key, domains);
    if (keys.length === 0) return fail(missingLocalDomain(span));
    const targets = eximTargets(data, local);
    for (const each of keys) {
      if (hasPlainCase(each)) found.add(each, { span, targets });
      else found.leaveOut(span, addressOfKey(each), 'name');
    }
  }
  return succeed({
    lookups: [{ kind: 'names', entries: found.entries }],
    leftOut: found.leftOut,
    domains: [],
  });
}

/** Splits a line into key and data. A key ends at a colon or white space; in quotes it may hold both. */
function splitEximKey(line: string): { readonly key: string; readonly data: string } {
  const [, quoted, plain = '', data = ''] =
    /^(?:"((?:\\.|[^"\\])*)"|([^\s:]*))\s*:?\s*(.*)$/s.exec(line) ?? [];
  return { key: quoted?.replace(/\\(.)/g, '$1') ?? plain, data: data.trim() };
}

/**
 * Returns the keys of a name. `*` stands for every other address. Without a domain a key belongs to each of the
 * domains.
 */
function keysOf(key: string, domains: readonly string[]): readonly string[] {
  const name = (local: string): string => (local === '*' ? '' : local.toLowerCase());
  if (!key.includes('@')) return domains.map((domain) => `${name(key)}@${domain}`);
  return [`${name(localPartOf(key))}@${sourceDomain(domainPartOf(key))}`];
}

/**
 * Returns the targets of a redirection list, as Exim reads it: `:fail:` ends the list, `:defer:` and `:blackhole:`
 * replace all of it, and `:unknown:` counts only if it is alone.
 */
function eximTargets(data: string, local: LocalDomain): readonly Target[] {
  const targets: Target[] = [];
  for (const item of splitList(data)) {
    const special = specialOf(item);
    if (special === 'defer') return [{ kind: 'refuse' }];
    if (special === 'blackhole') return [{ kind: 'discard' }];
    if (special === 'fail') return [...targets, { kind: 'refuse' }];
    if (special === null) targets.push(eximTarget(/^"(.*)"$/s.exec(item)?.[1] ?? item, local));
  }
  // Exim defers a whole list that contains something other than addresses.
  const broken = targets.find((target) => target.kind === 'lost' && target.reason === 'destination');
  if (broken !== undefined) return [broken];
  return targets.length === 0 ? [{ kind: 'refuse' }] : targets;
}

/** Returns the word of an item such as `:fail: no such user`, in lower case; null for any other item. */
function specialOf(item: string): string | null {
  return /^"?:(fail|defer|unknown|blackhole):/i.exec(item)?.[1]?.toLowerCase() ?? null;
}

function eximTarget(item: string, local: LocalDomain): Target {
  if (item.startsWith('|')) return { kind: 'lost', reason: 'program' };
  if (item === '/dev/null') return { kind: 'discard' };
  if (item.startsWith('/')) return { kind: 'lost', reason: 'file' };
  if (/^:include:/i.test(item)) return { kind: 'lost', reason: 'include' };
  return addressTarget(bareAddress(item), local);
}
