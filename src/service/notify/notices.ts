import { plural } from '../../core/model/names.ts';
import { runOutcome, type DaemonEvent } from '../../core/model/status/daemon.ts';
import { createStanding } from '../log/standing.ts';
import { receivingText, troubleText } from '../log/trouble-text.ts';
import { MOST_ITEMS, type Notice } from './notice.ts';
import { differencesOf, failureOf, lineOf } from './run-notices.ts';

/**
 * Returns a function that turns events into notices: only for what is new since the last notice, and for what is
 * resolved.
 */
export function createNotices(): (event: DaemonEvent) => readonly Notice[] {
  /** Last notice by account and topic. */
  const last = new Map<string, Said>();
  const standing = createStanding();
  const resolve = (account: string, { topic, headline, count }: Resolved): readonly Notice[] => {
    const key = `${account} ${topic}`;
    const before = last.get(key);
    last.delete(key);
    if (before?.lasts !== true) return [];
    const { urgent } = before.notice;
    return [{ event: 'recovered', account, headline: `resolved: ${headline}`, items: [], count, urgent }];
  };
  const say = (said: Said): readonly Notice[] => {
    const key = `${said.notice.account} ${said.topic}`;
    const before = last.get(key);
    last.set(key, said);
    return before !== undefined && isSame(before.notice, said.notice) ? [] : [said.notice];
  };
  const ofRun = (event: RunFinished): readonly Notice[] => {
    const { account, cause, result } = event;
    const failure = failureOf(event);
    const told = failure === null ? [] : say({ topic: 'health', notice: failure, lasts: true });
    const { differs, lasts, notices } = differencesOf(event, standing.begin(event));
    const [notice] = notices;
    if (notice !== undefined) last.set(`${account} differences`, { topic: 'differences', notice, lasts });
    const isResolved = cause === 'sweep' && !differs && IN_SYNC.has(runOutcome(result));
    return [...told, ...notices, ...(isResolved ? resolve(account, MATCHES_AGAIN) : [])];
  };
  return (event) => {
    const { account } = event;
    // A domain that stops is reported once, after two reads.
    if ('domain' in event) return [receivingNotice(event)];
    switch (event.kind) {
      // The log follower already sends each delivery event only once.
      case 'delivery-failing':
      case 'delivery-recovered':
        return [deliveryNotice(event)];
      case 'manifest-refused':
        return say({ topic: 'manifest', notice: invalidManifest(event), lasts: true });
      case 'manifest-accepted':
        return resolve(account, { topic: 'manifest', headline: 'the manifest is valid again', count: 0 });
      case 'recovered': {
        const headline = `runs succeed again after ${plural(event.failures, 'failure')}`;
        return resolve(account, { topic: 'health', headline, count: event.failures });
      }
      case 'run-finished':
        return ofRun(event);
      default:
        return [];
    }
  };
}

function isSame(one: Notice, other: Notice): boolean {
  const textOf = ({ headline, items }: Notice): string =>
    [headline, ...items.map(({ text }) => text)].join('\n');
  return textOf(one) === textOf(other);
}

type Topic = 'differences' | 'health' | 'manifest';

interface Said {
  readonly topic: Topic;
  readonly notice: Notice;
  /** True if the condition lasts until another notice. */
  readonly lasts: boolean;
}

/** A condition that an event ends, so that it is news if it comes again. */
interface Resolved {
  readonly topic: Topic;
  readonly headline: string;
  /** Number of runs that had failed. */
  readonly count: number;
}

const MATCHES_AGAIN: Resolved = {
  topic: 'differences',
  headline: 'the account matches the manifest again',
  count: 0,
};

/** Outcomes that leave no difference. */
const IN_SYNC: ReadonlySet<string> = new Set(['unchanged', 'converged']);

type RunFinished = Extract<DaemonEvent, { kind: 'run-finished' }>;
type ReceivingEvent = Extract<DaemonEvent, { kind: 'domain-not-receiving' | 'domain-receiving' }>;
type DeliveryEvent = Extract<DaemonEvent, { kind: 'delivery-failing' | 'delivery-recovered' }>;

function deliveryNotice({ account, kind, trouble }: DeliveryEvent): Notice {
  const headline = kind === 'delivery-failing' ? 'mail does not arrive' : 'mail arrives again';
  const { domain, source, count } = trouble;
  const item = { text: troubleText(trouble), domain, from: null, to: null, source };
  return { event: kind, account, headline, items: [item], count, urgent: false };
}

function receivingNotice({ account, kind, domain, source }: ReceivingEvent): Notice {
  const headline = receivingText(kind, domain);
  const text = source === null ? domain : `${domain} (${lineOf(source)})`;
  const items = [{ text, domain, from: null, to: null, source }];
  return { event: kind, account, headline, items, count: 1, urgent: true };
}

function invalidManifest({
  account,
  message,
  problems,
  inForce,
}: Extract<DaemonEvent, { kind: 'manifest-refused' }>): Notice {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const items = errors.slice(0, MOST_ITEMS).map(({ source, message: what }) => {
    const text = `${source === null ? '' : `${lineOf(source)}: `}${what}`;
    return { text, domain: null, from: null, to: null, source };
  });
  const loaded = inForce === 'none' ? 'no manifest is loaded' : 'the last good one stays loaded';
  const headline = `${message}; ${loaded}`;
  return { event: 'manifest-invalid', account, headline, items, count: errors.length, urgent: false };
}
