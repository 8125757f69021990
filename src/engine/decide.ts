import type { Change, Plan } from '../core/model/plan.ts';
import type { Difference } from '../core/plan/render/compare.ts';
import { firstRequestsOf, type StageRequests } from '../core/plan/requests/requests.ts';
import { isRefused, withholdRefused } from '../core/plan/withhold.ts';

/** The response to guards that refuse and to domains that cannot be read. */
export type Refusals = 'end-the-run' | 'withhold';

/** The decision whether a plan runs, and which of its changes. */
export type Decision =
  | {
      readonly kind: 'go';
      /** The changes that run. */
      readonly plan: Plan;
      /** Planned changes that do not run. */
      readonly heldBack: readonly Change[];
      /** Requests for the changes that run. The forecast counts them, and the first round sends them. */
      readonly requests: readonly StageRequests[];
    }
  /** The manifest has errors that only a read of the account shows, and nothing else is left to run. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'refused' }
  /** A domain could not be read, or shows one key twice. */
  | { readonly kind: 'unproven' }
  /** Manifest or account changed since the plan was approved. */
  | { readonly kind: 'stale'; readonly since: readonly Difference[] }
  /** A person answered no to the prompt. */
  | { readonly kind: 'declined' };

/**
 * Decides what runs. By default a refusing guard stops the whole plan, and a failed read of one domain ends the run.
 * With `withhold`, only the changes concerned are withheld and the rest runs; if no change is left, the guards'
 * refusal stands. A problem of the manifest withholds only its own part.
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
