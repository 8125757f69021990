import { createInterface } from 'node:readline/promises';
import type { GuardFinding } from '../../../core/model/plan.ts';
import { decide, type Decision, type Refusals } from '../../../engine/decide.ts';
import type { Approved } from '../../../engine/once.ts';
import { planWith, type Planned } from '../../../engine/plan-once.ts';
import type { Context } from '../../context.ts';

export interface ApprovalRequest {
  readonly refusals: Refusals;
  /** Shows what would run. */
  readonly show: (decision: Decision, planned: Planned) => void;
}

/** With `--yes` the plan runs as it is; else somebody is asked, about one of many accounts at a time. */
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

/** Without anybody to ask: the plan is shown, and runs as it is. */
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
  // With many accounts each waits for its turn to ask.
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

/** The plan under a policy that allows what was confirmed; null when something was not. */
async function askAboutGuards(questioner: Questioner, planned: Planned): Promise<Planned | null> {
  const open = planned.plan.guards.filter((finding) => finding.refuses && !finding.allowed);
  if (open.some(({ allowance }) => allowance === null)) return planned;
  // One flag may answer several guards: it is asked for once.
  for (const finding of new Map(open.map((finding) => [finding.allow, finding])).values()) {
    if (!(await confirmGuard(questioner, finding))) return null;
  }
  const { policy } = planned.input;
  const confirmed = open.flatMap(({ allowance }) => allowance ?? []);
  return planWith(planned, { ...policy, allowances: [...policy.allowances, ...confirmed] });
}

/** Whether somebody is there to be asked. */
export function canAsk(context: Context): boolean {
  return context.stdin.isTTY === true && context.stderr.isTTY === true;
}

/** Somebody at a terminal. */
interface Questioner {
  /** One line of an answer; null when there will be none, as after an interruption. */
  ask(question: string): Promise<string | null>;
  close(): void;
}

/** What is typed ahead of a question counts as its answer. With `--accounts` each question names the account. */
function openQuestioner({ stdin, stderr, signal, interrupt, member }: Context): Questioner {
  const terminal = createInterface({ input: stdin, output: stderr });
  const answers = terminal[Symbol.asyncIterator]();
  let isOpen = true;
  terminal.once('close', () => {
    isOpen = false;
  });
  const stop = (): void => terminal.close();
  signal.addEventListener('abort', stop, { once: true });
  terminal.once('SIGINT', () => {
    stop();
    stderr.write('\n');
    interrupt?.();
  });
  return {
    async ask(question) {
      if (signal.aborted) return null;
      terminal.setPrompt(member === undefined ? question : `${member.name}: ${question}`);
      // Where the input has ended, answers may have been typed before.
      if (isOpen) terminal.prompt();
      const { value, done } = await answers.next();
      return done === true ? null : value.trim();
    },
    close() {
      signal.removeEventListener('abort', stop);
      terminal.close();
    },
  };
}

/**
 * Asks to type the number, the name or the address that a guard's flag would take; true when it was typed.
 * A guard that nothing allows is not asked about.
 */
async function confirmGuard(questioner: Questioner, { guard, scope, allow }: GuardFinding): Promise<boolean> {
  if (allow === null) return false;
  const expected = allow.slice(allow.indexOf(' ') + 1).replaceAll("'", '');
  const answer = await questioner.ask(`Guard ${guard} of ${scope}. Type ${expected} to allow it: `);
  return answer === expected;
}
