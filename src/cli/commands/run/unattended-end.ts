import type { RunResult } from '../../../core/model/status/daemon.ts';
import { decide } from '../../../engine/decide.ts';
import type { Context } from '../../context.ts';
import { EXIT, type CommandError, type ExitCode } from '../../exit.ts';
import { reportExit } from '../apply/conclude.ts';
import { failedRun, notApproved } from '../apply/not-run.ts';

/** The end of a command whose run was made without a person. */
export interface UnattendedEnd {
  readonly exit: ExitCode;
  /** The reason why nothing was written; null means that something was, or nothing had to be. */
  readonly error: CommandError | null;
  readonly wrote: boolean;
}

/**
 * Returns the end of a command after an unattended run. It is the same as for `apply --yes`; in observe mode it is 2
 * for differences.
 */
export function endOfRun(
  result: RunResult,
  mode: 'apply' | 'observe',
  context: Pick<Context, 'signal'>,
): UnattendedEnd {
  if (result.kind === 'failed') return endWith(failedRun(result));
  const { report, plan } = result;
  if (report !== null) return { exit: reportExit(report, context), error: null, wrote: report.wrote };
  const decision = decide(plan, mode === 'apply' ? 'withhold' : 'end-the-run');
  if (decision.kind !== 'go') return endWith(notApproved(decision.kind, plan));
  const exit = plan.problems.length > 0 ? EXIT.invalid : plan.changes.length > 0 ? EXIT.changes : EXIT.done;
  return { exit, error: null, wrote: false };
}

function endWith(error: CommandError): UnattendedEnd {
  return { exit: error.exitCode, error, wrote: false };
}
