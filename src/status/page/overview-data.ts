import { isReady, type AccountStatus, type DomainHealth, type DomainStatus } from '../../model/daemon.ts';
import type { Disclosure } from '../../model/destinations.ts';
import type { Change } from '../../model/plan.ts';
import { changeDocument } from '../../plan/document/document.ts';
import { describeChange } from '../../plan/render/describe.ts';
import { deliveryData, type DeliveryData } from './delivery-data.ts';
import { placeText } from './place.ts';
import { HEALTHS, type OverviewQuery } from './query.ts';

/** What the page says of all accounts; plain data, not concealed yet. */
export interface OverviewData {
  readonly counts: Readonly<Record<DomainHealth, number>>;
  readonly total: number;
  readonly accounts: readonly AccountRow[];
  /** How many accounts there are, and how many of them match the filter. */
  readonly accountTotals: { readonly all: number; readonly matching: number; readonly notReady: number };
  readonly domains: readonly DomainRow[];
  readonly delivery: DeliveryData;
  readonly pages: { readonly page: number; readonly last: number; readonly matching: number };
}

export interface AccountRow {
  readonly name: string;
  readonly isReady: boolean;
  readonly mode: AccountStatus['mode'];
  readonly manifest: AccountStatus['manifest']['state'];
  readonly message: string | null;
  readonly problems: readonly ProblemLine[];
  /** How many problems are not listed. */
  readonly moreProblems: number;
  readonly readAt: number | null;
  readonly readFault: string | null;
  /** It should have been read again long ago. */
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

export interface DomainRow {
  readonly domain: string;
  readonly account: string;
  readonly mode: AccountStatus['mode'];
  readonly state: DomainHealth;
  readonly reason: string | null;
  readonly resolve: string | null;
  readonly place: string | null;
  readonly readAt: number | null;
  readonly pending: DomainStatus['pending'];
  readonly lines: readonly DiffLine[];
  /** How many changes are not listed. */
  readonly more: number;
}

/** One change, as a line of a diff. */
export interface DiffLine {
  readonly action: Change['action'];
  readonly kind: string;
  /** Of what the line is not told by its place. */
  readonly name: string;
  readonly text: string;
  readonly note: string;
  readonly place: string | null;
}

const DOMAINS_A_PAGE = 25;
const MOST_ACCOUNTS = 10;
const MOST_PROBLEMS = 10;
/** Of one domain among others, of one that is shown alone, and of a page: it stays small whatever is pending. */
const MOST_LINES = { among: 8, alone: 200, page: 70 } as const;
/** An account that was not read for so many intervals. */
const OLD_AFTER = 3;

export interface OverviewOptions {
  readonly query: OverviewQuery;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly disclosure: Disclosure;
}

export function overviewData(
  statuses: readonly AccountStatus[],
  { query, now, disclosure }: OverviewOptions,
): OverviewData {
  const matches = matcher(query.q);
  const found = findDomains(statuses, query);
  const last = Math.max(1, Math.ceil(found.matching.length / DOMAINS_A_PAGE));
  const page = Math.min(query.page, last);
  const shown = found.matching.slice((page - 1) * DOMAINS_A_PAGE, page * DOMAINS_A_PAGE);
  const accounts = statuses.filter(
    ({ name, domains }) => matches(name) || shown.some(({ domain }) => domains.has(domain)),
  );
  const worst = accounts.toSorted((a, b) => urgencyOf(b, now) - urgencyOf(a, now) || compare(a.name, b.name));
  return {
    counts: found.counts,
    total: found.total,
    accounts: worst.slice(0, MOST_ACCOUNTS).map((status) => accountRow(status, now)),
    accountTotals: {
      all: statuses.length,
      matching: accounts.length,
      notReady: statuses.filter((status) => !isReady(status)).length,
    },
    domains: domainRows(shown, disclosure),
    delivery: deliveryData(statuses, matches),
    pages: { page, last, matching: found.matching.length },
  };
}

interface Found {
  readonly domain: string;
  readonly account: AccountStatus;
  readonly status: DomainStatus;
}

/** The domains that a query is about, worst first; the one that it names before all others. */
function findDomains(
  statuses: readonly AccountStatus[],
  { q, state: wanted }: OverviewQuery,
): Pick<OverviewData, 'counts' | 'total'> & { readonly matching: readonly Found[] } {
  const matches = matcher(q);
  const counts = { failing: 0, withheld: 0, frozen: 0, drifted: 0, unknown: 0, 'in-sync': 0 };
  const byState = new Map<DomainHealth, Found[]>(HEALTHS.map((health) => [health, []]));
  for (const account of statuses) {
    const isWhole = matches(account.name);
    for (const [domain, status] of account.domains) {
      counts[status.state] += 1;
      if (wanted !== null && status.state !== wanted) continue;
      if (isWhole || matches(domain)) byState.get(status.state)?.push({ domain, account, status });
    }
  }
  const sorted = HEALTHS.flatMap((health) =>
    (byState.get(health) ?? []).sort((a, b) => compare(a.domain, b.domain)),
  );
  const named = sorted.findIndex(({ domain }) => domain === q.toLowerCase());
  const first = named < 1 ? [] : sorted.splice(named, 1);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { counts, total, matching: [...first, ...sorted] };
}

/** Without a filter everything matches. */
function matcher(q: string): (name: string) => boolean {
  const part = q.toLowerCase();
  return (name) => part === '' || name.toLowerCase().includes(part);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Whether its last good read is older than it should be. */
function isOldRead({ read, intervalMs }: AccountStatus, now: number): boolean {
  return read !== null && (read.goodAt === null || now - read.goodAt > OLD_AFTER * intervalMs);
}

function urgencyOf(status: AccountStatus, now: number): number {
  return 2 * Number(!isReady(status)) + Number(isOldRead(status, now));
}

function accountRow(status: AccountStatus, now: number): AccountRow {
  const { name, mode, manifest, read, run, failures, nextSweepAt, budgets } = status;
  const problems = manifest.problems.slice(0, MOST_PROBLEMS);
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

function domainRows(shown: readonly Found[], disclosure: Disclosure): readonly DomainRow[] {
  let room = shown.length === 1 ? MOST_LINES.alone : MOST_LINES.page;
  return shown.map(({ domain, account, status }) => {
    const { state, reason, resolve, line, source, readAt, pending, changes } = status;
    const kept = changes.slice(0, shown.length === 1 ? room : Math.min(room, MOST_LINES.among));
    room -= kept.length;
    const count = Object.values(pending).reduce((sum, number) => sum + number, 0);
    return {
      domain,
      account: account.name,
      mode: account.mode,
      state,
      reason,
      resolve,
      place: placeText(source ?? line),
      readAt,
      pending,
      lines: kept.map((change) => diffLine(change, disclosure)),
      more: count - kept.length,
    };
  });
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
