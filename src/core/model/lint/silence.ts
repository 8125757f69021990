import type { Desired } from '../desired.ts';
import { nameKey } from '../names.ts';
import type { FindingSubject, Silence } from './findings.ts';

/** Removes the findings that the document or their domain silences, and the subjects of the others. */
export function silence<Finding extends { readonly code: string; readonly subject?: FindingSubject }>(
  findings: readonly Finding[],
  { lint, domains }: Pick<Desired, 'lint' | 'domains'>,
): readonly Omit<Finding, 'subject'>[] {
  return findings
    .filter(({ code, subject = {} }) => !isSilenced(code, subject, { off: lint.off, domains }))
    .map(({ subject: _, ...finding }) => finding);
}

/** True if the documents (`off`) or the finding's domain silence it. */
export function isSilenced(
  code: string,
  subject: FindingSubject,
  { off, domains }: Pick<Desired['lint'], 'off'> & Pick<Desired, 'domains'>,
): boolean {
  const domain = subject.domain === undefined ? undefined : domains.get(subject.domain);
  const own = domain?.state === 'present' ? domain.lint : [];
  return [...off, ...own].some((item) => covers(item, code, subject));
}

function covers({ code, entry }: Silence, found: string, { entries = [] }: FindingSubject): boolean {
  if (code !== found) return false;
  return entry === null || entries.some((name) => nameKey(name) === nameKey(entry));
}
