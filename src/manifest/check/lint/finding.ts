import type { DomainName } from '../../../model/names.ts';
import { compareSources, type Source } from '../../../model/manifest/problem.ts';
import type { FindingCode } from '../../../model/lint/findings.ts';
import type { ProblemLog } from '../../problems.ts';

/** What is legal and surely not meant, in one domain. */
export interface LintFinding {
  readonly code: FindingCode;
  readonly source: Source;
  /** The other entry that has a part in it. */
  readonly related?: Source;
  /** Names of the entries that it concerns. */
  readonly entries: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/** Where a finding about two entries stands, and where the other of them is: the later one comes first. */
export function laterOf(entry: Source, other: Source): Pick<LintFinding, 'source' | 'related'> {
  return compareSources(entry, other) < 0
    ? { source: other, related: entry }
    : { source: entry, related: other };
}

export function reportFinding(finding: LintFinding, domain: DomainName, log: ProblemLog): void {
  const { code, source, entries, ...words } = finding;
  log.report(code, source, { ...words, subject: { domain, entries } });
}
