import { plural } from '../../../model/names.ts';
import type { DaemonEvent } from '../../../model/daemon.ts';
import { subjectOf } from '../../output/event-log.ts';

/** A message for people. */
export interface Notice {
  readonly event: 'drift-found' | 'apply-failed' | 'recovered' | 'manifest-invalid';
  readonly account: string;
  /** For people; one or a few lines. */
  readonly text: string;
  /** How many items or problems it is about. */
  readonly count: number;
}

/** Makes notices of events: of what is new, not of what is the same as last time. */
export function createNotices(): (event: DaemonEvent) => Notice | null {
  const last = new Map<string, string>();
  return (event) => {
    const notice = noticeOf(event);
    if (notice === null) {
      const topic = recoveredTopic(event);
      if (topic !== null) last.delete(`${event.account} ${topic}`);
      return null;
    }
    const topic = `${event.account} ${TOPIC[notice.event]}`;
    if (last.get(topic) === notice.text) return null;
    last.set(topic, notice.text);
    return notice;
  };
}

type Topic = 'drift' | 'health' | 'manifest';

/** What has recovered, so that it is news when it fails again. */
function recoveredTopic(event: DaemonEvent): Topic | null {
  if (event.kind === 'manifest-accepted') return 'manifest';
  return event.kind === 'run-finished' && event.cause === 'sweep' ? 'drift' : null;
}

/** Failing and recovering are one topic: each is news after the other. */
const TOPIC: Readonly<Record<Notice['event'], Topic>> = {
  'drift-found': 'drift',
  'apply-failed': 'health',
  recovered: 'health',
  'manifest-invalid': 'manifest',
};

const MOST_NAMED = 10;

function noticeOf(event: DaemonEvent): Notice | null {
  const { account } = event;
  const named = account === '' ? '' : ` ${account}`;
  switch (event.kind) {
    case 'manifest-refused': {
      const places = event.problems.slice(0, MOST_NAMED).map(({ source, message }) => {
        return `${source === null ? '' : `${source.file}:${source.line}: `}${message}`;
      });
      const inForce = event.inForce === 'none' ? 'no manifest is loaded' : 'the last good one stays loaded';
      const text = [`fwdsync${named}: ${event.message}; ${inForce}`, ...places].join('\n');
      return { event: 'manifest-invalid', account, text, count: event.problems.length };
    }
    case 'recovered':
      return { event: 'recovered', account, text: `fwdsync${named}: recovered`, count: event.failures };
    case 'run-finished':
      return noticeOfRun(event, named);
    default:
      return null;
  }
}

function noticeOfRun(
  { account, result }: Extract<DaemonEvent, { kind: 'run-finished' }>,
  named: string,
): Notice | null {
  if (result.kind === 'failed') {
    return {
      event: 'apply-failed',
      account,
      text: `fwdsync${named}: a run failed: ${result.message}`,
      count: 1,
    };
  }
  const failed = result.report?.failed ?? [];
  if (failed.length > 0) {
    const what = failed.slice(0, MOST_NAMED).map((item) => `${subjectOf(item)}: ${item.message}`);
    const text = [`fwdsync${named}: ${plural(failed.length, 'change')} failed`, ...what].join('\n');
    return { event: 'apply-failed', account, text, count: failed.length };
  }
  const { drift } = result;
  if (drift.length === 0) return null;
  const outcome = result.report === null ? 'nothing was changed' : result.report.outcome;
  const what = drift.slice(0, MOST_NAMED).map(subjectOf);
  const text = [`fwdsync${named}: drift in ${plural(drift.length, 'item')}; ${outcome}`, ...what].join('\n');
  return { event: 'drift-found', account, text, count: drift.length };
}
