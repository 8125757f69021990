import { isReady, type AccountStatus, type DomainStatus } from '../../../../core/model/status/daemon.ts';
import { NOT_RECEIVING_WORDS, type FleetState } from '../../../../core/model/status/fleet.ts';
import type { Disclosure } from '../../../../core/model/destinations.ts';
import { errorsFirst } from '../../../../core/model/manifest/problem.ts';
import type { Change } from '../../../../core/model/plan.ts';
import { changeDocument } from '../../../../core/plan/document/document.ts';
import { describeChange } from '../../../../core/plan/render/describe.ts';
import { deliveryData, type DeliveryData } from './delivery-data.ts';
import type { DiffLine } from './diff-line.ts';
import { compareNames, listItems, matcher, type ListedRow, type ListedPage } from '../listed-page.ts';
import { placeText } from './place.ts';
import type { OverviewQuery } from '../query.ts';

/** Data of a daemon's page: its domains and its accounts. */
export interface OverviewData extends ListedPage {
  readonly noun: 'domain';
  readonly accounts: readonly AccountRow[];
  /** Number of all accounts, of those that match the filter, and of those that are not ready. */
  readonly accountTotals: { readonly all: number; readonly matching: number; readonly notReady: number };
  readonly delivery: DeliveryData;
}

export interface AccountRow {
  readonly name: string;
  readonly isReady: boolean;
  readonly mode: AccountStatus['mode'];
  readonly manifest: AccountStatus['manifest']['state'];
  readonly message: string | null;
  readonly problems: readonly ProblemLine[];
  /** Number of problems that are not listed. */
  readonly moreProblems: number;
  readonly readAt: number | null;
  readonly readFault: string | null;
  /** True if it should have been read again long ago. */
  readonly isOld: boolean;
  readonly nextSweepAt: number | null;
  readonly failures: number;
  readonly run: AccountStatus['run'];
  readonly budgets: readonly Budget[];
}

interface ProblemLine {
  readonly severity: string;
  readonly message: string;
  readonly hint: string;
  readonly place: string | null;
}

interface Budget {
  readonly endpoint: string;
  readonly limit: number;
  readonly remaining: number;
}

const MOST_ACCOUNTS = 10;
const MOST_PROBLEMS = 10;
/**
 * Maximum number of diff lines for one domain among others, for a domain shown alone, and for a whole page. The
 * limits keep the page small.
 */
const MOST_LINES = { among: 8, alone: 200, page: 70 } as const;
/** Number of intervals without a read after which an account counts as old. */
const OLD_AFTER = 3;

export interface OverviewOptions {
  readonly query: OverviewQuery;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly disclosure: Disclosure;
  /** Returns a command of these words, quoted for a shell. */
  readonly command: (words: string) => string;
}

export function overviewData(
  statuses: readonly AccountStatus[],
  { query, now, disclosure, command }: OverviewOptions,
): OverviewData {
  const matches = matcher(query.q);
  const whole = new Set(statuses.filter(({ name }) => matches(name)));
  const { shown, ...listed } = listItems(
    statuses.flatMap(domainsOf),
    query,
    ({ name, account }) => whole.has(account) || matches(name),
  );
  const accounts = statuses.filter(
    (status) => whole.has(status) || shown.some(({ name }) => status.domains.has(name)),
  );
  const worst = accounts.toSorted(
    (a, b) => urgencyOf(b, now) - urgencyOf(a, now) || compareNames(a.name, b.name),
  );
  return {
    noun: 'domain',
    ...listed,
    rows: domainRows(shown, { disclosure, command, isMany: statuses.length > 1 }),
    accounts: worst.slice(0, MOST_ACCOUNTS).map((status) => accountRow(status, now)),
    accountTotals: {
      all: statuses.length,
      matching: accounts.length,
      notReady: statuses.filter((status) => !isReady(status)).length,
    },
    delivery: deliveryData(statuses, matches, command),
  };
}

interface FoundRow {
  readonly name: string;
  readonly state: FleetState;
  readonly account: Pick<AccountStatus, 'name' | 'mode'>;
  readonly status: DomainStatus;
}

interface Found extends FoundRow {
  readonly account: AccountStatus;
}

function domainsOf(account: AccountStatus): readonly Found[] {
  return [...account.domains].map(([name, status]) => ({ name, state: shownState(status), account, status }));
}

/** Returns the state to show. A domain that stopped receiving mail is more urgent than any difference. */
export function shownState({ state, receiving }: DomainStatus): FleetState {
  return receiving === 'stopped' ? 'not-receiving' : state;
}

/** True if the last good read is older than it should be. */
function isOldRead({ read, intervalMs }: AccountStatus, now: number): boolean {
  return read !== null && (read.goodAt === null || now - read.goodAt > OLD_AFTER * intervalMs);
}

function urgencyOf(status: AccountStatus, now: number): number {
  return 2 * Number(!isReady(status)) + Number(isOldRead(status, now));
}

function accountRow(status: AccountStatus, now: number): AccountRow {
  const { name, mode, manifest, read, run, failures, nextSweepAt, budgets } = status;
  const problems = errorsFirst(manifest.problems).slice(0, MOST_PROBLEMS);
  return {
    name,
    isReady: isReady(status),
    mode,
    manifest: manifest.state,
    message: manifest.message,
    problems: problems.map(({ severity, message, hint, source }) => {
      return { severity, message, hint, place: placeText(source) };
    }),
    moreProblems: manifest.problems.length - problems.length,
    readAt: read?.goodAt ?? null,
    readFault: read === null || read.ok ? null : read.message,
    isOld: isOldRead(status, now),
    nextSweepAt,
    failures,
    run,
    budgets: [...budgets].flatMap(([endpoint, { limit, remaining }]) =>
      limit === null || remaining === null ? [] : [{ endpoint, limit, remaining }],
    ),
  };
}

interface RowOptions extends Pick<OverviewOptions, 'disclosure' | 'command'> {
  /** True if rows name their account. */
  readonly isMany: boolean;
}

/** Returns rows with their pending changes. A single row shows more of them. */
export function domainRows(
  shown: readonly FoundRow[],
  { disclosure, command, isMany }: RowOptions,
): readonly ListedRow[] {
  let room = shown.length === 1 ? MOST_LINES.alone : MOST_LINES.page;
  return shown.map(({ name, state, account, status }) => {
    const { line, source, readAt, pending, changes } = status;
    const { reason, resolve } = explained(name, status, command);
    const kept = changes.slice(0, shown.length === 1 ? room : Math.min(room, MOST_LINES.among));
    room -= kept.length;
    const count = Object.values(pending).reduce((sum, number) => sum + number, 0);
    const lines = kept.map((change) => diffLine(change, disclosure));
    return {
      name,
      detail: isMany ? account.name : null,
      state,
      reason,
      resolve: resolve ?? (status.state === 'drifted' ? driftAdvice(account.mode, command) : null),
      place: placeText(source ?? line),
      readAt,
      plan: count === 0 ? null : { pending, lines, more: count - lines.length },
    };
  });
}

/** Returns the reason and advice of a domain, first that it does not receive mail. */
function explained(
  name: string,
  { receiving, reason, resolve }: DomainStatus,
  command: OverviewOptions['command'],
): Pick<ListedRow, 'reason' | 'resolve'> {
  if (receiving === null || receiving === 'yes') return { reason, resolve };
  const text = `it ${NOT_RECEIVING_WORDS[receiving][0]}, according to the service`;
  const records = `\`${command(`verify ${name}`)}\` prints the DNS records to set`;
  return {
    reason: reason === null ? text : `${text}; ${reason}`,
    resolve: resolve === null ? records : `${records}; ${resolve}`,
  };
}

function driftAdvice(mode: AccountStatus['mode'], command: OverviewOptions['command']): string {
  return mode === 'apply' ? 'the next run applies it' : `\`${command('apply')}\` (this daemon only reports)`;
}

function diffLine(change: Change, disclosure: Disclosure): DiffLine {
  const document = changeDocument(change, disclosure);
  const { text, note } = describeChange(document);
  const { action, kind, name, source } = document;
  return {
    action,
    kind,
    name: kind === 'domain' ? '' : name,
    text,
    note,
    place: placeText(source),
  };
}
