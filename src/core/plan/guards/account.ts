import type { GuardFinding, Hold } from '../../model/plan.ts';
import type { GuardInput } from './input.ts';

/** Checks that the account is the intended one and can take the changes. */
export function guardAccount(input: GuardInput): readonly GuardFinding[] {
  return [...guardIdentity(input), ...guardLock(input), ...guardDomainsLimit(input)];
}

function guardIdentity({ policy, observed }: GuardInput): readonly GuardFinding[] {
  const { email } = observed.account;
  if (policy.account === null) {
    if (!policy.accountRequired) return [];
    const message = `the key belongs to the account ${email}; confirm it with api.account or --account`;
    return [finding('account-required', message, { kind: 'run' })];
  }
  if (policy.account.toLowerCase() === email.toLowerCase()) return [];
  const message = `the key belongs to the account ${email}, not of ${policy.account}`;
  return [finding('account-mismatch', message, { kind: 'run' })];
}

function guardLock({ observed, domains }: GuardInput): readonly GuardFinding[] {
  const { locked, lockReason, email } = observed.account;
  if (!locked || domains.every((plan) => plan.changes.length === 0)) return [];
  const why = lockReason === null ? '' : `: ${lockReason}`;
  return [finding('account-locked', `the account ${email} is locked${why}`, { kind: 'run' })];
}

/**
 * Checks the account's limit of domains. 0 or null means unknown or unlimited, never "no room". Domains are added
 * before others are deleted.
 */
function guardDomainsLimit({ observed, domains }: GuardInput): readonly GuardFinding[] {
  const limit = observed.account.plan.domainsLimit ?? 0;
  if (limit <= 0) return [];
  const added = domains.filter((plan) =>
    plan.changes.some((change) => change.kind === 'domain' && change.action === 'add'),
  );
  const planned = observed.domains.size + added.length;
  if (added.length === 0 || planned <= limit) return [];
  const message = `with ${added.length} added, the account would have ${planned} domains; its plan allows ${limit}`;
  const holds: Hold = { kind: 'domains', domains: added.map(({ domain }) => domain) };
  return [{ ...finding('plan-limit', message, holds), limit, planned }];
}

function finding(
  guard: 'account-required' | 'account-mismatch' | 'account-locked' | 'plan-limit',
  message: string,
  holds: Hold,
): GuardFinding {
  return {
    guard,
    scope: 'run',
    limit: 0,
    planned: 1,
    message,
    allowance: null,
    allow: null,
    allowed: false,
    holds,
    refuses: true,
  };
}
