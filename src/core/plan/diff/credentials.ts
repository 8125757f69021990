import type { CredentialSection } from '../../model/desired.ts';
import { nameKey, quote, type NameKey } from '../../model/names.ts';
import type { Problem } from '../../model/manifest/problem.ts';
import type { CredentialChange, Reason } from '../../model/plan.ts';
import { succeed } from '../../model/result.ts';
import {
  CREDENTIAL,
  type DesiredCredential,
  type PresentCredential,
  type ObservedCredential,
} from '../../kinds/credential/fields.ts';
import { signatureOf } from '../../kinds/facts.ts';
import type { Origin } from '../../model/resources.ts';
import {
  draftSection,
  origin,
  readLive,
  type SectionContext,
  type SectionDraft,
  type SectionResult,
} from './section.ts';
import { reasonFor } from './item-memory.ts';
import type { ShownChange } from './shown.ts';

export interface CredentialContext extends SectionContext {
  /** User names whose password is to be sent again because somebody asked. */
  readonly rotate: ReadonlySet<NameKey>;
  /** User names whose password differs from what was last sent. */
  readonly changed: ReadonlySet<NameKey>;
}

/** The difference of the SMTP credentials of a domain. What their passwords are cannot be read back. */
export function planCredentials(
  section: CredentialSection,
  observed: readonly ObservedCredential[],
  context: CredentialContext,
): SectionResult {
  const draft = draftSection('credentials');
  const found = readLive(section, observed, draft);
  if (!found.ok) return found;
  const { live, carried } = found.value;
  for (const [key, entry] of section.entries) {
    if (!carried.has(key)) planEntry(entry, live.get(key), context, draft);
  }
  for (const [key, credential] of live) {
    if (carried.has(key) || section.entries.has(key)) continue;
    draft.changes.push(deletion(credential, 'prune', { source: null }, context));
  }
  return succeed(draft);
}

function planEntry(
  entry: DesiredCredential,
  live: ObservedCredential | undefined,
  context: CredentialContext,
  draft: SectionDraft,
): void {
  if (entry.state === 'absent') {
    if (live !== undefined) draft.changes.push(deletion(live, 'absent', origin(entry), context));
    return;
  }
  const reason = reasonToSend(entry, live, context);
  if (reason === null) {
    draft.unchanged += 1;
    warnOfUnknownPassword(entry, context, draft);
    return;
  }
  const change: CredentialChange = {
    ...origin(entry),
    kind: 'credential',
    action: live === undefined ? 'add' : 'update',
    domain: context.domain,
    name: live?.name ?? entry.name,
    id: null,
    observed: live === undefined ? null : { password: 'set' },
    desired: { password: 'set' },
    fields: ['password'],
    stage: 1,
    conditional: false,
    reason,
  };
  draft.changes.push(change);
  if (entry.password === undefined) draft.problems.push(passwordRequired(change));
}

/** The problem of a change that has to send a password where the manifest states none. */
export function passwordRequired({
  action,
  name,
  domain,
  source,
}: Pick<CredentialChange, 'action' | 'name' | 'domain' | 'source'>): Problem {
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

function reasonToSend(
  entry: PresentCredential,
  live: ObservedCredential | undefined,
  context: CredentialContext,
): Reason | null {
  if (live === undefined)
    return reasonFor('credential', entry.name, signatureOf(CREDENTIAL, entry, context.references), context);
  const key = nameKey(entry.name);
  if (context.rotate.has(key)) return 'rotate';
  return entry.password !== undefined && context.changed.has(key) ? 'manifest' : null;
}

function warnOfUnknownPassword(
  entry: PresentCredential,
  context: CredentialContext,
  draft: SectionDraft,
): void {
  if (entry.password === undefined || context.prior?.passwords.has(nameKey(entry.name)) === true) return;
  draft.warnings.push({
    code: 'password-unknown',
    subject: { entries: [entry.name] },
    message: `credential ${quote(entry.name)} of ${context.domain} exists; whether its password is the one of the manifest is not known, and it is not sent`,
    hint: `--rotate ${entry.name}@${context.domain} sends it`,
    source: entry.source,
  });
}

function deletion(
  live: ObservedCredential,
  reason: Reason,
  place: Origin | { readonly source: null },
  { domain }: CredentialContext,
): CredentialChange {
  return {
    ...place,
    kind: 'credential',
    action: 'delete',
    domain,
    name: live.name,
    id: null,
    observed: { password: 'set' },
    desired: null,
    fields: [],
    stage: 2,
    conditional: false,
    reason,
  };
}

export function describeCredential({ action }: ShownChange): string {
  return action === 'update' ? 'new password' : '';
}
