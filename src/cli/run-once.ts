import type { Logger } from 'pino';
import { writeSnapshot } from '../manifest/write-snapshot.ts';
import { showText } from '../model/disclosure.ts';
import { showSource } from '../model/problem.ts';
import type { Report } from '../model/report.ts';
import type { Plan } from '../model/plan.ts';
import { decide } from '../reconcile/decide.ts';
import { reconcileOnce } from '../reconcile/once.ts';
import { planOnce } from '../reconcile/plan-once.ts';
import { approveUnasked } from './approve.ts';
import { reportExit } from './conclude.ts';
import { apiFailure } from './connect.ts';
import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { notRun } from './not-run.ts';
import { openSession, type Session } from './session.ts';
import type { CommonOptions } from './settings.ts';

export interface OnceOptions extends CommonOptions {
  readonly mode: 'apply' | 'observe';
}

/** One look at the whole account; it ends as `apply --yes` does, and in observe mode drift alone is no failure. */
export async function runOnce(context: Context, options: OnceOptions, log: Logger): Promise<ExitCode> {
  const { ofAccount } = context;
  const logger = ofAccount === undefined ? log : log.child({ account: ofAccount.name });
  const session = await openSession(context, options, {
    command: 'run',
    mode: options.mode === 'apply' ? 'read-write' : 'read-only',
    stance: { accountRequired: true, domainDeletes: 'never' },
  });
  try {
    return options.mode === 'apply'
      ? await applyPass(context, session, logger)
      : await observePass(session, logger);
  } finally {
    session.progress.stop();
    await session.client.close();
  }
}

async function applyPass(context: Context, session: Session, logger: Logger): Promise<ExitCode> {
  const once = await reconcileOnce(
    { ...session.request, maxFailures: null },
    {
      ...session.ports,
      random: context.random,
      signal: context.signal,
      writeManifest: writeSnapshot,
      approve: async (planned) =>
        approveUnasked(planned, {
          refusals: 'withhold',
          show: (_, { plan }) => logPlan(plan, session, logger),
        }),
    },
  );
  if (once.kind !== 'applied') throw notRun(once);
  logReport(once.report, session, logger);
  return reportExit(once.report, context);
}

/** Drift is reported and nothing is written; drift alone is no failure. */
async function observePass(session: Session, logger: Logger): Promise<ExitCode> {
  const planned = await planOnce(session.request, session.ports);
  if (!planned.ok) throw apiFailure(planned.error);
  const { plan } = planned.value;
  logPlan(plan, session, logger);
  const decision = decide(plan, 'end-the-run');
  if (decision.kind !== 'go') throw notRun({ kind: 'not-run', decision, planned: planned.value });
  return EXIT.done;
}

function logPlan(plan: Plan, { disclosure }: Session, logger: Logger): void {
  const show = (text: string): string => showText(text, disclosure);
  for (const finding of plan.guards) {
    if (!finding.allowed) logger.warn({ guard: finding.guard, scope: finding.scope }, show(finding.message));
  }
  for (const { domain, reason } of plan.withheld) logger.warn({ domain }, `withheld: ${show(reason)}`);
  for (const { code, message } of plan.warnings) logger.warn({ code }, show(message));
  const { unchanged: _, unmanaged, ...changes } = plan.summary;
  logger.info({ ...changes, unmanaged }, plan.changes.length === 0 ? 'in step' : 'changes planned');
}

function logReport(report: Report, { disclosure }: Session, logger: Logger): void {
  for (const { domain, kind, name, action, source, message, endpoint, status } of report.failed) {
    const place = source === null ? null : showSource(source);
    logger.error(
      { domain, kind, name, action, source: place, endpoint, status },
      showText(message, disclosure),
    );
  }
  for (const { domain, kind, name, message } of report.notKept) {
    logger.warn({ domain, kind, name }, showText(message, disclosure));
  }
  for (const note of report.notes) logger.info(showText(note, disclosure));
  const { applied, failed, skipped, requests, snapshot } = report;
  const level = report.outcome === 'converged' || report.outcome === 'unchanged' ? 'info' : 'warn';
  logger[level](
    {
      applied: applied.length,
      failed: failed.length,
      skipped: skipped.length,
      requests: requests.total,
      snapshot,
    },
    report.outcome,
  );
}
