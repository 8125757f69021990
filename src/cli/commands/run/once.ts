import type { CompletedRun, DaemonEvent, RunResult } from '../../../core/model/status/daemon.ts';
import type { RunOrigin } from '../../../core/model/history/entries.ts';
import type { Report } from '../../../core/model/report.ts';
import { decide } from '../../../engine/decide.ts';
import { createDriftLog, driftOf } from '../../../engine/drift-log.ts';
import { reconcileOnce, type Once } from '../../../engine/once.ts';
import { planOnce, type Planned } from '../../../engine/plan-once.ts';
import { approveUnasked } from '../apply/approve.ts';
import { requestEvent } from '../../output/log/event-log.ts';
import { reportExit } from '../apply/conclude.ts';
import type { Context } from '../../context.ts';
import { CommandError, EXIT, type ExitCode } from '../../exit.ts';
import { notRun } from '../apply/not-run.ts';
import { readCommit, runOrigin } from '../../origin.ts';
import { openSession, type Session } from '../../input/session.ts';
import { manifestPaths, type CommonOptions } from '../../settings.ts';

export interface OnceOptions extends CommonOptions {
  readonly mode: 'apply' | 'observe';
}

/**
 * One run of the whole account, in the log as a run of the daemon. It ends as `apply --yes` does; in observe mode nothing
 * is written, and a difference is the exit code of changes.
 */
export async function runOnce(
  context: Context,
  options: OnceOptions,
  emit: (event: DaemonEvent) => void,
): Promise<ExitCode> {
  const account = context.ofAccount?.name ?? 'default';
  const own: Context = { ...context, onRequest: (event) => emit(requestEvent(account, event)) };
  const session = await openSession(own, options, {
    command: 'run',
    mode: options.mode === 'apply' ? 'read-write' : 'read-only',
    stance: { accountRequired: true, domainDeletes: 'never' },
    warnings: 'silent',
  });
  const { desired, manifestSize } = session.request;
  const { problems } = session;
  const domains = desired.domains.size;
  emit({
    account,
    kind: 'manifest-accepted',
    api: desired.api,
    domains,
    entries: manifestSize.entries,
    problems,
    references: desired.references,
  });
  const origin = runOrigin(context, 'run');
  const { run } = origin;
  emit({ account, kind: 'run-started', run, cause: 'sweep', domains });
  const startedAt = context.clock.monotonic();
  try {
    const { result, exit } = await runPass(context, options, { session, origin });
    const seconds = (context.clock.monotonic() - startedAt) / 1000;
    emit({ account, kind: 'run-finished', run, cause: 'sweep', seconds, result });
    if (exit instanceof CommandError) throw exit;
    return exit;
  } finally {
    session.progress.stop();
    await session.client.close();
  }
}

/** What the log says of a run, and how the command ends. */
interface Pass {
  readonly result: RunResult;
  readonly exit: ExitCode | CommandError;
}

interface OwnRun {
  readonly session: Session;
  readonly origin: RunOrigin;
}

async function runPass(context: Context, options: OnceOptions, own: OwnRun): Promise<Pass> {
  const once =
    options.mode === 'apply' ? await applyOnce(context, options, own) : await observeOnce(own.session);
  if (once.kind === 'observed') {
    const { changes, problems } = once.planned.plan;
    const exit = problems.length > 0 ? EXIT.invalid : changes.length > 0 ? EXIT.changes : EXIT.done;
    return { result: completed(once.planned, null), exit };
  }
  if (once.kind === 'applied') {
    if (once.report.wrote) context.ofAccount?.report({ wrote: true });
    const { report, planned } = once;
    const plan = { ...planned.plan, problems: report.problems };
    return { result: completed({ ...planned, plan }, report), exit: reportExit(report, context) };
  }
  const exit = notRun(once);
  return { result: resultNotRun(once, exit), exit };
}

const FAILED_STEPS = { unread: 'read', locked: 'lock', fault: 'state' } as const;

function resultNotRun(once: Exclude<Once, { kind: 'applied' }>, { message }: CommandError): RunResult {
  if (once.kind === 'not-run') return completed(once.planned, null);
  return { kind: 'failed', what: FAILED_STEPS[once.kind], message };
}

async function applyOnce(context: Context, options: OnceOptions, { session, origin }: OwnRun): Promise<Once> {
  return reconcileOnce(
    { ...session.request, origin, maxFailures: null },
    {
      ...session.ports,
      readCommit: () => readCommit(context, manifestPaths(options, context)),
      signal: context.signal,
      approve: (planned) =>
        Promise.resolve(approveUnasked(planned, { refusals: 'withhold', show: () => undefined })),
    },
  );
}

/** Nothing of the account is written. */
async function observeOnce(
  session: Session,
): Promise<Once | { readonly kind: 'observed'; readonly planned: Planned }> {
  const planned = await planOnce(session.request, session.ports);
  if (!planned.ok) return { kind: 'unread', error: planned.error };
  const { plan, input } = planned.value;
  const state = session.ports.openState(input.observed.account.email);
  await createDriftLog().found(state, planned.value, driftOf(plan, new Set()));
  const decision = decide(plan, 'end-the-run');
  if (decision.kind !== 'go') return { kind: 'not-run', decision, planned: planned.value };
  return { kind: 'observed', planned: planned.value };
}

function completed({ plan, references }: Planned, report: Report | null): CompletedRun {
  const drift = plan.changes.filter(({ reason }) => reason === 'drift');
  return { kind: 'completed', plan, references, report, frozen: [], unset: [], drift };
}
