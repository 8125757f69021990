import type { Progress } from '../../../apply/ports.ts';
import type { BatchSupport, StageRequests } from '../../../plan/requests/requests.ts';
import { requestsOf } from '../../../plan/requests/requests.ts';
import type { Planned } from '../../../reconcile/plan-once.ts';
import type { Context } from '../../context.ts';
import type { Session } from '../../input/session.ts';
import { timetableHeadway } from '../../output/headway.ts';
import { forecastOf, timetableOf } from '../../output/print-plan.ts';

/** Shows how far a plan is applied. */
export interface RunFollower {
  /** From now on these requests are sent. */
  readonly begin: (planned: Planned, requests: readonly StageRequests[]) => void;
  readonly onProgress: (progress: Progress) => void;
}

const REFUSED_BATCHES = {
  creates: 'The account takes no batches: items are added one by one',
  'by-id': 'The service does not know its ids in batches: items are updated and deleted one by one',
} as const;

export function createRunFollower(context: Context, session: Session): RunFollower {
  let running: Planned | null = null;
  let label = 'writing';
  const follow = (planned: Planned, requests: readonly StageRequests[], support: BatchSupport): void => {
    running = planned;
    const foresee = timetableOf(context, session, { planned, requests }, support);
    session.progress.follow(timetableHeadway(context, session.client, { label: () => label, foresee }));
  };
  const sayRefused = ({ which, support }: Extract<Progress, { kind: 'batches-refused' }>): void => {
    if (running === null) return;
    const requests = requestsOf(running.plan, { version: session.client.version, ...support });
    const again = forecastOf(context, session, { planned: running, requests }, support);
    session.progress.stop();
    const seconds = Math.max(1, Math.ceil(again.seconds));
    context.stderr.write(`${REFUSED_BATCHES[which]}, ${again.requests} requests in about ${seconds} s.\n`);
    follow(running, requests, support);
  };
  return {
    begin: (planned, requests) => follow(planned, requests, { batches: 'allowed' }),
    onProgress(progress) {
      if (progress.kind === 'batches-refused') sayRefused(progress);
      else label = progress.kind === 'items' && progress.done < progress.total ? 'writing' : 'verifying';
      session.progress.tick();
    },
  };
}
