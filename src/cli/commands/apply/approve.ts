import type { GuardFinding } from '../../../core/model/plan.ts';
import { decide, type Decision, type Refusals } from '../../../engine/decide.ts';
import type { Approved } from '../../../engine/once.ts';
import { planWith, type Planned } from '../../../engine/plan-once.ts';
import type { Context } from '../../context.ts';
import { openQuestioner, type Questioner } from '../../input/questioner.ts';

export interface ApprovalRequest {
  readonly refusals: Refusals;
  /** Shows what would run. */
  readonly show: (decision: Decision, planned: Planned) => void;
}

/** Runs the plan as it is with `--yes`. Otherwise asks the user, about one of many accounts at a time. */
export async function approveByUser(
  context: Context,
  { yes }: { readonly yes?: true },
  planned: Planned,
  approval: ApprovalRequest,
): Promise<Approved> {
  if (yes === true) return approveUnasked(planned, approval);
  const { clock, member } = context;
  const asked = clock.monotonic();
  const ask = (): Promise<Approved> => approveOnTerminal(context, planned, approval);
  const approved = await (member === undefined ? ask() : member.alone(ask));
  return { ...approved, askedMs: clock.monotonic() - asked };
}

/** Approves the plan without a prompt. Shows the plan and runs it as it is. */
export function approveUnasked(planned: Planned, { refusals, show }: ApprovalRequest): Approved {
  const decision = decide(planned.plan, refusals);
  show(decision, planned);
  return { decision, planned };
}

/** Shows the plan, asks about each guard that can be allowed, then whether to go on. */
async function approveOnTerminal(
  context: Context,
  planned: Planned,
  approval: ApprovalRequest,
): Promise<Approved> {
  // With many accounts, each waits for its turn to ask.
  if (context.signal.aborted) return { decision: { kind: 'declined' }, planned };
  const questioner = openQuestioner(context);
  try {
    return await askAboutPlan(questioner, planned, { ...approval, signal: context.signal });
  } finally {
    questioner.close();
  }
}

async function askAboutPlan(
  questioner: Questioner,
  planned: Planned,
  { refusals, show, signal }: ApprovalRequest & Pick<Context, 'signal'>,
): Promise<Approved> {
  const first = decide(planned.plan, refusals);
  show(first, planned);
  const allowed = first.kind === 'refused' ? await askAboutGuards(questioner, planned) : planned;
  if (allowed === null) return { decision: { kind: signal.aborted ? 'declined' : 'refused' }, planned };
  const decision = allowed === planned ? first : decide(allowed.plan, refusals);
  if (decision.kind !== 'go' || decision.plan.changes.length === 0) return { decision, planned: allowed };
  const answer = await questioner.ask('Apply this plan? Only "yes" is accepted: ');
  return answer === 'yes' ? { decision, planned: allowed } : { decision: { kind: 'declined' }, planned };
}

/** Returns the plan under a policy that allows what was confirmed; null if something was not confirmed. */
async function askAboutGuards(questioner: Questioner, planned: Planned): Promise<Planned | null> {
  const open = planned.plan.guards.filter((finding) => finding.refuses && !finding.allowed);
  if (open.some(({ allowance }) => allowance === null)) return planned;
  // One flag may answer several guards, so it is asked for once.
  for (const finding of new Map(open.map((finding) => [finding.allow, finding])).values()) {
    if (!(await confirmGuard(questioner, finding))) return null;
  }
  const { policy } = planned.input;
  const confirmed = open.flatMap(({ allowance }) => allowance ?? []);
  return planWith(planned, { ...policy, allowances: [...policy.allowances, ...confirmed] });
}

/**
 * Asks the user to type the number, name or address that a guard's flag would take. Returns true if it was typed.
 * Does not ask about a guard that cannot be allowed.
 */
async function confirmGuard(questioner: Questioner, { guard, scope, allow }: GuardFinding): Promise<boolean> {
  if (allow === null) return false;
  const expected = allow.slice(allow.indexOf(' ') + 1).replaceAll("'", '');
  const answer = await questioner.ask(`Guard ${guard} of ${scope}. Type ${expected} to allow it: `);
  return answer === expected;
}
