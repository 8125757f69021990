import type { Logger } from 'pino';
import type { DaemonEvent, RunResult } from '../model/daemon.ts';
import type { Change, Plan } from '../model/plan.ts';
import { showSource, type Problem, type Source } from '../model/problem.ts';
import type { Report } from '../model/report.ts';

/**
 * One line an event: `event` is its stable name, `account`, `run` and `domain` say of what. What stands, such as a guard
 * that refuses, is told when it comes and not again at each run.
 */
export function createEventLog(logger: Logger): (event: DaemonEvent) => void {
  const standing = createStanding();
  return (event) => {
    const log = event.account === '' ? logger : logger.child({ account: event.account });
    switch (event.kind) {
      case 'manifest-accepted': {
        const { domains, entries, problems } = event;
        logProblems(log, problems);
        log.info({ event: 'manifest.accepted', domains, entries }, 'the manifest is in force');
        return;
      }
      case 'manifest-refused':
        logProblems(log, event.problems);
        log.error({ event: 'manifest.refused', in_force: event.inForce }, event.message);
        return;
      case 'run-started':
        log.debug(
          { event: 'run.started', run: event.run, cause: event.cause, domains: event.domains },
          'a run begins',
        );
        return;
      case 'run-finished':
        return logRun(log.child({ run: event.run }), event, standing.begin(event));
      case 'recovered':
        log.info({ event: 'account.recovered', run: event.run, failures: event.failures }, 'well again');
        return;
      case 'request': {
        const { endpoint, status, seconds, waitedSeconds } = event;
        const times = { seconds: roundSeconds(seconds), waited_seconds: roundSeconds(waitedSeconds) };
        log.debug({ event: 'request', endpoint, status, ...times }, `${endpoint}: ${status ?? 'no answer'}`);
        return;
      }
      case 'watcher-failed':
        log.warn({ event: 'watcher.failed' }, `${event.message}; the files are read every 30 s all the same`);
    }
  };
}

type Finished = Extract<DaemonEvent, { kind: 'run-finished' }>;
type Looked = Extract<RunResult, { kind: 'looked' }>;
type IsNews = (line: string) => boolean;

function logRun(log: Logger, { cause, seconds, result }: Finished, isNews: IsNews): void {
  if (result.kind === 'failed') {
    log.error({ event: 'run.failed', cause, step: result.what, seconds }, result.message);
    return;
  }
  logFindings(log, result, isNews);
  logDrift(log, result, isNews);
  if (result.report !== null) logReport(log, result.report);
  const { add, update, move, delete: deletes } = result.plan.summary;
  const outcome = result.report?.outcome ?? (result.plan.changes.length === 0 ? 'unchanged' : 'not-applied');
  const requests = result.report?.requests.total ?? null;
  const fields = {
    event: 'run.finished',
    cause,
    outcome,
    add,
    update,
    move,
    delete: deletes,
    requests,
    seconds,
  };
  log[outcome === 'partial' || outcome === 'failed' ? 'warn' : 'info'](fields, outcome);
}

function logFindings(log: Logger, { plan, unset }: Looked, isNews: IsNews): void {
  logProblems(
    log,
    plan.problems.filter((problem) => isNews(problem.message)),
  );
  for (const { guard, scope, message, allow } of plan.guards.filter(({ allowed }) => !allowed)) {
    if (isNews(`${guard} ${scope} ${message}`))
      log.warn({ event: 'guard.refused', guard, scope, allow }, message);
  }
  for (const { domain, cause, reason } of withheldByItself(plan)) {
    if (isNews(`${domain} ${reason}`)) log.warn({ event: 'domain.withheld', domain, cause }, reason);
  }
  for (const change of unset) {
    if (!isNews(`unset ${nameOf(change)}`)) continue;
    const fields = { event: 'password.unset', ...itemOf(change), source: place(change.source) };
    log.error(fields, `${nameOf(change)}: its password is not set, or too short`);
  }
  for (const { code, message, source } of plan.warnings) {
    if (isNews(`${code} ${message}`))
      log.warn({ event: 'plan.warning', code, source: place(source) }, message);
  }
}

function logDrift(log: Logger, { report, frozen, drift }: Looked, isNews: IsNews): void {
  for (const change of drift) {
    // What is put right is news each time; what is only observed stands.
    if (report === null && !isNews(`drift ${nameOf(change)}`)) continue;
    log.warn({ event: 'drift.found', ...itemOf(change) }, `${nameOf(change)}: somebody else changed it`);
  }
  for (const change of frozen) {
    if (!isNews(`frozen ${nameOf(change)}`)) continue;
    log.warn(
      { event: 'item.frozen', ...itemOf(change) },
      `${nameOf(change)}: left alone, for it is changed back again and again`,
    );
  }
}

/** What a guard withholds has the guard's own line. */
function withheldByItself({ withheld }: Plan): Plan['withheld'] {
  return withheld.filter(({ cause }) => cause !== 'guard');
}

function logReport(log: Logger, { applied, failed, skipped, notKept, notes, snapshot }: Report): void {
  if (snapshot !== null)
    log.info({ event: 'snapshot.saved', path: snapshot }, 'undo with: fwdsync apply -f the snapshot');
  for (const item of applied) log.info({ event: 'change.applied', ...itemOf(item) }, nameOf(item));
  for (const { message, endpoint, status, source, ...item } of failed) {
    log.error({ event: 'change.failed', ...itemOf(item), endpoint, status, source: place(source) }, message);
  }
  for (const { reason, source, ...item } of skipped) {
    log.warn({ event: 'change.skipped', ...itemOf(item), source: place(source) }, reason);
  }
  for (const { message, ...item } of notKept)
    log.warn({ event: 'change.not-kept', ...itemOf(item) }, message);
  for (const note of notes) log.info({ event: 'run.note' }, note);
}

function logProblems(log: Logger, problems: readonly Problem[]): void {
  for (const { severity, code, message, hint, source } of problems) {
    const level = severity === 'error' ? 'error' : 'warn';
    log[level]({ event: 'manifest.problem', code, source: place(source), hint }, message);
  }
}

/** To milliseconds. */
export function roundSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

interface Item {
  readonly action: Change['action'];
  readonly kind: Change['kind'];
  readonly domain: string;
  readonly name: string;
}

function itemOf({ action, kind, domain, name }: Item): Item {
  return { action, kind, domain, name };
}

function nameOf({ action, kind, domain, name }: Item): string {
  return kind === 'domain' ? `${action} ${domain}` : `${action} ${kind} ${name} of ${domain}`;
}

function place(source: Source | null): string | null {
  return source === null ? null : showSource(source);
}

/** What was told of each account and still stands: a sweep sees all of it, and what it does not see is forgotten. */
function createStanding(): { begin(event: Finished): IsNews } {
  const told = new Map<string, { before: Set<string>; now: Set<string> }>();
  return {
    begin({ account, cause, result }) {
      const known = told.get(account) ?? { before: new Set(), now: new Set() };
      const isWhole = cause === 'sweep' && result.kind === 'looked';
      const state = isWhole ? { before: known.now, now: new Set<string>() } : known;
      told.set(account, state);
      return (line) => {
        const isNews = !state.before.has(line) && !state.now.has(line);
        state.now.add(line);
        return isNews;
      };
    },
  };
}
