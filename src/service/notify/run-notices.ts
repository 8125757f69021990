import { plural } from '../../core/model/names.ts';
import type { CompletedRun, DaemonEvent, RunResult } from '../../core/model/status/daemon.ts';
import type { Source } from '../../core/model/manifest/problem.ts';
import type { Change } from '../../core/model/plan.ts';
import { describeDrift } from '../../core/plan/render/drift.ts';
import { withheldReason, withholdRefused } from '../../core/plan/withhold.ts';
import { driftValues, fullDocument, nameOf, textOfItem, valuesOf } from '../log/item-values.ts';
import type { IsNews } from '../log/standing.ts';
import { MOST_ITEMS, type Notice, type NoticeItem } from './notice.ts';

type RunFinished = Extract<DaemonEvent, { kind: 'run-finished' }>;

/** Returns the notice of a run that failed, or of which changes failed; null if none did. */
export function failureOf({ account, result }: RunFinished): Notice | null {
  if (result.kind === 'failed') {
    const headline = `a run failed: ${result.message}`;
    const urgent = isUrgent(result);
    return { event: 'apply-failed', account, headline, items: [], count: 1, urgent };
  }
  const failed = result.report?.failed ?? [];
  if (failed.length === 0) return null;
  const planned = new Map(result.plan.changes.map((change) => [nameOf(change), change]));
  const items = failed.slice(0, MOST_ITEMS).map((failure): NoticeItem => {
    const { message, source, domain } = failure;
    const change = planned.get(nameOf(failure));
    const { from = null, to = null } = valuesOf(change);
    return { text: `${textOfItem(failure, change)}: ${message}${placeOf(source)}`, domain, from, to, source };
  });
  const headline = `${plural(failed.length, 'change')} failed`;
  return { event: 'apply-failed', account, headline, items, count: failed.length, urgent: false };
}

/** True for a refused key and a state that cannot be written: nothing works until a person acts. */
function isUrgent({ what, code }: Extract<RunResult, { kind: 'failed' }>): boolean {
  return (
    what === 'key' || what === 'unauthorised' || what === 'state' || (what === 'lock' && code !== 'held')
  );
}

/** Differences between the account and its manifest after a run that were not told before. */
interface Differences {
  readonly notices: readonly Notice[];
  /** True if anything differs, also if it was told before. */
  readonly differs: boolean;
  /** True if something differs until a person acts. */
  readonly lasts: boolean;
}

export function differencesOf({ account, result }: RunFinished, isNews: IsNews): Differences {
  if (result.kind === 'failed') return { notices: [], differs: true, lasts: false };
  const notices = [withheldIn(result, isNews), frozenIn(result, isNews), driftIn(result, isNews)].flatMap(
    (found) => (found === null ? [] : [{ account, urgent: false, ...found }]),
  );
  const { drift, frozen, plan } = result;
  const differs = drift.length + frozen.length > 0 || plan.withheld.some(({ cause }) => cause !== 'unproven');
  return { notices, differs, lasts: result.report?.outcome !== 'converged' };
}

type Found = Pick<Notice, 'event' | 'headline' | 'items' | 'count'>;

/** Returns the changes that a guard holds back, or that the manifest does not allow, and the reasons. */
function withheldIn({ plan }: CompletedRun, isNews: IsNews): Found | null {
  const rest = withholdRefused(plan);
  const allowances = new Map(plan.guards.map((guard) => [withheldReason(guard), guard.allow]));
  const why = new Map(
    rest.withheld.filter(({ cause }) => cause !== 'unproven').map(({ domain, reason }) => [domain, reason]),
  );
  const runs = new Set(rest.changes);
  const held = plan.changes.filter((change) => !runs.has(change) && why.has(change.domain));
  const newReasons = [...new Set(why.values())].filter((reason) => isNews(`withheld ${reason}`));
  const newChanges = held.filter((change) => isNews(`withheld ${nameOf(change)}`));
  if (newReasons.length + newChanges.length === 0) return null;
  const reasons = newReasons.map((reason): NoticeItem => {
    const allow = allowances.get(reason) ?? null;
    const [domain = null, ...others] = [...why].filter(([, one]) => one === reason).map(([name]) => name);
    const text = `${reason}${allow === null ? '' : `; if it is intended: apply ${allow}`}`;
    return { text, domain: others.length === 0 ? domain : null, from: null, to: null, source: null };
  });
  const { items, count } = changesOf(newChanges);
  const headline = count === 0 ? 'changes are withheld' : `${plural(count, 'change')} withheld`;
  return {
    event: 'changes-withheld',
    headline,
    items: [...reasons, ...items],
    count: reasons.length + count,
  };
}

function frozenIn({ frozen }: CompletedRun, isNews: IsNews): Found | null {
  const news = frozen.filter((change) => isNews(`frozen ${nameOf(change)}`));
  if (news.length === 0) return null;
  const headline = `${plural(news.length, 'item')} left alone: they keep being changed back`;
  return { event: 'changes-frozen', headline, ...changesOf(news) };
}

/** A change that was corrected is news each time. One that is only observed, withheld or frozen lasts. */
function driftIn({ drift, report }: CompletedRun, isNews: IsNews): Found | null {
  const fixed = new Set(report?.applied.map(nameOf));
  const news = drift.filter(
    (change) => fixed.has(nameOf(change)) || isNews(describeDrift(fullDocument(change))),
  );
  if (news.length === 0) return null;
  const outcome = report === null ? 'nothing was changed' : report.outcome;
  const items = news.slice(0, MOST_ITEMS).map((change): NoticeItem => {
    const { from = null, to = null } = driftValues(change);
    const text = `${describeDrift(fullDocument(change))}${placeOf(change.source)}`;
    return { text, domain: change.domain, from, to, source: change.source };
  });
  const headline = `drift in ${plural(news.length, 'item')}; ${outcome}`;
  return { event: 'drift-found', headline, items, count: news.length };
}

function changesOf(changes: readonly Change[]): Pick<Notice, 'items' | 'count'> {
  const items = changes.slice(0, MOST_ITEMS).map((change): NoticeItem => {
    const { from = null, to = null } = valuesOf(change);
    const text = `${textOfItem(change, change)}${placeOf(change.source)}`;
    return { text, domain: change.domain, from, to, source: change.source };
  });
  return { items, count: changes.length };
}

export function lineOf({ file, line }: Source): string {
  return `${file}:${line}`;
}

function placeOf(source: Source | null): string {
  return source === null ? '' : ` (${lineOf(source)})`;
}
