import type { Desired } from '../desired.ts';
import { nameKey } from '../names.ts';
import type { FindingSubject, Silence } from './findings.ts';

/** Leaves out the findings that the document or their domain silences; those that stay need no subject any more. */
export function silence<Finding extends { readonly code: string; readonly subject?: FindingSubject }>(
  findings: readonly Finding[],
  { lint, domains }: Pick<Desired, 'lint' | 'domains'>,
  subjectOf: (finding: Finding) => FindingSubject = ({ subject = {} }) => subject,
): readonly Omit<Finding, 'subject'>[] {
  const heard = findings.filter((finding) => {
    const subject = subjectOf(finding);
    const domain = subject.domain === undefined ? undefined : domains.get(subject.domain);
    const own = domain?.state === 'present' ? domain.lint : [];
    return ![...lint.off, ...own].some((item) => covers(item, finding.code, subject));
  });
  return heard.map(({ subject: _, ...finding }) => finding);
}

function covers({ code, entry }: Silence, found: string, { entries = [] }: FindingSubject): boolean {
  if (code !== found) return false;
  return entry === null || entries.some((name) => nameKey(name) === nameKey(entry));
}
