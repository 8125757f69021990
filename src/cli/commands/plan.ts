import { plural } from '../../core/model/names.ts';
import { withPasswordFindings } from '../../engine/apply/send/passwords.ts';
import type { Plan } from '../../core/model/plan.ts';
import { countsSentence } from '../../core/plan/render/totals.ts';
import { decide, type Decision } from '../../engine/decide.ts';
import type { Approved } from '../../engine/once.ts';
import { planOnce, type Planned } from '../../engine/plan-once.ts';
import { narrowToChanges } from '../input/manifest/against.ts';
import { readFailure } from '../input/connect.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, strongestExit, usageError } from '../exit.ts';
import { PLAN_FORMATS, type PlanFormat } from '../output/formats.ts';
import { applyCommandLine, nextOf, type PlanRequestFlags } from '../output/plan/next-command.ts';
import {
  contentsOf,
  documentOf,
  printPlan,
  printPlanText,
  shownPlan,
  type PlanPrinting,
  type ShownPlan,
} from '../output/plan/print-plan.ts';
import { savePlan } from '../output/plan/saved-plan.ts';
import { openSession, type Session } from '../input/session.ts';
import { resolveDriftUrl, resolveFormat } from '../settings.ts';
import { openDriftCheck } from '../input/drift.ts';
import { printStateWarnings, printUnknownValues } from '../input/state/state.ts';

export interface PlanOptions extends PlanRequestFlags {
  readonly detailedExitcode?: true;
  readonly summary?: true;
  readonly allRoutes?: true;
  readonly driftUrl?: string;
}

/** Shows what apply would do; the client cannot send anything but GET. */
export async function planCommand(context: Context, options: PlanOptions): Promise<ExitCode> {
  assertTextForSummary(options, resolveFormat(options, context, PLAN_FORMATS));
  const driftUrl = driftUrlOf(context, options);
  const flags = await narrowToChanges(context, options);
  const session = await openSession(context, flags, {
    command: 'plan',
    reads: options.quick === true ? 'some' : 'all',
    mode: 'read-only',
    stance: { accountRequired: false, domainDeletes: 'allowed' },
    unnamed: options.against === undefined ? 'refused' : 'ignored',
  });
  const drift = driftUrl === null ? null : openDriftCheck(context, session, driftUrl);
  try {
    const scope = options.quick === true ? 'pending' : 'all';
    const ports = { ...session.ports, findDrift: drift?.findDrift };
    const read = await planOnce({ ...session.request, scope }, ports);
    session.progress.stop();
    if (!read.ok) throw readFailure(read.error, session.client);
    const planned = read.value;
    const decided = await decideShown(planned, options, session);
    await show(context, options, session, { ...decided, planned });
    return planExit(decided.shown.plan, decided.decision, options);
  } finally {
    session.progress.stop();
    await Promise.all([session.client.close(), drift?.close()]);
  }
}

/** What is not skipped is read anyway: `--drift-url` has a use with `--quick` only. */
function driftUrlOf(context: Context, { quick, driftUrl }: PlanOptions): string | null {
  if (quick === true) return resolveDriftUrl({ driftUrl }, context);
  if (driftUrl === undefined) return null;
  throw usageError('--drift-url has no effect without --quick', 'add --quick, or leave out --drift-url');
}

/** What `apply` would make of the plan, its passwords included; and what of it is shown. */
async function decideShown(
  planned: Planned,
  { skipRefused }: PlanOptions,
  { ports }: Session,
): Promise<{ readonly decision: Decision; readonly shown: ShownPlan }> {
  const decision = decide(planned.plan, skipRefused === true ? 'withhold' : 'end-the-run');
  const shown = shownPlan(decision, planned);
  const plan = await withPasswordFindings(shown.plan, planned.input.desired, ports.resolvePassword);
  return { decision, shown: { ...shown, plan } };
}

async function show(
  context: Context,
  options: PlanOptions,
  session: Session,
  { planned, decision, shown }: Approved & { readonly shown: ShownPlan },
): Promise<void> {
  printStateWarnings(context, options, planned);
  printUnknownValues(context, options, planned);
  const about = options.quick === true ? aboutWhatWasRead(session, planned) : session;
  tellSkipped(context, options, about);
  const runs = decision.kind === 'go' && shown.plan.changes.length > 0;
  const next = nextOf(context, runs ? applyCommandLine(context, options) : null);
  await print(context, options, about, { shown, next });
  context.ofAccount?.report({ verdict: `${verdictOf(planned, decision)}${countsSentence(shown.plan)}` });
}

/** By what a plan is recognised is made where it is saved or printed for programs. */
async function print(
  context: Context,
  options: PlanOptions,
  session: Session,
  { shown, next }: { readonly shown: ShownPlan } & Required<Pick<PlanPrinting, 'next'>>,
): Promise<void> {
  const how = {
    color: options.color,
    extent: options.summary === true ? 'totals' : 'all',
    routes: options.allRoutes === true ? 'all' : 'first',
    next,
  } as const;
  const format = resolveFormat(options, context, PLAN_FORMATS);
  if (format === 'text' && options.out === undefined) {
    printPlanText(context, contentsOf(context, session, shown), { ...how, stream: context.stdout });
    return;
  }
  const document = documentOf(context, session, shown);
  if (options.out !== undefined) await savePlan(context, options.out, document);
  await printPlan(context, document, { ...how, format });
}

function assertTextForSummary({ summary, allRoutes }: PlanOptions, format: PlanFormat): void {
  if (summary !== true) return;
  if (allRoutes === true)
    throw usageError('--summary shows no routes', 'leave out --summary or --all-routes');
  if (format === 'text') return;
  throw usageError(`--summary has no effect with --format ${format}`, 'leave one of them out');
}

function tellSkipped(context: Context, options: PlanOptions, { skipped = 0 }: Session): void {
  if (skipped === 0) return;
  const isChecked = driftUrlOf(context, options) !== null;
  const checked = isChecked ? ', with the aliases and settings that are wanted' : '';
  context.stderr.write(`${plural(skipped, 'domain')} skipped: unchanged since the last apply${checked}\n`);
}

/** As with `--domain`: a plan that is saved is made again for the domains that were read, not for those due by then. */
function aboutWhatWasRead(session: Session, { request }: Planned): Session {
  const read = [...request.desired.domains.keys()];
  const skipped = session.request.desired.domains.size - read.length;
  return { ...session, options: { ...session.options, domains: read }, skipped };
}

/** What is before the counts in the one line of an account; nothing where the plan can run. */
function verdictOf({ plan }: Planned, { kind }: Decision): string {
  if (kind !== 'refused') return kind === 'go' ? '' : `${kind}: `;
  const refusing = plan.guards.filter(({ refuses, allowed }) => refuses && !allowed);
  return `refused by ${[...new Set(refusing.map(({ guard }) => guard))].join(', ')}: `;
}

/** 5 for problems, 4 for guards, 1 for what could not be read, 2 for changes when asked. */
function planExit(plan: Plan, decision: Decision, options: PlanOptions): ExitCode {
  const unproven = plan.withheld.some(({ cause }) => cause === 'unproven');
  return strongestExit([
    ...(plan.problems.length > 0 ? [EXIT.invalid] : []),
    ...(decision.kind === 'refused' ? [EXIT.refused] : []),
    ...(unproven && options.skipRefused !== true ? [EXIT.failed] : []),
    ...(options.detailedExitcode === true && plan.changes.length > 0 ? [EXIT.changes] : []),
  ]);
}
