import { approvingPorts } from './follow-run.ts';
import type { Decision } from '../../../engine/decide.ts';
import { reconcileOnce, type OncePorts, type Approved } from '../../../engine/once.ts';
import type { Planned } from '../../../engine/plan-once.ts';
import { narrowToChanges } from '../../input/manifest/against.ts';
import { canAsk } from '../../input/questioner.ts';
import { approveByUser } from './approve.ts';
import { concludeRun } from './conclude.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../exit.ts';
import { contentsOf, planText, shownPlan } from '../../output/plan/print-plan.ts';
import { approveSaved, assertSealed, openApproved, type ApprovedPlan } from '../../output/plan/saved-plan.ts';
import { readCommit, runOrigin } from '../../origin.ts';
import { openSession, type Session, type SessionOptions } from '../../input/session.ts';
import { pickAllowances, type Allowances } from '../../settings/flags.ts';
import type { ManifestSettings, Settings } from '../../settings/resolve-settings.ts';
import { printStateWarnings, printUnknownValues } from '../../input/state/open-states.ts';

export interface ApplyFlags extends Allowances {
  readonly yes?: true;
  readonly maxFailures?: number;
  readonly against?: string;
}

/**
 * Makes a plan, shows it, asks if a person is there, applies it and verifies. With a saved plan it does not ask: the plan that
 * is made runs if it is the one that was approved.
 */
export async function applyCommand(
  context: Context,
  { settings, options, args: [path] }: CommandCall<ApplyFlags>,
): Promise<CommandResult> {
  if (path !== undefined) {
    const approved = await openApproved(context, settings, path);
    const { options: saved } = approved.plan;
    const mask = saved.mask === true && context.mask === false ? new Map<string, number>() : context.mask;
    const own = { ...context, mask, given: { ...context.given, file: saved.paths } };
    return applyPlanned(own, approved.settings, {
      options: { ...options, ...pickAllowances(saved) },
      approved,
    });
  }
  assertAnswerable(context, settings.manifest, options);
  const { manifest, concealed } = await narrowToChanges(context, settings.manifest, options.against);
  return applyPlanned(context, { ...settings, manifest }, { options, approved: null, concealed });
}

interface Manner extends Pick<SessionOptions, 'concealed'> {
  readonly options: ApplyFlags;
  /** The saved plan that the run must match. null means that a person is asked, or that `--yes` is given. */
  readonly approved: ApprovedPlan | null;
}

async function applyPlanned(context: Context, settings: Settings, manner: Manner): Promise<CommandResult> {
  const { approved, options, concealed } = manner;
  const session = await openSession(context, settings, {
    command: 'apply',
    mode: 'read-write',
    // A saved plan names the account that it was made for, and is compared with the one that answers.
    stance: { accountRequired: approved === null && options.yes === true, domainDeletes: 'allowed' },
    unnamed: approved === null && options.against === undefined ? 'refused' : 'ignored',
    allowances: options,
    concealed,
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
    const once = await reconcileOnce(request, portsOf(context, settings.manifest, session, manner));
    session.progress.stop();
    return concludeRun(context, settings, session, once);
  } finally {
    session.progress.stop();
    await session.client.close();
  }
}

function assertAnswerable(context: Context, { paths }: ManifestSettings, { yes }: ApplyFlags): void {
  if (yes === true) return;
  if (canAsk(context) && !paths.includes('-')) return;
  throw usageError(
    'cannot prompt: not a terminal',
    'use --yes, and name the account with --account or api.account',
  );
}

function portsOf(
  context: Context,
  { paths }: ManifestSettings,
  session: Session,
  { options, approved }: Manner,
): OncePorts {
  const { format } = context;
  const stream = format === 'json' ? context.stderr : context.stdout;
  const show = (decision: Decision, planned: Planned): void => {
    session.progress.stop();
    printStateWarnings(context, planned);
    if (approved === null) printUnknownValues(context, planned);
    if (format === 'json' && (options.yes === true || approved !== null)) return;
    stream.write(planText(context, contentsOf(context, session, shownPlan(decision, planned)), stream));
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
  return { ...ports, readCommit: () => readCommit(context, paths) };
}
