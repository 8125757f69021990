import { refusedReport } from '../../../engine/apply/report/report.ts';
import { reportDocument } from '../../../engine/apply/report/report-document.ts';
import { countLine, renderReport } from '../../../engine/apply/report/report-text.ts';
import { showText } from '../../../core/model/destinations.ts';
import { escapeInvisible } from '../../../core/model/names.ts';
import type { Report } from '../../../core/model/report.ts';
import { approvalDigest } from '../../../core/plan/document/digest.ts';
import type { Once } from '../../../engine/once.ts';
import type { Context } from '../../context.ts';
import { readFailure } from '../../input/connect.ts';
import { EXIT, interruptedExit, type ExitCode } from '../../exit.ts';
import type { DocumentFormat } from '../../output/formats.ts';
import { notRun, unprovenOf, type NotRun } from './not-run.ts';
import { commandLine } from '../../output/command-lines.ts';
import { columnsOf, printJson } from '../../output/output.ts';
import { printInvalid, printProblems } from '../../output/problems/problems.ts';
import { printStale } from '../../output/plan/saved-plan.ts';
import { disclosureFor, type Session } from '../../input/session.ts';
import { endsWithJob, type CommonOptions } from '../../settings.ts';
import { styleFor } from '../../output/style.ts';

/** Prints the result of a run, and turns it into an exit code; what kept it from running ends the command. */
export function concludeRun(
  context: Context,
  options: CommonOptions,
  session: Session,
  { once, format }: { readonly once: Once; readonly format: DocumentFormat },
): ExitCode {
  if (once.kind === 'applied') {
    if (once.report.wrote) context.ofAccount?.report({ wrote: true });
    const exit = isAllLeftAlone(once) ? EXIT.stale : reportExit(once.report, context);
    const { problems, failed } = once.report;
    if (format === 'json' && exit === EXIT.invalid && failed.length === 0) {
      printInvalid(context, options, { problems, counts: session.counts });
    } else printReport(context, options, session, { ...once, format });
    return exit;
  }
  if (once.kind === 'unread') throw readFailure(once.error, session.client);
  if (once.kind === 'not-run') explainNotRun(context, options, session, { once, format });
  throw notRun(once);
}

/** Of an undo or a snapshot: every item was skipped. */
function isAllLeftAlone({ planned }: Extract<Once, { kind: 'applied' }>): boolean {
  return planned.plan.changes.length === 0 && planned.leftAlone.length > 0;
}

function explainNotRun(
  context: Context,
  options: CommonOptions,
  session: Session,
  { once, format }: { readonly once: NotRun; readonly format: DocumentFormat },
): void {
  const { decision, planned } = once;
  // In text the plan was shown before, with its guards and problems.
  if (format === 'json') {
    if (decision.kind === 'refused' || decision.kind === 'stale') printRefusal(context, session, once);
    if (decision.kind === 'unproven') printUnproven(context, session, once);
    const { problems } = planned.plan;
    if (decision.kind === 'invalid') printInvalid(context, options, { problems, counts: session.counts });
  }
  if (decision.kind === 'stale') printStale(context, decision.since);
}

function printUnproven(context: Context, session: Session, { planned }: NotRun): void {
  const disclosure = disclosureFor(session, planned);
  for (const { domain, reason } of unprovenOf(planned.plan)) {
    context.stderr.write(`withheld: ${domain}: ${escapeInvisible(showText(reason, disclosure))}\n`);
  }
}

function printRefusal(context: Context, session: Session, { decision, planned }: NotRun): void {
  const { client } = session;
  const report = refusedReport(planned.plan, {
    digest: approvalDigest(planned, client.hmac),
    now: context.clock.now(),
    requests: client.totals(),
  });
  const document = reportDocument(report, disclosureFor(session, planned));
  printJson(context, decision.kind === 'stale' ? { ...document, stale: decision.since } : document);
}

function printReport(
  context: Context,
  options: CommonOptions,
  session: Session,
  {
    report: whole,
    planned,
    format,
  }: Pick<Extract<Once, { kind: 'applied' }>, 'report' | 'planned'> & { readonly format: DocumentFormat },
): void {
  const disclosure = disclosureFor(session, planned);
  const report = lastingPart(whole, options, context);
  const command = commandLine(context, options, session.api);
  if (format === 'json') return printJson(context, reportDocument(report, disclosure, command));
  // Others were shown with the plan.
  printProblems(
    context,
    options,
    report.problems.filter((problem) => !planned.plan.problems.includes(problem)),
  );
  const style = styleFor(context.stdout, options.color, context.env);
  context.ofAccount?.report({ verdict: countLine(report, style) });
  const columns = columnsOf(context.stdout);
  // Others were shown with the plan.
  const notes = report.notes.filter((note) => !planned.notes.includes(note));
  context.stdout.write(`\n${renderReport({ ...report, notes }, { disclosure, style, columns, command })}`);
}

/** Leaves out the command that undoes a run where nothing will remember the run, and says why. */
export function lastingPart(report: Report, options: CommonOptions, context: Pick<Context, 'env'>): Report {
  if (report.run === null || !endsWithJob(options, context)) return report;
  return { ...report, run: null, notes: [...report.notes, NO_UNDO] };
}

const NO_UNDO =
  'this run cannot be undone later: CI is set and the state directory ends with the job; name one that lasts with --state-dir or --store ("State where there is no disk" in docs/ci.md)';

/** What each outcome of a run means to the shell; what was interrupted before anything was written has a signal's code. */
const EXIT_OF: Readonly<Record<Report['outcome'], ExitCode>> = {
  unchanged: EXIT.done,
  converged: EXIT.done,
  partial: EXIT.partial,
  failed: EXIT.failed,
  refused: EXIT.refused,
};

export function reportExit(
  { outcome, stopped, problems, wrote }: Pick<Report, 'outcome' | 'stopped' | 'problems' | 'wrote'>,
  context: Pick<Context, 'signal'>,
): ExitCode {
  if (outcome === 'failed' && stopped?.kind === 'interrupted') return interruptedExit(context);
  return problems.length > 0 && !wrote ? EXIT.invalid : EXIT_OF[outcome];
}
