import { writeSnapshot } from '../../../manifest/write/write-snapshot.ts';
import type { DaemonEvent, FailedStep, RunResult } from '../../../model/daemon.ts';
import type { Report } from '../../../model/report.ts';
import { createRunId } from '../../../reconcile/daemon/account-run.ts';
import { decide } from '../../../reconcile/decide.ts';
import { reconcileOnce, type Once } from '../../../reconcile/once.ts';
import { planOnce, type Planned } from '../../../reconcile/plan-once.ts';
import { approveUnasked } from '../apply/approve.ts';
import { requestEvent } from '../../output/command-log.ts';
import { reportExit } from '../apply/conclude.ts';
import { apiFailure } from '../../input/connect.ts';
import type { Context } from '../../context.ts';
import { CommandError, EXIT, type ExitCode } from '../../exit.ts';
import { notRun } from '../apply/not-run.ts';
import { openSession, type Session } from '../../input/session.ts';
import type { CommonOptions } from '../../settings.ts';

export interface OnceOptions extends CommonOptions {
  readonly mode: 'apply' | 'observe';
}

/** What is told of the run: the events of the daemon. */
export type Emit = (event: DaemonEvent) => void;

/**
 * One run over the whole account. It ends as `apply --yes` does; in observe mode nothing is written, and what differs is
 * the exit code of changes.
 */
export async function runOnce(context: Context, options: OnceOptions, emit: Emit): Promise<ExitCode> {
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
    domains,
    entries: manifestSize.entries,
    problems,
    references: desired.references,
  });
  const run = createRunId(context.random);
  emit({ account, kind: 'run-started', run, cause: 'sweep', domains });
  const begun = context.clock.monotonic();
  try {
    const { result, exit } =
      options.mode === 'apply' ? await applyPass(context, session) : await observePass(session);
    const seconds = (context.clock.monotonic() - begun) / 1000;
    emit({ account, kind: 'run-finished', run, cause: 'sweep', seconds, result });
    if (exit instanceof CommandError) throw exit;
    return exit;
  } finally {
    session.progress.stop();
    await session.client.close();
  }
}

/** What is told of a run, and how the command ends. */
interface Pass {
  readonly result: RunResult;
  readonly exit: ExitCode | CommandError;
}

async function applyPass(context: Context, session: Session): Promise<Pass> {
  const once = await reconcileOnce(
    { ...session.request, maxFailures: null },
    {
      ...session.ports,
      signal: context.signal,
      writeSnapshot,
      approve: (planned) =>
        Promise.resolve(approveUnasked(planned, { refusals: 'withhold', show: () => undefined })),
    },
  );
  if (once.kind === 'applied') {
    const { report, planned } = once;
    if (report.wrote) context.ofAccount?.wrote();
    return { result: completed(planned, report), exit: reportExit(report, context) };
  }
  const exit = notRun(once);
  if (once.kind === 'not-run') return { result: completed(once.planned, null), exit };
  if (once.kind === 'fault' && once.fault.kind === 'passwords') {
    const plan = { ...once.planned.plan, problems: once.fault.problems };
    return { result: completed({ ...once.planned, plan }, null), exit };
  }
  return { result: failed(once, exit), exit };
}

/** Nothing is written. */
async function observePass(session: Session): Promise<Pass> {
  const planned = await planOnce(session.request, session.ports);
  if (!planned.ok) {
    const exit = apiFailure(planned.error);
    return { result: { kind: 'failed', what: 'read', message: exit.message }, exit };
  }
  const { plan } = planned.value;
  const decision = decide(plan, 'end-the-run');
  const result = completed(planned.value, null);
  if (decision.kind !== 'go')
    return { result, exit: notRun({ kind: 'not-run', decision, planned: planned.value }) };
  return { result, exit: plan.changes.length === 0 ? EXIT.done : EXIT.changes };
}

function completed({ plan, references }: Planned, report: Report | null): RunResult {
  const drift = plan.changes.filter(({ reason }) => reason === 'drift');
  return { kind: 'completed', plan, references, report, frozen: [], unset: [], drift };
}

const STEPS: Readonly<Record<Exclude<Once['kind'], 'applied' | 'not-run'>, FailedStep>> = {
  unread: 'read',
  locked: 'lock',
  fault: 'state',
};

function failed({ kind }: { readonly kind: keyof typeof STEPS }, { message }: CommandError): RunResult {
  return { kind: 'failed', what: STEPS[kind], message };
}
