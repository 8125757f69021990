import { FINDINGS } from '../../core/model/lint/findings.ts';
import { plural } from '../../core/model/names.ts';
import type { RequestEvent } from '../../client/http/call.ts';
import { undoLine } from '../../engine/apply/report/report-document.ts';
import { plainCommand, type CommandLine } from '../../core/model/text/command-line.ts';
import { runOutcome, type CompletedRun, type DaemonEvent } from '../../core/model/status/daemon.ts';
import type { Plan } from '../../core/model/plan.ts';
import { showSource, type Problem, type Source } from '../../core/model/manifest/problem.ts';
import { changeName, type ChangeName, type Report } from '../../core/model/report.ts';
import { textOfItem, fullDocument, driftValues, nameOf, valuesOf } from './item-values.ts';
import { countRun } from './run-counts.ts';
import type { ServiceLog } from './service-log.ts';
import { createStanding, type IsNews } from './standing.ts';
import { receivingText, troubleText } from './trouble-text.ts';
import { describeDrift } from '../../core/plan/render/drift.ts';

/**
 * Creates a log with one line per event. `event` is its stable name; `account`, `run` and `domain` say what it is
 * about. A lasting condition, such as a guard that refuses, is logged when it appears and not at every run.
 */
export function createEventLog(
  logger: ServiceLog,
  commandsOf: (account: string) => CommandLine = () => plainCommand,
): (event: DaemonEvent) => void {
  const standing = createStanding();
  const requests = new Map<string, number>();
  return (event) => {
    const { account } = event;
    const sent = requests.get(account) ?? 0;
    if (event.kind === 'request') requests.set(account, sent + 1);
    const isDetail = event.kind === 'request' || event.kind === 'run-started';
    if (isDetail && !logger.isLevelEnabled('debug')) return;
    const of = account === '' ? {} : { account };
    if (event.kind !== 'run-finished') return logEvent(logger.child(of), event);
    requests.delete(account);
    logRun(logger.child({ ...of, run: event.run }), event, {
      isNews: standing.begin(event),
      requests: sent,
      command: commandsOf(account),
    });
  };
}

/** Returns a request as an event of an account, with times in seconds. */
export function requestEvent(
  account: string,
  { endpoint, status, durationMs, waitedMs }: RequestEvent,
): DaemonEvent {
  const [seconds, waitedSeconds] = [durationMs / 1000, waitedMs / 1000];
  return { account, kind: 'request', endpoint, status, seconds, waitedSeconds };
}

function logEvent(log: ServiceLog, event: Exclude<DaemonEvent, { kind: 'run-finished' }>): void {
  if ('trouble' in event) return logDelivery(log, event);
  if ('domain' in event) return logReceiving(log, event);
  switch (event.kind) {
    case 'manifest-accepted':
      return logAccepted(log, event);
    case 'manifest-refused':
      logProblems(log, event.problems);
      log.error({ event: 'manifest.refused', in_force: event.inForce }, event.message);
      return;
    case 'run-started': {
      const { run, cause, domains } = event;
      log.debug({ event: 'run.started', run, cause, domains }, `run started: ${cause}, domains: ${domains}`);
      return;
    }
    case 'recovered': {
      const { run, failures } = event;
      log.info({ event: 'account.recovered', run, failures }, `recovered after ${failures} failures`);
      return;
    }
    case 'request':
      return logRequest(log, event);
    case 'watcher-failed':
      log.warn({ event: 'watcher.failed' }, `${event.message}; the files are still read every 30 s`);
      return;
    case 'drift-unchecked':
      log.warn({ event: 'drift.unchecked' }, `every domain is read in full: ${event.message}`);
  }
}

type Happened<Kind extends DaemonEvent['kind']> = Extract<DaemonEvent, { kind: Kind }>;

function logAccepted(log: ServiceLog, { domains, entries, problems }: Happened<'manifest-accepted'>): void {
  logProblems(log, problems);
  const text = `manifest loaded: ${plural(domains, 'domain')}, ${entries} ${entries === 1 ? 'entry' : 'entries'}`;
  log.info({ event: 'manifest.accepted', domains, entries }, text);
}

function logDelivery(
  log: ServiceLog,
  { kind, trouble }: Happened<'delivery-failing' | 'delivery-recovered'>,
): void {
  const { domain, alias, rule, destination, count, lastError, source } = trouble;
  const fields = { domain, alias, rule, destination, count, code: lastError.code, source };
  if (kind === 'delivery-recovered')
    log.info({ event: 'delivery.recovered', ...fields }, `mail arrives again: ${troubleText(trouble)}`);
  else log.warn({ event: 'delivery.failing', ...fields }, `mail does not arrive: ${troubleText(trouble)}`);
}

function logReceiving(
  log: ServiceLog,
  { kind, domain, source: line }: Happened<'domain-not-receiving' | 'domain-receiving'>,
): void {
  const fields = { domain, source: place(line) };
  if (kind === 'domain-receiving')
    log.info({ event: 'domain.receiving', ...fields }, receivingText(kind, domain));
  else log.warn({ event: 'domain.not-receiving', ...fields }, receivingText(kind, domain));
}

function logRequest(log: ServiceLog, event: Happened<'request'>): void {
  const { endpoint, status } = event;
  const times = {
    seconds: roundSeconds(event.seconds),
    waited_seconds: roundSeconds(event.waitedSeconds),
  };
  log.debug({ event: 'request', endpoint, status, ...times }, `${endpoint}: ${status ?? 'no answer'}`);
}

type Finished = Happened<'run-finished'>;

interface RunSoFar {
  readonly isNews: IsNews;
  /** Number of requests since the previous run ended, as in the metrics. */
  readonly requests: number;
  readonly command: CommandLine;
}

function logRun(
  log: ServiceLog,
  { cause, seconds: took, result }: Finished,
  { isNews, requests, command }: RunSoFar,
): void {
  const seconds = roundSeconds(took);
  if (result.kind === 'failed') {
    log.error({ event: 'run.failed', cause, step: result.what, requests, seconds }, result.message);
    return;
  }
  logFindings(log, result, isNews);
  logDrift(log, result, isNews);
  if (result.report !== null) logReport(log, result.report, { ...result, command });
  const { add, update, move, delete: deletes } = result.plan.summary;
  const outcome = runOutcome(result);
  const { text, withheld } = countRun(result);
  const fields = {
    event: 'run.finished',
    cause,
    outcome,
    add,
    update,
    move,
    delete: deletes,
    withheld,
    requests,
    seconds,
  };
  const counts = `${plural(requests, 'request')} in ${seconds} s`;
  const level = outcome === 'partial' || outcome === 'failed' ? 'warn' : 'info';
  log[level](fields, `${outcome}: ${text}; ${counts}`);
}

function logFindings(log: ServiceLog, { plan, unset }: CompletedRun, isNews: IsNews): void {
  logProblems(
    log,
    plan.problems.filter((problem) => isNews(problem.message)),
  );
  for (const { guard, scope, message, allow } of plan.guards.filter(({ allowed }) => !allowed)) {
    if (isNews(`${guard} ${scope} ${message}`))
      log.warn({ event: 'guard.refused', guard, scope, allow }, message);
  }
  for (const { domain, cause, reason } of withheldByItself(plan)) {
    if (isNews(`${domain} ${reason}`))
      log.warn({ event: 'domain.withheld', domain, cause }, `${domain}: ${reason}`);
  }
  for (const change of unset) {
    if (!isNews(`unset ${nameOf(change)}`)) continue;
    const fields = { event: 'password.unset', ...changeName(change), source: place(change.source) };
    log.error(fields, `${nameOf(change)}: its password is not set, too short or refused`);
  }
  for (const { code, message, source } of plan.warnings) {
    if (isNews(`${code} ${message}`))
      log[LEVELS[FINDINGS[code]]]({ event: 'plan.warning', code, source: place(source) }, message);
  }
}

function logDrift(log: ServiceLog, { report, frozen, drift }: CompletedRun, isNews: IsNews): void {
  const fixed = new Set(report?.applied.map(nameOf));
  for (const change of drift) {
    // A corrected change is news each time. One that is only observed, withheld or frozen lasts.
    if (!fixed.has(nameOf(change)) && !isNews(describeDrift(fullDocument(change)))) continue;
    const fields = { ...changeName(change), ...driftValues(change), source: place(change.source) };
    log.warn({ event: 'drift.found', ...fields }, describeDrift(fullDocument(change)));
  }
  for (const change of frozen) {
    if (!isNews(`frozen ${nameOf(change)}`)) continue;
    log.warn(
      { event: 'item.frozen', ...changeName(change) },
      `${nameOf(change)}: left alone because it keeps being changed back`,
    );
  }
}

/** Returns the withheld parts without those of guards. A guard has its own line. */
function withheldByItself({ withheld }: Plan): Plan['withheld'] {
  return withheld.filter(({ cause }) => cause !== 'guard');
}

function logReport(
  log: ServiceLog,
  report: Report,
  { plan, unset, command }: Pick<CompletedRun, 'plan' | 'unset'> & Pick<RunSoFar, 'command'>,
): void {
  const { applied, failed, skipped, notKept, notes, run, snapshot } = report;
  const planned = new Map(plan.changes.map((change) => [nameOf(change), change]));
  const fieldsOf = (item: ChangeName) => ({ ...changeName(item), ...valuesOf(planned.get(nameOf(item))) });
  const told = new Set(unset.map(nameOf));
  const undo = undoLine(report, command);
  if (snapshot !== null)
    log.info(
      { event: 'snapshot.saved', path: snapshot, run },
      undo === null ? 'snapshot saved' : `snapshot saved; undo with: ${undo}`,
    );
  for (const item of applied) {
    log.info({ event: 'change.applied', ...fieldsOf(item) }, textOfItem(item, planned.get(nameOf(item))));
  }
  for (const { message, endpoint, status, source, ...item } of failed) {
    const fields = { ...fieldsOf(item), endpoint, status, source: place(source) };
    log.error({ event: 'change.failed', ...fields }, `${nameOf(item)}: ${message}`);
  }
  for (const { reason, source, ...item } of skipped.filter((item) => !told.has(nameOf(item)))) {
    const fields = { ...fieldsOf(item), source: place(source) };
    log.warn({ event: 'change.skipped', ...fields }, `${nameOf(item)}: ${reason}`);
  }
  for (const { message, source, ...item } of notKept) {
    const fields = { ...fieldsOf(item), source: place(source) };
    log.warn({ event: 'change.not-kept', ...fields }, `${nameOf(item)}: ${message}`);
  }
  for (const note of notes) log.info({ event: 'run.note' }, note);
}

const LEVELS = { error: 'error', warning: 'warn', notice: 'info' } as const;

function logProblems(log: ServiceLog, problems: readonly Problem[]): void {
  for (const { severity, code, message, hint, source } of problems) {
    const level = LEVELS[severity];
    log[level]({ event: 'manifest.problem', code, source: place(source), hint }, message);
  }
}

/** Rounds seconds to milliseconds. */
export function roundSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function place(source: Source | null): string | null {
  return source === null ? null : showSource(source);
}
