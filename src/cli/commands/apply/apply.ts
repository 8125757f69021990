import { approvingPorts } from './follow-run.ts';
import type { Decision } from '../../../engine/decide.ts';
import { reconcileOnce, type OncePorts, type Approved } from '../../../engine/once.ts';
import type { Planned } from '../../../engine/plan-once.ts';
import { narrowToChanges } from '../../input/manifest/against.ts';
import { approveByUser, canAsk } from './approve.ts';
import { concludeRun } from './conclude.ts';
import type { Context } from '../../context.ts';
import { type ExitCode, usageError } from '../../exit.ts';
import { DOCUMENT_FORMATS, type DocumentFormat } from '../../output/formats.ts';
import type { PlanFlags } from '../../input/plan-options.ts';
import { contentsOf, printPlanText, shownPlan } from '../../output/plan/print-plan.ts';
import { approveSaved, assertSealed, openApproved, type ApprovedPlan } from '../../output/plan/saved-plan.ts';
import { readCommit, runOrigin } from '../../origin.ts';
import { openSession, type Session } from '../../input/session.ts';
import { manifestPaths, resolveFormat } from '../../settings.ts';
import { printStateWarnings, printUnknownValues } from '../../input/state/state.ts';

export interface ApplyFlags extends PlanFlags {
  readonly yes?: true;
  readonly maxFailures?: number;
}

/**
 * Makes a plan, shows it, asks where somebody is there to be asked, applies it and verifies. With a saved plan nobody is
 * asked: the plan that is made runs if it is the one that was approved.
 */
export async function applyCommand(
  context: Context,
  options: ApplyFlags,
  [path]: readonly string[],
): Promise<ExitCode> {
  const format = resolveFormat(options, context, DOCUMENT_FORMATS);
  if (path === undefined) {
    assertAnswerable(context, options);
    return applyPlanned(context, await narrowToChanges(context, options), { format, approved: null });
  }
  const approved = await openApproved(context, path, options);
  return applyPlanned(context, { ...options, ...approved.flags }, { format, approved });
}

interface Manner {
  readonly format: DocumentFormat;
  /** The saved plan that the run has to be; null: somebody is asked, or `--yes` is given. */
  readonly approved: ApprovedPlan | null;
}

async function applyPlanned(context: Context, options: ApplyFlags, manner: Manner): Promise<ExitCode> {
  const { approved, format } = manner;
  const session = await openSession(context, options, {
    command: 'apply',
    mode: 'read-write',
    // A saved plan names the account that it was made for, and is compared with the one that answers.
    stance: { accountRequired: approved === null && options.yes === true, domainDeletes: 'allowed' },
    unnamed: approved === null && options.against === undefined ? 'refused' : 'ignored',
  });
  try {
    if (approved !== null) assertSealed(approved, session);
    const newcomers = approved === null ? 'taken-up' : 'left';
    const request = {
      ...session.request,
      origin: runOrigin(context, 'apply'),
      maxFailures: options.maxFailures ?? null,
      newcomers,
    } as const;
    const once = await reconcileOnce(request, portsOf(context, options, session, manner));
    session.progress.stop();
    return concludeRun(context, options, session, { once, format });
  } finally {
    session.progress.stop();
    await session.client.close();
  }
}

function assertAnswerable(context: Context, options: ApplyFlags): void {
  if (options.yes === true) return;
  if (canAsk(context) && !manifestPaths(options, context).includes('-')) return;
  throw usageError(
    'cannot prompt: not a terminal',
    'use --yes, and name the account with --account or api.account',
  );
}

function portsOf(context: Context, options: ApplyFlags, session: Session, manner: Manner): OncePorts {
  const { format, approved } = manner;
  const stream = format === 'json' ? context.stderr : context.stdout;
  const show = (decision: Decision, planned: Planned): void => {
    session.progress.stop();
    printStateWarnings(context, options, planned);
    if (approved === null) printUnknownValues(context, options, planned);
    if (format === 'json' && (options.yes === true || approved !== null)) return;
    printPlanText(context, contentsOf(context, session, shownPlan(decision, planned)), {
      stream,
      color: options.color,
    });
  };
  const refusals = options.skipRefused === true ? 'withhold' : 'end-the-run';
  const approve = async (planned: Planned): Promise<Approved> => {
    if (approved !== null) {
      const decision = await approveSaved(context, session, { approved, planned });
      if (decision.kind !== 'stale') show(decision, planned);
      return { decision, planned };
    }
    return approveByUser(context, options, planned, { refusals, show });
  };
  const ports = approvingPorts(context, session, approve);
  return { ...ports, readCommit: () => readCommit(context, manifestPaths(options, context)) };
}
