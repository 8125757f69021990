import { itemKey } from '../../model/item-key.ts';
import type { Desired, ReferenceValue } from '../../model/desired.ts';
import { silence } from '../../model/lint/silence.ts';
import { nameKey, quote, type DomainName } from '../../model/names.ts';
import type { Change, CredentialChange, Plan, Warning } from '../../model/plan.ts';
import type { Problem } from '../../model/manifest/problem.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { Reference } from '../../model/destinations.ts';

/** Field notes: the service refuses shorter ones. */
const MIN_LENGTH = 8;

/** The password behind a reference. */
export type ResolvePassword = (reference: Reference) => ReferenceValue | Promise<ReferenceValue>;

/** The passwords that a plan sends, by item. */
export type Passwords = ReadonlyMap<string, string>;

/**
 * Resolves every password that will be sent, before the first write: one that is not set or too short then is an error of
 * the manifest, and nothing is written. No value appears in a problem.
 */
export async function resolvePasswords(
  changes: readonly Change[],
  desired: Desired,
  resolve: ResolvePassword,
): Promise<Result<Passwords, readonly Problem[]>> {
  const problems: Problem[] = [];
  const passwords = new Map<string, string>();
  for (const change of changes) {
    if (change.kind !== 'credential' || change.desired?.password !== 'set') continue;
    const reference = passwordReference(desired, change.domain, change.name);
    const password = reference === null ? null : await resolve(reference);
    if (typeof password === 'string' && password.length >= MIN_LENGTH) {
      passwords.set(itemKey(change), password);
    } else {
      problems.push(passwordProblem(change, reference, password));
    }
  }
  return problems.length === 0 ? succeed(passwords) : fail(problems);
}

/**
 * A plan with what is wrong with the passwords that it sends. Where it is made, as in a CI job, they need not be set: only
 * `apply` needs them.
 */
export async function withPasswordFindings(
  plan: Plan,
  desired: Desired,
  resolve: ResolvePassword,
): Promise<Plan> {
  const resolved = await resolvePasswords(plan.changes, desired, resolve);
  if (resolved.ok) return plan;
  const unset = resolved.error.filter(({ code }) => code === 'reference-not-set');
  const found = unset.map(({ message, hint, source, subject }): Warning => {
    return {
      code: 'password-not-set',
      message: `${message}: apply will end with 5`,
      hint,
      source,
      ...(subject === undefined ? {} : { subject }),
    };
  });
  const warnings = silence(found, desired);
  const silenced = plan.summary.silenced + found.length - warnings.length;
  return {
    ...plan,
    summary: { ...plan.summary, silenced },
    problems: [...plan.problems, ...resolved.error.filter((problem) => !unset.includes(problem))],
    warnings: [...plan.warnings, ...warnings],
  };
}

/** A password cannot be read back: that no plan asks for it, or that its user name is there, says nothing. */
export function isPassword({ kind, action }: Change): boolean {
  return kind === 'credential' && action === 'update';
}

/** Where the manifest says that a credential's password is; null when it says nothing. */
export function passwordReference(desired: Desired, domain: DomainName, name: string): Reference | null {
  const entry = desired.domains.get(domain);
  if (entry?.state !== 'present') return null;
  const credential = entry.credentials?.entries.get(nameKey(name));
  return credential?.state === 'present' ? (credential.password ?? null) : null;
}

function passwordProblem(
  change: CredentialChange,
  reference: Reference | null,
  password: ReferenceValue,
): Problem {
  const who = `the password of credential ${quote(change.name)} in ${change.domain}`;
  const source = reference?.source ?? change.source;
  if (reference === null) {
    const hint = 'write password: { env: NAME }, and set the variable';
    return { severity: 'error', code: 'missing-password', message: `${who} is not stated`, hint, source };
  }
  if (password !== null && typeof password !== 'string') {
    const message = `${who}, ${reference.shown}, cannot be used: ${password.refused}`;
    return { severity: 'error', code: 'reference-refused', message, hint: password.hint, source };
  }
  if (password === null || password === '') {
    const message = `${who} is needed now, and ${reference.shown} is not set`;
    const hint = `set ${reference.shown}`;
    const subject = { domain: change.domain, entries: [change.name] };
    return { severity: 'error', code: 'reference-not-set', message, hint, source, subject };
  }
  const message = `${who}, ${reference.shown}, is shorter than ${MIN_LENGTH} characters`;
  const hint = `the service refuses it: choose one of at least ${MIN_LENGTH} characters`;
  return { severity: 'error', code: 'short-password', message, hint, source };
}
