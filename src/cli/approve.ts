import { decide, type Decision, type Refusals } from '../reconcile/decide.ts';
import type { Verdict } from '../reconcile/once.ts';
import { planWith, type Planned } from '../reconcile/plan-once.ts';
import { ask, confirmGuard } from './ask.ts';
import type { Context } from './context.ts';

export interface Approval {
  readonly refusals: Refusals;
  /** Shows what would run. */
  readonly show: (decision: Decision, planned: Planned) => void;
}

/** Without anybody to ask: the plan is shown, and runs as it is. */
export function approveUnasked(planned: Planned, { refusals, show }: Approval): Verdict {
  const decision = decide(planned.plan, refusals);
  show(decision, planned);
  return { decision, planned };
}

/** Shows the plan, asks about each guard that can be allowed, then whether to go on. */
export async function approveOnTerminal(
  context: Context,
  planned: Planned,
  { refusals, show }: Approval,
): Promise<Verdict> {
  const first = decide(planned.plan, refusals);
  show(first, planned);
  const allowed = first.kind === 'refused' ? await askAboutGuards(context, planned) : planned;
  if (allowed === null) return { decision: { kind: 'declined' }, planned };
  const decision = decide(allowed.plan, refusals);
  if (decision.kind !== 'go' || decision.plan.changes.length === 0) return { decision, planned: allowed };
  const answer = await ask(context, 'Apply this plan? Type yes to go on: ');
  return answer === 'yes' ? { decision, planned: allowed } : { decision: { kind: 'declined' }, planned };
}

/** The plan under a policy that allows what was confirmed; null when something was not. */
async function askAboutGuards(context: Context, planned: Planned): Promise<Planned | null> {
  const open = planned.plan.guards.filter((finding) => finding.refuses && !finding.allowed);
  if (open.some(({ allowance }) => allowance === null)) return planned;
  // One flag may answer several guards: it is asked for once.
  for (const finding of new Map(open.map((finding) => [finding.allow, finding])).values()) {
    if (!(await confirmGuard(context, finding))) return null;
  }
  const { policy } = planned.input;
  const confirmed = open.flatMap(({ allowance }) => allowance ?? []);
  return planWith(planned, { ...policy, allowances: [...policy.allowances, ...confirmed] });
}
