import { refusedReport } from '../../../engine/apply/report/report.ts';
import { reportDocument } from '../../../engine/apply/report/report-document.ts';
import { countLine, renderReport } from '../../../engine/apply/report/report-text.ts';
import { showText } from '../../../core/model/destinations.ts';
import { escapeInvisible } from '../../../core/model/names.ts';
import type { Report } from '../../../core/model/report.ts';
import { approvalDigest } from '../../../core/plan/document/digest.ts';
import type { Once } from '../../../engine/once.ts';
import type { CommandResult } from '../../command.ts';
import type { Context } from '../../context.ts';
import { readFailure } from '../../input/connect.ts';
import { EXIT, interruptedExit, type ExitCode } from '../../exit.ts';
import { notRun, unprovenOf, type NotRun } from './not-run.ts';
import { commandLine } from '../../output/command-lines.ts';
import { columnsOf } from '../../output/output.ts';
import { printProblems, problemsDocument } from '../../output/problems/problems.ts';
import { printStale } from '../../output/plan/saved-plan.ts';
import { disclosureFor, type Session } from '../../input/session.ts';
import type { Settings, StateSettings } from '../../settings/resolve-settings.ts';
import { styleFor } from '../../output/paint.ts';

/** Turns the end of a run into the result of a command. Ends the command if the run did not take place. */
export function concludeRun(
  context: Context,
  settings: Pick<Settings, 'state'>,
  session: Session,
  once: Once,
): CommandResult {
  if (once.kind === 'unread') throw readFailure(once.error, session.client);
  if (once.kind !== 'applied') throw notRun(once, documentOfNotRun(context, session, once));
  const { report } = once;
  const exit = isAllLeftAlone(once) ? EXIT.stale : reportExit(report, context);
  if (context.format !== 'json')
    return { exit, wrote: report.wrote, ...reportText(context, settings, session, once) };
  const { problems, failed } = report;
  const document =
    exit === EXIT.invalid && failed.length === 0
      ? problemsDocument(problems, session.counts)
      : reportDocument(
          lastingPart(report, settings.state),
          disclosureFor(session, once.planned),
          commandLine(context, session.api),
        );
  return { exit, wrote: report.wrote, document };
}

type Applied = Extract<Once, { readonly kind: 'applied' }>;

/** True if every item of an undo or a snapshot was skipped. */
function isAllLeftAlone({ planned }: Applied): boolean {
  return planned.plan.changes.length === 0 && planned.leftAlone.length > 0;
}

/**
 * Prints what is known of a run that wrote nothing, unless it was shown before. Returns its document for `--format
 * json`.
 */
function documentOfNotRun(context: Context, session: Session, once: Exclude<Once, Applied>): object | null {
  if (once.kind !== 'not-run') return null;
  const { decision, planned } = once;
  if (decision.kind === 'stale') printStale(context, decision.since);
  // In text, the plan was shown before with its guards and problems.
  if (context.format !== 'json') return null;
  if (decision.kind === 'unproven') printUnproven(context, session, once);
  if (decision.kind === 'invalid') return problemsDocument(planned.plan.problems, session.counts);
  const isRefusal = decision.kind === 'refused' || decision.kind === 'stale';
  return isRefusal ? refusalDocument(context, session, once) : null;
}

function printUnproven(context: Context, session: Session, { planned }: NotRun): void {
  const disclosure = disclosureFor(session, planned);
  for (const { domain, reason } of unprovenOf(planned.plan)) {
    context.stderr.write(`withheld: ${domain}: ${escapeInvisible(showText(reason, disclosure))}\n`);
  }
}

function refusalDocument(context: Context, session: Session, { decision, planned }: NotRun): object {
  const { client } = session;
  const report = refusedReport(planned.plan, {
    digest: approvalDigest(planned, client.hmac),
    now: context.clock.now(),
    requests: client.totals(),
  });
  const document = reportDocument(report, disclosureFor(session, planned));
  return decision.kind === 'stale' ? { ...document, stale: decision.since } : document;
}

/** Prints problems that were not shown with the plan, and returns the report as text. */
function reportText(
  context: Context,
  { state }: Pick<Settings, 'state'>,
  session: Session,
  { report: whole, planned }: Applied,
): Pick<CommandResult, 'text' | 'verdict'> {
  const disclosure = disclosureFor(session, planned);
  const report = lastingPart(whole, state);
  printProblems(
    context,
    report.problems.filter((problem) => !planned.plan.problems.includes(problem)),
  );
  const style = styleFor(context.stdout, context.color);
  const columns = columnsOf(context.stdout);
  const command = commandLine(context, session.api);
  // The other notes were shown with the plan.
  const notes = report.notes.filter((note) => !planned.notes.includes(note));
  const text = `\n${renderReport({ ...report, notes }, { disclosure, style, columns, command })}`;
  return { text, verdict: countLine(report, style) };
}

/** Leaves out the command that undoes a run if the run is not remembered, and says why. */
export function lastingPart(report: Report, { endsWithJob }: StateSettings): Report {
  if (report.run === null || !endsWithJob) return report;
  return { ...report, run: null, notes: [...report.notes, NO_UNDO] };
}

const NO_UNDO =
  'this run cannot be undone later: CI is set and the state directory ends with the job; name one that lasts with --state-dir or --store ("State where there is no disk" in docs/ci.md)';

/** Exit code of each outcome. A run that was interrupted before any write has the signal's code. */
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
