import { plural } from '../../core/model/names.ts';
import { withPasswordFindings } from '../../engine/apply/send/passwords.ts';
import type { Plan } from '../../core/model/plan.ts';
import { countsSentence } from '../../core/plan/render/totals.ts';
import { decide, type Decision } from '../../engine/decide.ts';
import { planOnce, type Planned } from '../../engine/plan-once.ts';
import { narrowToChanges } from '../input/manifest/against.ts';
import { readFailure } from '../input/connect.ts';
import type { CommandCall, CommandResult } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, strongestExit, usageError } from '../exit.ts';
import { applyCommandLine } from '../output/plan/next-command.ts';
import {
  contentsOf,
  documentOf,
  formatPlan,
  planText,
  routesInput,
  shownPlan,
  type PlanPrinting,
  type ShownPlan,
} from '../output/plan/print-plan.ts';
import { openSession, type Session } from '../input/session.ts';
import { resolveDriftUrl } from '../settings/address.ts';
import type { Allowances } from '../settings/flags.ts';
import { openDriftCheck } from '../input/drift-check.ts';
import { planRoutes } from '../../core/plan/routes/routes.ts';
import { replayRequest, weigh, type ReplayOptions, type ReplayRequest } from './plan/weigh.ts';
import { printStateWarnings, printUnknownValues } from '../input/state/open-states.ts';

export interface PlanOptions extends Allowances, ReplayOptions {
  readonly detailedExitcode?: true;
  readonly summary?: true;
  readonly allRoutes?: true;
  readonly against?: string;
  readonly out?: string;
}

/** Shows what apply would do. The client can only send GET requests. */
export async function planCommand(
  context: Context,
  { settings, options }: CommandCall<PlanOptions>,
): Promise<CommandResult> {
  assertUsed(context, options);
  const asked = replayRequest(options);
  const isQuick = options.quick === true;
  const driftUrl = isQuick ? resolveDriftUrl(context.given, context) : null;
  const { manifest, concealed } = await narrowToChanges(context, settings.manifest, options.against);
  const session = await openSession(
    context,
    { ...settings, manifest },
    {
      command: 'plan',
      reads: isQuick ? 'some' : 'all',
      mode: 'read-only',
      stance: { accountRequired: false, domainDeletes: 'allowed' },
      unnamed: options.against === undefined ? 'refused' : 'ignored',
      allowances: options,
      concealed,
    },
  );
  const drift = driftUrl === null ? null : openDriftCheck(context, session, driftUrl);
  try {
    const scope = isQuick ? 'pending' : 'all';
    const ports = { ...session.ports, findDrift: drift?.findDrift };
    const read = await planOnce({ ...session.request, scope }, ports);
    session.progress.stop();
    if (!read.ok) throw readFailure(read.error, session.client);
    const planned = read.value;
    printStateWarnings(context, planned);
    printUnknownValues(context, planned);
    const about = isQuick ? aboutWhatWasRead(session, planned) : session;
    tellSkipped(context, about, driftUrl);
    const decided = await weighed(context, session, await decideShown(planned, options, session), asked);
    return {
      exit: planExit(decided.shown.plan, decided.decision, options),
      ...(await show(context, options, about, decided)),
      verdict: `${verdictOf(planned, decided.decision)}${countsSentence(decided.shown.plan)}`,
    };
  } finally {
    session.progress.stop();
    await Promise.all([session.client.close(), drift?.close()]);
  }
}

/**
 * Ends the command if an option has no effect. Without --quick no domain is skipped, so there is none to check for
 * drift.
 */
function assertUsed({ given, format }: Context, { quick, summary, allRoutes }: PlanOptions): void {
  if (quick !== true && given.driftUrl !== undefined)
    throw usageError('--drift-url has no effect without --quick', 'add --quick, or leave out --drift-url');
  if (summary !== true) return;
  if (allRoutes === true)
    throw usageError('--summary shows no routes', 'leave out --summary or --all-routes');
  if (format !== 'text')
    throw usageError(`--summary has no effect with --format ${format}`, 'leave one of them out');
}

interface Decided {
  readonly decision: Decision;
  readonly shown: ShownPlan;
}

/** Decides what `apply` would do with the plan, including its passwords, and which part of it is shown. */
async function decideShown(
  planned: Planned,
  { skipRefused }: PlanOptions,
  { ports }: Session,
): Promise<Decided> {
  const decision = decide(planned.plan, skipRefused === true ? 'withhold' : 'end-the-run');
  const shown = shownPlan(decision, planned);
  const plan = await withPasswordFindings(shown.plan, planned.input.desired, ports.resolvePassword);
  return { decision, shown: { ...shown, plan } };
}

/** Adds how much mail the plan changes, if that is asked for and not interrupted. */
async function weighed(
  context: Context,
  session: Session,
  { decision, shown }: Decided,
  asked: ReplayRequest | null,
): Promise<Decided> {
  if (asked === null) return { decision, shown };
  const input = routesInput(shown);
  const found = await weigh(context, session, { input, routes: planRoutes(input) }, asked);
  return { decision, shown: { ...shown, weighed: found ?? undefined } };
}

/** Computes digest and seal only for a plan that is saved or printed for programs. */
async function show(
  context: Context,
  { summary, allRoutes, out }: PlanOptions,
  session: Session,
  { decision, shown }: Decided,
): Promise<Omit<CommandResult, 'exit'>> {
  const canApply = decision.kind === 'go' && shown.plan.changes.length > 0;
  const how: PlanPrinting = {
    extent: summary === true ? 'totals' : 'all',
    routes: allRoutes === true ? 'all' : 'first',
    next: canApply ? applyCommandLine(context) : null,
  };
  if (context.format === 'text' && out === undefined) {
    const text = planText(context, contentsOf(context, session, shown), context.stdout, how);
    return { text, canApply };
  }
  const document = documentOf(context, session, shown);
  const saved = out === undefined ? {} : { saved: { path: out, document } };
  return { ...saved, ...(await formatPlan(context, document, how)), canApply };
}

function tellSkipped({ stderr }: Context, { skipped = 0 }: Session, driftUrl: string | null): void {
  if (skipped === 0) return;
  const checked = driftUrl === null ? '' : ', and with the wanted aliases and settings';
  stderr.write(`${plural(skipped, 'domain')} skipped: unchanged since the last apply${checked}\n`);
}

/**
 * Returns a session for the domains that were read, as with `--domain`. A saved plan is then made again for those,
 * not for the domains that are due later.
 */
function aboutWhatWasRead(session: Session, { request }: Planned): Session {
  const read = [...request.desired.domains.keys()];
  const skipped = session.request.desired.domains.size - read.length;
  return { ...session, options: { ...session.options, domains: read }, skipped };
}

/** Returns the text before the counts in the line of an account. Empty if the plan can run. */
function verdictOf({ plan }: Planned, { kind }: Decision): string {
  if (kind !== 'refused') return kind === 'go' ? '' : `${kind}: `;
  const refusing = plan.guards.filter(({ refuses, allowed }) => refuses && !allowed);
  return `refused by ${[...new Set(refusing.map(({ guard }) => guard))].join(', ')}: `;
}

/** Returns 5 for problems, 4 for guards, 1 for unread domains, and 2 for changes if requested. */
function planExit(plan: Plan, decision: Decision, options: PlanOptions): ExitCode {
  const unproven = plan.withheld.some(({ cause }) => cause === 'unproven');
  return strongestExit([
    ...(plan.problems.length > 0 ? [EXIT.invalid] : []),
    ...(decision.kind === 'refused' ? [EXIT.refused] : []),
    ...(unproven && options.skipRefused !== true ? [EXIT.failed] : []),
    ...(options.detailedExitcode === true && plan.changes.length > 0 ? [EXIT.changes] : []),
  ]);
}
