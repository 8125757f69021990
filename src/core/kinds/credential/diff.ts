import type { CredentialSection } from '../../model/desired.ts';
import type { Problem } from '../../model/manifest/problem.ts';
import { nameKey, quote } from '../../model/names.ts';
import type { Reason, Change } from '../../model/plan.ts';
import { planNamed } from '../../plan/diff/named.ts';
import type { SectionContext, SectionDraft, SectionResult } from '../../plan/diff/section.ts';
import type { ShownChange } from '../../plan/diff/shown.ts';
import { CREDENTIAL, type ObservedCredential, type PresentCredential } from './fields.ts';

/** The difference of the SMTP credentials of a domain. What their passwords are cannot be read back. */
export function planCredentials(
  section: CredentialSection,
  live: readonly ObservedCredential[],
  context: SectionContext,
): SectionResult {
  return planNamed(
    CREDENTIAL,
    { section, live, context },
    {
      stateOf: () => ({ password: 'set' }),
      reasonToSend: (entry) => reasonToSend(entry, context),
      noteChange(change, _, draft) {
        const entry = section.entries.get(nameKey(change.name));
        if (change.action !== 'delete' && entry?.state === 'present' && entry.password === undefined)
          draft.problems.push(passwordRequired(change));
        return change;
      },
      noteUnchanged: (entry, draft) => warnOfUnknownPassword(entry, context, draft),
    },
  );
}

/** The problem of a change that has to send a password where the manifest states none. */
export function passwordRequired({
  action,
  name,
  domain,
  source,
}: Pick<Change, 'action' | 'name' | 'domain' | 'source'>): Problem {
  const why =
    action === 'add'
      ? 'it does not exist yet and needs a password to be made'
      : 'its password is to be sent again';
  return {
    severity: 'error',
    code: 'password-required',
    message: `credential ${quote(name)} of ${domain}: ${why}`,
    hint: 'write password: { env: NAME } or { file: PATH }',
    source,
  };
}

function reasonToSend({ name, password }: PresentCredential, context: SectionContext): Reason | null {
  const key = nameKey(name);
  if (context.rotate.has(key)) return 'rotate';
  return password !== undefined && context.changedPasswords.has(key) ? 'manifest' : null;
}

function warnOfUnknownPassword(entry: PresentCredential, context: SectionContext, draft: SectionDraft): void {
  if (entry.password === undefined || context.prior?.passwords.has(nameKey(entry.name)) === true) return;
  draft.warnings.push({
    code: 'password-unknown',
    subject: { entries: [entry.name] },
    message: `credential ${quote(entry.name)} of ${context.domain} exists; whether its password is the one of the manifest is not known, and it is not sent`,
    hint: `--rotate ${entry.name}@${context.domain} sends it`,
    source: entry.source,
  });
}

export function describeCredential({ action }: ShownChange): string {
  return action === 'update' ? 'new password' : '';
}
