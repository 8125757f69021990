import type { DomainName } from '../../../model/names.ts';
import { presentEntries, type PresentDomain } from '../../../model/desired.ts';
import type { PresentAlias } from '../../../kinds/alias/fields.ts';
import type { PresentRule } from '../../../kinds/rule/fields.ts';
import { SECTIONS } from '../../../kinds/registry.ts';
import type { Section } from '../../../model/kinds.ts';
import { compareSources, showSource, type Source } from '../../../model/manifest/problem.ts';
import type { FindingCode } from '../../../model/lint/findings.ts';
import type { ProblemLog } from '../../problems.ts';

/** A domain, and its entries that are not tombstones. */
export interface LintedDomain {
  readonly domain: PresentDomain;
  readonly aliases: readonly PresentAlias[];
  /** The aliases that take, or may take, mail to other addresses. */
  readonly patterns: readonly PresentAlias[];
  /** Active rules. Inactive ones are kept for later. */
  readonly rules: readonly PresentRule[];
}

/** A legal but probably unintended part of one domain. */
export interface LintFinding {
  readonly code: FindingCode;
  readonly source: Source;
  /** The other entry that is involved. */
  readonly related?: Source;
  /** Names of the entries that it concerns. */
  readonly entries: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/** Returns the place of a finding about two entries: the later one, with the other as related. */
export function laterOf(entry: Source, other: Source): Pick<LintFinding, 'source' | 'related'> {
  return compareSources(entry, other) < 0
    ? { source: other, related: entry }
    : { source: entry, related: other };
}

export function reportFinding(
  { code, source, entries, ...words }: LintFinding,
  domain: DomainName,
  { log, viaOf }: { readonly log: ProblemLog; readonly viaOf: ViaOf },
): void {
  const via = viaOf(source);
  const brought = via === undefined ? {} : { via };
  log.report(code, source, { ...words, ...brought, subject: { domain, entries } });
}

/** Returns the domain's `use` that added the entry at a place; undefined if it is the domain's own entry. */
export type ViaOf = (source: Source) => Source | undefined;

/** Creates a lookup of `use`. Entries are collected on first use. */
export function createViaOf(domain: PresentDomain): ViaOf {
  let known: ReadonlyMap<string, Source> | undefined;
  return (source) => {
    known ??= usesIn(domain);
    return known.get(showSource(source));
  };
}

function usesIn(domain: PresentDomain): ReadonlyMap<string, Source> {
  const uses = new Map<string, Source>();
  for (const section of SECTIONS) {
    for (const { source, via } of presentEntries<Section>(domain[section]))
      if (via !== undefined) uses.set(showSource(source), via);
  }
  return uses;
}
