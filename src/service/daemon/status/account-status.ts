import {
  runOutcome,
  type AccountStatus,
  type Cause,
  type CompletedRun,
  type DaemonEvent,
  type DomainHealth,
  type DomainStatus,
  type FailedStep,
  type Receiving,
  type RunResult,
  type UnnamedEntries,
} from '../../../core/model/status/daemon.ts';
import type { Desired } from '../../../core/model/desired.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { Change } from '../../../core/model/plan.ts';
import type { CommandLine } from '../../../core/model/text/command-line.ts';
import { findingsOf } from './domain-findings.ts';
import type { ReceivingChange } from '../receiving.ts';
import type { ManifestRead } from '../manifest/manifest-source.ts';

/** Keeps the status of one account up to date, and emits the event of each step. */
export interface StatusTracker {
  /** Records a loaded manifest that changes the desired state of these domains. */
  manifestAccepted(read: Extract<ManifestRead, { kind: 'good' }>, changed: readonly DomainName[]): void;
  manifestRefused(read: Extract<ManifestRead, { kind: 'bad' }>): void;
  /** Returns the domains to retry. `all` means that the run failed as a whole. */
  runFinished(run: FinishedRun): readonly DomainName[] | 'all';
  /** Records which domains receive mail, and reports those that stopped or began again. */
  receivingRead(values: ReadonlyMap<DomainName, Receiving>, changes: readonly ReceivingChange[]): void;
  domainsIn(state: DomainHealth): readonly DomainName[];
  status(): TrackedStatus;
}

export type TrackedStatus = Pick<
  AccountStatus,
  'name' | 'manifest' | 'read' | 'run' | 'fullReadAt' | 'domains'
>;

export interface FinishedRun {
  readonly run: string;
  readonly cause: Cause;
  /** The domains that the run covered. */
  readonly names: readonly DomainName[];
  readonly seconds: number;
  readonly result: RunResult;
  /** Times of full reads in epoch milliseconds, for domains that were not read at the end of the run. */
  readonly readAt: ReadonlyMap<DomainName, number>;
}

export interface TrackerOptions {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly emit: (event: DaemonEvent) => void;
  /** Returns a command of these words, quoted for a shell. */
  readonly command?: CommandLine | undefined;
}

const NOT_READ: AccountStatus['manifest'] = {
  state: 'not-read',
  inForce: false,
  message: null,
  problems: [],
};
const NOTHING: DomainStatus['pending'] = { add: 0, update: 0, move: 0, delete: 0 };
const UNKNOWN: DomainStatus = {
  state: 'unknown',
  pending: NOTHING,
  changes: [],
  reason: null,
  line: null,
  source: null,
  resolve: null,
  readAt: null,
  engine: null,
  receiving: null,
};
/** Maximum number of pending changes kept to show per account. The others are counted. */
const MOST_CHANGES = 2_000;

export function createStatusTracker({ name, now, emit, command }: TrackerOptions): StatusTracker {
  let status: Omit<TrackedStatus, 'domains'> = {
    name,
    manifest: NOT_READ,
    read: null,
    run: null,
    fullReadAt: null,
  };
  let domains: ReadonlyMap<DomainName, DomainStatus> = new Map();
  return {
    manifestAccepted({ desired, size, problems }, changed) {
      domains = acceptedDomains(desired, domains, new Set(changed));
      status = { ...status, manifest: { state: 'accepted', inForce: true, message: null, problems } };
      const counts = { domains: size.domains.size, entries: size.entries };
      const { api, references } = desired;
      emit({ account: name, kind: 'manifest-accepted', api, ...counts, problems, references });
    },
    manifestRefused({ message, problems }) {
      const { inForce } = status.manifest;
      status = { ...status, manifest: { state: 'refused', inForce, message, problems } };
      const loaded = inForce ? 'last-good' : 'none';
      emit({ account: name, kind: 'manifest-refused', message, problems, inForce: loaded });
    },
    runFinished({ run, cause, names, seconds, result, readAt }) {
      const at = now();
      const states = domainStates(names, result, { readAt, now: at, before: domains, command });
      domains = new Map([...domains].map(([domain, before]) => [domain, states.get(domain) ?? before]));
      const last = { id: run, cause, at, seconds, outcome: runOutcome(result) };
      const fullReadAt = oldestRead(domains) ?? status.fullReadAt;
      status = { ...status, read: readStatus(result, at, status.read), run: last, fullReadAt };
      emit({ account: name, kind: 'run-finished', run, cause, seconds, result });
      if (result.kind === 'failed') return 'all';
      if (result.report !== null && result.report.stopped !== null) return names;
      return names.filter((domain) => states.get(domain)?.state === 'failing');
    },
    receivingRead(values, changes) {
      domains = withReceiving(domains, values);
      for (const { domain, receives } of changes) {
        const known = domains.get(domain);
        const kind = receives ? 'domain-receiving' : 'domain-not-receiving';
        if (known !== undefined) emit({ account: name, kind, domain, source: known.line });
      }
    },
    domainsIn: (state) => [...domains].filter(([, entry]) => entry.state === state).map(([domain]) => domain),
    status: () => ({ ...status, domains }),
  };
}

/** Returns the domains of a manifest. Nothing is known of those that changed, except if they receive mail. */
function acceptedDomains(
  desired: Desired,
  before: ReadonlyMap<DomainName, DomainStatus>,
  changed: ReadonlySet<DomainName>,
): ReadonlyMap<DomainName, DomainStatus> {
  return new Map(
    [...desired.domains].map(([domain, { source: line }]) => {
      const known = before.get(domain) ?? UNKNOWN;
      const { receiving } = known;
      return [domain, changed.has(domain) ? { ...UNKNOWN, receiving, line } : { ...known, line }];
    }),
  );
}

function withReceiving(
  domains: ReadonlyMap<DomainName, DomainStatus>,
  values: ReadonlyMap<DomainName, Receiving>,
): ReadonlyMap<DomainName, DomainStatus> {
  return new Map(
    [...domains].map(([domain, before]) => {
      return [domain, { ...before, receiving: values.get(domain) ?? before.receiving }];
    }),
  );
}

const UNREAD: ReadonlySet<FailedStep> = new Set(['read', 'key', 'unauthorised', 'account']);

/** Returns the status of reading. It stays as before if the run does not show whether the account can be read. */
function readStatus(result: RunResult, at: number, before: AccountStatus['read']): AccountStatus['read'] {
  if (result.kind === 'completed') return { at, ok: true, message: null, goodAt: at };
  if (!UNREAD.has(result.what)) return before;
  return { at, ok: false, message: result.message, goodAt: before?.goodAt ?? null };
}

/** Returns the oldest read; null if a domain was not read yet. */
function oldestRead(domains: ReadonlyMap<DomainName, DomainStatus>): number | null {
  let oldest = Infinity;
  for (const { readAt } of domains.values()) {
    if (readAt === null) return null;
    oldest = Math.min(oldest, readAt);
  }
  return domains.size === 0 ? null : oldest;
}

interface StatesContext extends Pick<TrackerOptions, 'command'> {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Times of reads in epoch milliseconds, for domains that were not read now. */
  readonly readAt: ReadonlyMap<DomainName, number>;
  readonly before: ReadonlyMap<DomainName, DomainStatus>;
}

/** Returns the status of each domain after a run. After a failed run, the known pending changes stay. */
function domainStates(
  names: readonly DomainName[],
  result: RunResult,
  { readAt, before, command, now }: StatesContext,
): ReadonlyMap<DomainName, DomainStatus> {
  if (result.kind === 'failed') {
    const { message: reason, what } = result;
    const failing = { state: 'failing', reason, source: null, resolve: RESOLVE[what] } as const;
    return new Map(names.map((name) => [name, { ...(before.get(name) ?? UNKNOWN), ...failing }]));
  }
  const open = Map.groupBy(splitChanges(result).open, ({ domain }) => domain);
  const findings = findingsOf(result, { command, now });
  const unproven = new Set(
    result.plan.withheld.filter(({ cause }) => cause === 'unproven').map(({ domain }) => domain),
  );
  const unnamedNow = unnamedAfter(result);
  let room = MOST_CHANGES - keptBesides(names, before);
  return new Map(
    names.map((name) => {
      const changes = open.get(name) ?? [];
      const known = before.get(name) ?? UNKNOWN;
      const { state, reason, source, resolve } = findings.get(name) ?? {
        ...FINE,
        state: changes.length === 0 ? ('in-sync' as const) : ('drifted' as const),
      };
      const kept = changes.slice(0, Math.max(0, room));
      room -= kept.length;
      const pending = countActions(changes);
      const read = unproven.has(name) ? known.readAt : (readAt.get(name) ?? now);
      const engine = result.engines?.get(name) ?? known.engine;
      const unnamed = unproven.has(name) ? known.unnamed : unnamedNow.get(name);
      const finding = { state, reason, source, resolve };
      return [name, { ...known, ...finding, pending, changes: kept, readAt: read, engine, unnamed }];
    }),
  );
}

/**
 * Returns what the account has and the manifest does not name. The order of rules is not known if a run changed it.
 */
function unnamedAfter({ unnamed, report }: CompletedRun): ReadonlyMap<string, UnnamedEntries> {
  if (unnamed === undefined || unnamed.size === 0) return new Map();
  const reordered = new Set(
    report?.applied.filter(({ kind }) => kind === 'rule').map(({ domain }) => domain),
  );
  return new Map(
    [...unnamed].map(([name, found]) => [name, reordered.has(name) ? { ...found, ruleOrder: null } : found]),
  );
}

const FINE = { reason: null, source: null, resolve: null };

/** Advice for a run that did not start. */
const RESOLVE: Readonly<Record<FailedStep, string>> = {
  key: 'check the variable or the file of the API key',
  unauthorised: 'check the API key: the service refused it',
  account: 'set FWDSYNC_DRIFT_URL or --drift-url to the base URL of v3 of the same service',
  read: 'check the key and the service; fwdsync retries by itself',
  lock: 'wait if another run holds the lock, else check the state directory; fwdsync retries',
  state: 'check the state directory: its owner, its permissions, and the free space',
  internal: 'this is a bug: report it with the lines of the log',
};

/** Counts the pending changes kept for other domains. */
function keptBesides(names: readonly DomainName[], known: ReadonlyMap<DomainName, DomainStatus>): number {
  const own = new Set(names);
  let kept = 0;
  for (const [domain, { changes }] of known) if (!own.has(domain)) kept += changes.length;
  return kept;
}

function countActions(changes: readonly Change[]): DomainStatus['pending'] {
  const counts = { ...NOTHING };
  for (const { action } of changes) counts[action] += 1;
  return counts;
}

/** Splits the changes of a plan into those that its report shows as applied and those still open. */
export function splitChanges({ plan, report }: Pick<CompletedRun, 'plan' | 'report'>): {
  readonly applied: readonly Change[];
  readonly open: readonly Change[];
} {
  const applied = new Set(report?.applied.map(keyOf));
  const isApplied = (change: Change): boolean => applied.has(keyOf(change));
  // A change that depends on how the service creates a new domain is decided when the domain was added: it becomes
  // another change, or none.
  const isDecided = ({ conditional, domain }: Change): boolean =>
    conditional && applied.has(keyOf({ action: 'add', kind: 'domain', domain, name: domain }));
  return {
    applied: plan.changes.filter(isApplied),
    open: plan.changes.filter((change) => !isApplied(change) && !isDecided(change)),
  };
}

function keyOf({
  action,
  kind,
  domain,
  name,
}: Pick<Change, 'action' | 'kind' | 'name'> & { readonly domain: string }): string {
  return `${domain}\n${kind}\n${name}\n${action}`;
}
