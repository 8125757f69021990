import type { Change, Plan } from '../core/model/plan.ts';
import type { Difference } from '../core/plan/render/compare.ts';
import { firstRequestsOf, type StageRequests } from '../core/plan/requests/requests.ts';
import { isRefused, withholdRefused } from '../core/plan/withhold.ts';

/** What is done about guards that refuse and domains that cannot be read. */
export type Refusals = 'end-the-run' | 'withhold';

/** Whether a plan runs, and what of it. */
export type Decision =
  | {
      readonly kind: 'go';
      /** What runs. */
      readonly plan: Plan;
      /** Changes that were planned and do not run. */
      readonly heldBack: readonly Change[];
      /** Of what runs: the forecast counts them, and the first round sends them. */
      readonly requests: readonly StageRequests[];
    }
  /** The manifest has errors that only a read of the account shows, and what they leave does not run either. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'refused' }
  /** A domain could not be read, or shows one key twice. */
  | { readonly kind: 'unproven' }
  /** Not what was approved beforehand: manifest or account changed since. */
  | { readonly kind: 'stale'; readonly since: readonly Difference[] }
  /** Somebody was asked and said no. */
  | { readonly kind: 'declined' };

/**
 * Guards refuse a plan as a whole, and a failed read of one domain ends the run, unless what they concern is withheld and
 * the rest goes on. With nothing left to go on with, the guards' refusal stands. A problem of the manifest withholds only
 * what it concerns.
 */
export function decide(plan: Plan, refusals: Refusals): Decision {
  const decision = decideRest(plan, refusals);
  return decision.kind === 'go' || plan.problems.length === 0 ? decision : { kind: 'invalid' };
}

function decideRest(plan: Plan, refusals: Refusals): Decision {
  const refused = isRefused(plan);
  if (refused && refusals === 'end-the-run') return { kind: 'refused' };
  if (refusals === 'end-the-run' && plan.withheld.some(({ cause }) => cause === 'unproven'))
    return { kind: 'unproven' };
  const rest = withholdRefused(plan);
  if (refused && rest.changes.length === 0) return { kind: 'refused' };
  const kept = new Set(rest.changes);
  return goAhead(
    rest,
    plan.changes.filter((change) => !kept.has(change)),
  );
}

export function goAhead(plan: Plan, heldBack: readonly Change[]): Decision {
  return { kind: 'go', plan, heldBack, requests: firstRequestsOf(plan) };
}
