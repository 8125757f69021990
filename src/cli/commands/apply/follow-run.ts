import type { Progress } from '../../../engine/apply/ports.ts';
import type { BatchSupport, StageRequests } from '../../../core/plan/requests/requests.ts';
import { requestsOf } from '../../../core/plan/requests/requests.ts';
import type { OncePorts } from '../../../engine/once.ts';
import type { Planned } from '../../../engine/plan-once.ts';
import type { Context } from '../../context.ts';
import type { Session } from '../../input/session.ts';
import { planHeadway } from '../../output/progress/headway.ts';
import { forecastOf, legsOf } from '../../output/plan/print-plan.ts';

/** Shows how far a plan is applied. */
interface RunFollower {
  /** Called when these requests begin to be sent. */
  readonly begin: (planned: Planned, requests: readonly StageRequests[]) => void;
  readonly onProgress: (progress: Progress) => void;
}

const REFUSED_BATCHES = {
  creates: 'The account takes no batches: items are added one by one',
  'by-id': 'The service does not know its ids in batches: items are updated and deleted one by one',
} as const;

/** Returns the ports of a run that needs approval and then shows its progress. */
export function approvingPorts(context: Context, session: Session, approve: OncePorts['approve']): OncePorts {
  const follower = createRunFollower(context, session);
  return {
    ...session.ports,
    signal: context.signal,
    whyKeepDomain: context.member?.whyKeepDomain,
    approve: async (planned) => {
      const verdict = await approve(planned);
      if (verdict.decision.kind === 'go') follower.begin(verdict.planned, verdict.decision.requests);
      return verdict;
    },
    onProgress: follower.onProgress,
  };
}

function createRunFollower(context: Context, session: Session): RunFollower {
  let running: Planned | null = null;
  let label = 'writing';
  const follow = (planned: Planned, requests: readonly StageRequests[], support: BatchSupport): void => {
    running = planned;
    const legs = legsOf(context, session, { planned, requests }, support);
    session.progress.follow(planHeadway(context, session.client, { label: () => label, legs }));
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
