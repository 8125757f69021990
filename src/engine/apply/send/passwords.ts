import { itemKey } from '../../../core/kinds/item-key.ts';
import type { Desired, ReferenceValue } from '../../../core/model/desired.ts';
import { silence } from '../../../core/model/lint/silence.ts';
import { nameKey, quote, type DomainName } from '../../../core/model/names.ts';
import type { Change, CredentialChange, Plan, Warning } from '../../../core/model/plan.ts';
import type { Problem } from '../../../core/model/manifest/problem.ts';
import type { Reference } from '../../../core/model/destinations.ts';
import { passwordRequired } from '../../../core/kinds/credential/diff.ts';

/** Field notes: the service refuses shorter passwords. */
const MIN_LENGTH = 8;

/** Returns the password behind a reference. */
export type ResolvePassword = (reference: Reference) => ReferenceValue | Promise<ReferenceValue>;

/** Passwords that a plan sends, by item. */
export type Passwords = ReadonlyMap<string, string>;

export interface ResolvedPasswords {
  readonly passwords: Passwords;
  /** Changes whose password cannot be sent, with the reason. */
  readonly missing: ReadonlyMap<Change, Problem>;
}

/** Resolves every password that will be sent. No value appears in a problem. */
export async function resolvePasswords(
  changes: readonly Change[],
  desired: Desired,
  resolve: ResolvePassword,
): Promise<ResolvedPasswords> {
  const passwords = new Map<string, string>();
  const missing = new Map<Change, Problem>();
  for (const change of changes) {
    if (change.kind !== 'credential' || change.desired?.password !== 'set') continue;
    const reference = passwordReference(desired, change.domain, change.name);
    const password = reference === null ? null : await resolve(reference);
    if (typeof password === 'string' && password.length >= MIN_LENGTH) {
      passwords.set(itemKey(change), password);
    } else {
      missing.set(change, passwordProblem(change, reference, password));
    }
  }
  return { passwords, missing };
}

/** Returns the problems that the plan does not have already. */
export function passwordProblems(
  plan: Pick<Plan, 'problems'>,
  { missing }: Pick<ResolvedPasswords, 'missing'>,
): readonly Problem[] {
  const known = new Set(plan.problems.map(({ message }) => message));
  return [...missing.values()].filter(({ message }) => !known.has(message));
}

/**
 * Adds problems of passwords to a plan that will send them. Passwords need not be set where a plan is made, for
 * example in a CI job. Only `apply` needs them.
 */
export async function withPasswordFindings(
  plan: Plan,
  desired: Desired,
  resolve: ResolvePassword,
): Promise<Plan> {
  const problems = passwordProblems(plan, await resolvePasswords(plan.changes, desired, resolve));
  const unset = problems.filter(({ code }) => code === 'reference-not-set');
  const found = unset.map(({ message, hint, source, subject }): Warning => {
    return {
      code: 'password-not-set',
      message: `${message}: apply will leave it out, and end with 3 or 5`,
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
    problems: [...plan.problems, ...problems.filter((problem) => !unset.includes(problem))],
    warnings: [...plan.warnings, ...warnings],
  };
}

/** Returns the reference to a credential's password in the manifest; null if the manifest has none. */
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
  if (reference === null) return passwordRequired(change);
  const who = `the password of credential ${quote(change.name)} in ${change.domain}`;
  const { source } = reference;
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
