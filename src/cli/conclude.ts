import type { ApplyFault } from '../apply/apply.ts';
import { refusedReport } from '../apply/report.ts';
import { reportDocument } from '../apply/report-document.ts';
import { renderReport } from '../apply/report-text.ts';
import type { Problem } from '../model/problem.ts';
import type { Report } from '../model/report.ts';
import { planDigest } from '../plan/digest.ts';
import type { Once } from '../reconcile/once.ts';
import { apiFailure } from './connect.ts';
import type { Context } from './context.ts';
import { CommandError, EXIT, interruptedExit, type ExitCode } from './exit.ts';
import { printJson, sha256 } from './output.ts';
import { renderProblems } from './problems.ts';
import { printStale } from './saved-plan.ts';
import type { Session } from './session.ts';
import type { CommonOptions } from './settings.ts';
import { styleFor } from './style.ts';

export type Format = 'text' | 'json';

export interface Conclusion {
  readonly once: Once;
  readonly format: Format;
}

interface ConcludeOptions extends CommonOptions {
  readonly skipRefused?: true;
}

/** Prints what came of a run, and turns it into an exit code; what kept it from running ends the command. */
export function concludeRun(
  context: Context,
  options: ConcludeOptions,
  session: Session,
  { once, format }: Conclusion,
): ExitCode {
  if (once.kind === 'applied') {
    printReport(context, options, session, { report: once.report, format });
    return reportExit(once.report, context, options);
  }
  // In text the plan was shown before, with its guards and problems.
  if (once.kind === 'not-run' && format === 'json') {
    if (once.decision.kind === 'refused' || once.decision.kind === 'stale') {
      printRefusal(context, session, once);
    }
    printProblems(context, options, once.planned.plan.problems);
  }
  if (once.kind === 'not-run' && once.decision.kind === 'stale') printStale(context, once.decision.since);
  if (once.kind === 'fault' && once.fault.kind === 'passwords') {
    printProblems(context, options, once.fault.problems);
  }
  throw notRun(once);
}

/** Why a run did not come to write anything, as the end of a command. */
export function notRun(once: Exclude<Once, { readonly kind: 'applied' }>): CommandError {
  switch (once.kind) {
    case 'unread':
      return apiFailure(once.error);
    case 'locked':
      return new CommandError(EXIT.failed, once.fault.message, 'run the command again when it is free');
    case 'fault':
      return notStarted(once.fault);
    case 'not-run':
      return notApproved(once);
  }
}

function notStarted(fault: ApplyFault): CommandError {
  if (fault.kind === 'no-snapshot') {
    return new CommandError(EXIT.failed, fault.message, 'make --state-dir a place that can be written to');
  }
  const [first] = fault.problems;
  return new CommandError(
    EXIT.invalid,
    'a password that the plan needs cannot be sent; nothing was written',
    first?.hint ?? 'set what the manifest refers to',
  );
}

type NotRun = Extract<Once, { readonly kind: 'not-run' }>;

function notApproved({ decision, planned }: NotRun): CommandError {
  switch (decision.kind) {
    case 'refused':
      return new CommandError(
        EXIT.refused,
        'a guard refuses the plan; nothing was written',
        'allow it as the guard says, or leave what it concerns out with --skip-refused',
      );
    case 'invalid':
      return new CommandError(
        EXIT.invalid,
        'the manifest does not fit the account; nothing was written',
        'mend it as the problems say',
      );
    case 'unproven': {
      const unproven = planned.plan.withheld.filter(({ cause }) => cause === 'unproven');
      return new CommandError(
        EXIT.failed,
        `nothing was written, for not all could be read: ${unproven.map(({ domain, reason }) => `${domain} (${reason})`).join('; ')}`,
        'run the command again, or leave such domains out with --skip-refused',
      );
    }
    case 'stale':
      return new CommandError(
        EXIT.stale,
        'the saved plan is stale: this is not what it approved; nothing was written',
        'make a plan again, and have it reviewed again',
      );
    case 'declined':
      return new CommandError(EXIT.failed, 'not applied; nothing was written', 'answer as asked to apply it');
  }
}

function printProblems(context: Context, options: CommonOptions, problems: readonly Problem[]): void {
  context.stderr.write(renderProblems(problems, styleFor(context.stderr, options.color, context.env)));
}

function printRefusal(
  context: Context,
  { client, disclosure }: Session,
  { decision, planned }: NotRun,
): void {
  const report = refusedReport(planned.plan, {
    digest: planDigest(planned.plan, sha256),
    now: context.clock.now(),
    requests: client.totals(),
  });
  const document = reportDocument(report, disclosure);
  printJson(context, decision.kind === 'stale' ? { ...document, stale: decision.since } : document);
}

function printReport(
  context: Context,
  options: CommonOptions,
  { disclosure }: Session,
  { report, format }: { readonly report: Report; readonly format: Format },
): void {
  if (format === 'json') return printJson(context, reportDocument(report, disclosure));
  const style = styleFor(context.stdout, options.color, context.env);
  const columns = context.stdout.columns ?? 80;
  context.stdout.write(`\n${renderReport(report, { disclosure, style, columns })}`);
}

/** 3 once anything was written and something is not as it shall be. */
export function reportExit(report: Report, context: Context, options: ConcludeOptions): ExitCode {
  switch (report.outcome) {
    case 'unchanged':
    case 'converged':
      return EXIT.done;
    case 'partial':
      return EXIT.partial;
    case 'refused':
      return EXIT.refused;
    case 'failed':
      if (report.stopped?.kind === 'interrupted') return interruptedExit(context);
      return options.skipRefused === true && isOnlyWithheld(report) ? EXIT.done : EXIT.failed;
  }
}

/** As it shall be, but for what was withheld on demand. */
function isOnlyWithheld({ failed, skipped, notKept, stopped }: Report): boolean {
  return failed.length + skipped.length + notKept.length === 0 && stopped === null;
}
