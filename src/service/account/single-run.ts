import type { DaemonEvent, RunResult } from '../../core/model/status/daemon.ts';
import type { PlanRequest } from '../../engine/plan-once.ts';
import { createFlapDetector } from '../daemon/flap-detector.ts';
import type { RunPorts } from '../daemon/account-run.ts';
import type { ManifestRead } from '../daemon/manifest/manifest-source.ts';
import { makeRun } from '../daemon/recorded-run.ts';
import { createReceivingWatch } from '../daemon/receiving.ts';
import { createRepeatedSweeps } from '../daemon/repeated-sweep.ts';
import { createStatusTracker } from '../daemon/status/account-status.ts';

/** The only run of its process. */
export interface SingleRun {
  readonly name: string;
  readonly mode: 'apply' | 'observe';
  readonly manifest: Extract<ManifestRead, { kind: 'good' }>;
  readonly request: Pick<PlanRequest, 'domains' | 'manifestKind' | 'resolveDesired'>;
}

/** Makes one run of an account, as the daemon does, and reports it as one of the daemon's. */
export async function makeSingleRun(
  { name, mode, manifest, request }: SingleRun,
  ports: RunPorts & { readonly emit: (event: DaemonEvent) => void },
): Promise<RunResult> {
  const { clock } = ports;
  const { desired, size } = manifest;
  const emit = (event: DaemonEvent): void => ports.emit(addReportedProblems(event));
  const names = [...desired.domains.keys()];
  const tracker = createStatusTracker({ name, now: () => clock.now(), emit });
  tracker.manifestAccepted(manifest, names);
  return makeRun(
    {
      options: { name, mode },
      ports: { ...ports, emit },
      scheduler: { failures: () => 0, runEnded: () => undefined },
      flaps: createFlapDetector(),
      repeated: createRepeatedSweeps(),
      receiving: createReceivingWatch(),
      tracker,
    },
    { cause: 'sweep', names, startedAt: clock.monotonic() },
    {
      desired,
      manifestSize: size,
      listing: request.domains === undefined ? 'all' : 'by-name',
      snapshot: request,
    },
  );
}

/** Adds the problems of the report: no page shows later why a password is not there. */
function addReportedProblems(event: DaemonEvent): DaemonEvent {
  if (event.kind !== 'run-finished' || event.result.kind === 'failed') return event;
  const { report, plan } = event.result;
  if (report === null) return event;
  return { ...event, result: { ...event.result, plan: { ...plan, problems: report.problems }, unset: [] } };
}
