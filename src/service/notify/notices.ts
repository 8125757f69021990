import { plural } from '../../core/model/names.ts';
import {
  runOutcome,
  type CompletedRun,
  type DaemonEvent,
  type DeliveryTrouble,
} from '../../core/model/status/daemon.ts';
import { subjectOf } from '../../core/plan/render/drift.ts';
import { troubleText } from '../log/trouble-text.ts';

/** A message for people. */
export interface Notice {
  readonly event:
    | 'drift-found'
    | 'apply-failed'
    | 'recovered'
    | 'manifest-invalid'
    | 'delivery-failing'
    | 'delivery-recovered';
  readonly account: string;
  /** Text for people, one or a few lines. */
  readonly text: string;
  /** Number of items or problems that the notice is about. */
  readonly count: number;
}

/**
 * Returns a function that turns events into notices: only for what is new since the last notice, and for what is
 * resolved.
 */
export function createNotices(): (event: DaemonEvent) => Notice | null {
  /** Last notice by account and topic. */
  const last = new Map<string, Said>();
  return (event) => {
    // The log follower already sends each delivery event only once.
    if (event.kind === 'delivery-failing' || event.kind === 'delivery-recovered')
      return deliveryNotice(event);
    const said = noticeOf(event) ?? resolvedBy(event);
    if (said === null) return null;
    const key = `${event.account} ${said.topic}`;
    const before = last.get(key);
    if (said.kind === 'resolved') {
      last.delete(key);
      return before?.lasts === true ? resolvedNotice(event.account, said) : null;
    }
    last.set(key, said);
    return before?.notice.text === said.notice.text ? null : said.notice;
  };
}

function deliveryNotice({ account, kind, trouble }: { readonly account: string } & DeliveryEvent): Notice {
  const what = kind === 'delivery-failing' ? 'mail does not arrive' : 'mail arrives again';
  const text = `fwdsync${named(account)}: ${what}: ${troubleText(trouble)}`;
  return { event: kind, account, text, count: trouble.count };
}

interface DeliveryEvent {
  readonly kind: 'delivery-failing' | 'delivery-recovered';
  readonly trouble: DeliveryTrouble;
}

/** Merges the notices of one moment into one per account, under the most severe of their events. */
export function mergeNotices(notices: readonly Notice[]): readonly Notice[] {
  return [...Map.groupBy(notices, ({ account }) => account)].map(([account, all]) => {
    const [worst] = all.toSorted((a, b) => SEVERITY.indexOf(a.event) - SEVERITY.indexOf(b.event));
    const count = all.reduce((sum, notice) => sum + notice.count, 0);
    return {
      event: worst?.event ?? 'recovered',
      account,
      text: all.map(({ text }) => text).join('\n'),
      count,
    };
  });
}

const SEVERITY: readonly Notice['event'][] = [
  'manifest-invalid',
  'delivery-failing',
  'apply-failed',
  'drift-found',
  'recovered',
  'delivery-recovered',
];

type Topic = 'drift' | 'health' | 'manifest';

interface Said {
  readonly kind: 'news';
  readonly topic: Topic;
  readonly notice: Notice;
  /** True if the condition lasts until another notice. */
  readonly lasts: boolean;
}

interface Resolved {
  readonly kind: 'resolved';
  readonly topic: Topic;
  readonly what: string;
  /** Number of runs that had failed. */
  readonly count: number;
}

/** Returns the condition that an event ends, so that it is news if it comes again. */
function resolvedBy(event: DaemonEvent): Resolved | null {
  const kind = 'resolved';
  if (event.kind === 'manifest-accepted')
    return { kind, topic: 'manifest', what: 'the manifest is valid again', count: 0 };
  if (event.kind === 'recovered') {
    const { failures: count } = event;
    return { kind, topic: 'health', what: `runs succeed again after ${plural(count, 'failure')}`, count };
  }
  if (event.kind !== 'run-finished' || event.cause !== 'sweep' || !IN_SYNC.has(runOutcome(event.result)))
    return null;
  return { kind, topic: 'drift', what: 'the account matches the manifest again', count: 0 };
}

/** Outcomes that leave no difference. */
const IN_SYNC: ReadonlySet<string> = new Set(['unchanged', 'converged']);

function resolvedNotice(account: string, { what, count }: Resolved): Notice {
  return { event: 'recovered', account, text: `fwdsync${named(account)}: resolved: ${what}`, count };
}

function named(account: string): string {
  return account === '' ? '' : ` ${account}`;
}

const MOST_NAMED = 10;

function noticeOf(event: DaemonEvent): Said | null {
  if (event.kind === 'manifest-refused') return invalidManifest(event);
  return event.kind === 'run-finished' ? noticeOfRun(event) : null;
}

function invalidManifest({
  account,
  message,
  problems,
  inForce,
}: Extract<DaemonEvent, { kind: 'manifest-refused' }>): Said {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const places = errors.slice(0, MOST_NAMED).map(({ source, message: what }) => {
    return `${source === null ? '' : `${source.file}:${source.line}: `}${what}`;
  });
  const loaded = inForce === 'none' ? 'no manifest is loaded' : 'the last good one stays loaded';
  const text = [`fwdsync${named(account)}: ${message}; ${loaded}`, ...places].join('\n');
  const notice: Notice = { event: 'manifest-invalid', account, text, count: errors.length };
  return { kind: 'news', topic: 'manifest', notice, lasts: true };
}

function noticeOfRun({ account, result }: Extract<DaemonEvent, { kind: 'run-finished' }>): Said | null {
  const head = `fwdsync${named(account)}:`;
  if (result.kind === 'failed') {
    const text = `${head} a run failed: ${result.message}`;
    const notice: Notice = { event: 'apply-failed', account, text, count: 1 };
    return { kind: 'news', topic: 'health', notice, lasts: true };
  }
  const failed = result.report?.failed ?? [];
  if (failed.length > 0) {
    const what = failed.slice(0, MOST_NAMED).map((item) => `${subjectOf(item)}: ${item.message}`);
    const text = [`${head} ${plural(failed.length, 'change')} failed`, ...what, ...driftLines(result)].join(
      '\n',
    );
    const notice: Notice = { event: 'apply-failed', account, text, count: failed.length };
    return { kind: 'news', topic: 'health', notice, lasts: true };
  }
  const { drift } = result;
  if (drift.length === 0) return null;
  const [first = '', ...rest] = driftLines(result);
  const text = [`${head} ${first}`, ...rest].join('\n');
  const notice: Notice = { event: 'drift-found', account, text, count: drift.length };
  return { kind: 'news', topic: 'drift', notice, lasts: result.report?.outcome !== 'converged' };
}

function driftLines({ drift, report }: CompletedRun): readonly string[] {
  if (drift.length === 0) return [];
  const outcome = report === null ? 'nothing was changed' : report.outcome;
  return [
    `drift in ${plural(drift.length, 'item')}; ${outcome}`,
    ...drift.slice(0, MOST_NAMED).map(subjectOf),
  ];
}
