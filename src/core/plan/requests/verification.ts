import type { Desired } from '../../model/desired.ts';
import type { DomainName } from '../../model/names.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import type { Plan } from '../../model/plan.ts';
import type { Prior, Verified } from '../../model/prior.ts';
import type { PlannedRead } from './reads.ts';

/** The most domains verified in a run. The others wait for the next run, so that DNS does not prolong this one. */
export const MOST_VERIFIED = 100;

/** Domains that are verified at the same time. */
export const VERIFIED_AT_ONCE = 8;

export interface DueDomain {
  readonly domain: DomainName;
  readonly last: Verified | null;
}

export interface DueContext {
  readonly desired: Pick<Desired, 'domains'>;
  readonly observed: { readonly domains: ReadonlyMap<DomainName, ObservedDomain> };
  readonly prior: Prior;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Returns the domains with `verify: true` that are not ready and whose wait is over; the longest waiting come first.
 */
export function dueDomains({ desired, observed, prior, now }: DueContext): readonly DueDomain[] {
  const due: DueDomain[] = [];
  for (const entry of desired.domains.values()) {
    if (entry.state === 'absent' || !entry.verify) continue;
    const live = observed.domains.get(entry.domain);
    if (live === undefined || isReady(live)) continue;
    const last = prior.domains.get(entry.domain)?.verified ?? null;
    if (last === null || now >= last.at + last.waitMs) due.push({ domain: entry.domain, last });
  }
  return due.sort((a, b) => (a.last?.at ?? 0) - (b.last?.at ?? 0));
}

function isReady({ forwardingReady, sendReady }: ObservedDomain): boolean {
  return forwardingReady === true && sendReady === true;
}

/**
 * Returns the DNS checks that a run will request, including those of the domains that it adds, which are never ready.
 */
export function plannedVerifications(
  { changes }: Pick<Plan, 'changes'>,
  context: DueContext,
): readonly PlannedRead[] {
  const added = changes
    .filter(({ kind, action }) => kind === 'domain' && action === 'add')
    .map(({ domain }) => context.desired.domains.get(domain))
    .filter((entry) => entry?.state === 'present' && entry.verify);
  const count = Math.min(MOST_VERIFIED, dueDomains(context).length + added.length);
  return count === 0 ? [] : [{ operation: 'verifyDomain', domain: null, requests: count }];
}
