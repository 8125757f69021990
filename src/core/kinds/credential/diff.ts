import type { CredentialSection } from '../../model/desired.ts';
import type { Problem, Source } from '../../model/manifest/problem.ts';
import { nameKey, quote } from '../../model/names.ts';
import type { Change, Warning } from '../../model/plan.ts';
import { planNamed } from '../../plan/diff/named.ts';
import type { SectionContext, SectionResult } from '../../plan/diff/section.ts';
import type { ShownChange } from '../../plan/diff/shown.ts';
import { CREDENTIAL, type ObservedCredential } from './fields.ts';

/** The state of every credential, wanted or live: it has a password, which the API does not show. */
const STATE = { password: 'set' };

/** Plans the changes of a domain's SMTP credentials. Passwords cannot be read back. */
export function planCredentials(
  section: CredentialSection,
  live: readonly ObservedCredential[],
  context: SectionContext,
): SectionResult {
  const hasPassword = (name: string): boolean => {
    const entry = section.entries.get(nameKey(name));
    return entry?.state === 'present' && entry.password !== undefined;
  };
  const rows = live.map((credential) => ({ ...credential, ...STATE }));
  return planNamed(CREDENTIAL, section, rows, context, {
    stateOf: () => STATE,
    reasonToSend({ name }) {
      if (context.rotate.has(nameKey(name))) return 'rotate';
      return hasPassword(name) && context.changedPasswords.has(nameKey(name)) ? 'manifest' : null;
    },
    noteChange(change, _, draft) {
      if (change.action !== 'delete' && !hasPassword(change.name))
        draft.problems.push(passwordRequired(change));
      return change;
    },
    noteUnchanged({ name, source }, draft) {
      const isKnown = context.prior?.passwords.has(nameKey(name)) === true;
      if (hasPassword(name) && !isKnown) draft.warnings.push(passwordUnknown(name, source, context));
    },
  });
}

/** Returns the problem of a change that must send a password that the manifest does not have. */
export function passwordRequired({
  action,
  name,
  domain,
  source,
}: Pick<Change, 'action' | 'name' | 'domain' | 'source'>): Problem {
  const why =
    action === 'add'
      ? 'it does not exist yet, and needs a password to be created'
      : 'its password must be sent again';
  return {
    severity: 'error',
    code: 'password-required',
    message: `credential ${quote(name)} of ${domain}: ${why}`,
    hint: 'write password: { env: NAME } or { file: PATH }',
    source,
  };
}

function passwordUnknown(name: string, source: Source, { domain }: SectionContext): Warning {
  return {
    code: 'password-unknown',
    subject: { entries: [name] },
    message: `credential ${quote(name)} of ${domain} exists; it is not known if it has the password of the manifest, which is not sent`,
    hint: `--rotate ${name}@${domain} sends it`,
    source,
  };
}

export function describeCredential({ action }: ShownChange): string {
  return action === 'update' ? 'new password' : '';
}
