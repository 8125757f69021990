import type { Client } from '../../api/client.ts';
import { errorText, type ApiError } from '../../api/errors.ts';
import type { LogEntry, LogsClient } from '../../api/logs/logs.ts';
import type { Clock } from '../../model/clock.ts';
import type { DeliveryStatus, DeliveryTrouble, FollowedStatus } from '../../model/daemon.ts';
import type { Desired, PresentDomain } from '../../model/desired.ts';
import { endpointName } from '../../model/endpoints.ts';
import type { DomainName } from '../../model/names.ts';
import type { ObservedDomain } from '../../model/observed.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { DeliveryMemories, HistoryStore } from '../../state/store.ts';
import { createCounting } from '../counting.ts';
import { firstName } from '../known-names.ts';
import { createValuesOf, namesOfPast, readPast, type PastByDomain } from '../past.ts';
import type { SafeText } from '../safe-text.ts';
import { isForUnknownName, readMessage, type Counting } from '../tally.ts';
import { followDomain } from './follow-domain.ts';
import { decodeMemory, startMemory, encodeMemory, type FollowMemory, type Trouble } from './memory.ts';

export interface FollowerPorts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The manifest that is loaded; null: none is yet. */
  readonly desired: () => Desired | null;
  /** The account as it can be reached now; the same object as long as it is the same. */
  readonly open: (desired: Desired) => Promise<Result<FollowedAccount, string>>;
  /** It began, or it has recovered; what is told once is not told again. */
  readonly onTrouble: (what: 'failing' | 'recovered', trouble: DeliveryTrouble) => void;
}

export interface FollowedAccount {
  /** Its requests take a quarter of each window at most. */
  readonly client: LogsClient & Pick<Client, 'version' | 'listDomains' | 'budgets' | 'hmac'>;
  readonly memories: DeliveryMemories;
  readonly safe: SafeText;
  readonly history: Pick<HistoryStore, 'read'>;
  /** Of the manifest, by their values. */
  readonly references: Desired['references'];
  /** All that the history has; need not be of this moment. */
  readonly lostNames: () => Promise<PastByDomain>;
}

/** Follows the email logs of one account for as long as it runs. */
export interface Follower {
  run(): Promise<void>;
  status(): DeliveryStatus;
}

/** A domain is not read more often. */
const ROUND_MS = 60_000;
const MOST_OPEN = 10_000;
/** How far back it begins where nothing is remembered. */
const BACKLOG_MS = 86_400_000;
/** How often the account's domains, and which engine routes them, are read. */
const DOMAINS_MS = 3_600_000;
/** A quarter of the least that is documented, where answers do not tell the limit (v4: Limits). */
const UNKNOWN_LIMIT_PAUSE_MS = 60_000 / 7;
/** What was read longer ago is not known well enough. */
const STALE_MS = 3_600_000;

export function createFollower(ports: FollowerPorts): Follower {
  const { clock, signal } = ports;
  const state: FollowerState = { ports, followed: new Map(), account: null, live: null, fault: null };
  return {
    async run() {
      while (!signal.aborted) {
        const pause = await followSafely(state);
        if (pause > 0) await clock.sleep(pause, signal);
      }
    },
    status: () => statusOf(state),
  };
}

interface FollowerState {
  readonly ports: FollowerPorts;
  readonly followed: Map<DomainName, Followed>;
  account: FollowedAccount | null;
  live: { readonly domains: ReadonlyMap<DomainName, ObservedDomain>; readonly at: number } | null;
  /** Why nothing can be read. */
  fault: string | null;
}

interface Followed extends FollowedStatus {
  /** When it is read next, monotonic milliseconds. */
  nextAt: number;
  open: number;
}

/** A bug over one log must not end the daemon: `/status` shows it. */
async function followSafely(state: FollowerState): Promise<number> {
  try {
    return await followNext(state);
  } catch (error) {
    state.fault = error instanceof Error ? error.message : String(error);
    return ROUND_MS;
  }
}

/** Reads the domain that is due; answers how long there is nothing to do, milliseconds. */
async function followNext(state: FollowerState): Promise<number> {
  const { clock, desired: current } = state.ports;
  const desired = current();
  if (desired === null) return 1_000;
  const opened = await openAccount(state, desired);
  if (!opened.ok) {
    state.fault = opened.error;
    return ROUND_MS;
  }
  const now = clock.monotonic();
  const wanted = followable(desired, state);
  const next = nextDomain(state, wanted, now);
  if (next.kind === 'wait') return Math.min(ROUND_MS, next.milliseconds);
  state.fault = await followOne(state, opened.value, next.domain);
  return state.fault === null ? 0 : 1_000;
}

async function openAccount(state: FollowerState, desired: Desired): Promise<Result<FollowedAccount, string>> {
  const { open, clock } = state.ports;
  const opened = await open(desired);
  if (!opened.ok) return opened;
  if (opened.value.client !== state.account?.client) state.live = null;
  state.account = opened.value;
  if (state.live !== null && clock.monotonic() - state.live.at < DOMAINS_MS) return opened;
  const listed = await opened.value.client.listDomains();
  if (!listed.ok) return fail(errorText(listed.error));
  const domains = new Map(listed.value.map((one) => [one.domain, one]));
  state.live = { domains, at: clock.monotonic() };
  return opened;
}

/** Those that are in the account and report what fails. Others are forgotten. */
function followable(
  desired: Desired,
  { live, followed }: FollowerState,
): ReadonlyMap<DomainName, PresentDomain> {
  const wanted = new Map<DomainName, PresentDomain>();
  for (const [name, domain] of desired.domains) {
    if (domain.state === 'present' && domain.delivery !== null && live?.domains.has(name) === true)
      wanted.set(name, domain);
  }
  for (const name of followed.keys()) if (!wanted.has(name)) followed.delete(name);
  return wanted;
}

function nextDomain(
  { followed }: FollowerState,
  wanted: ReadonlyMap<DomainName, PresentDomain>,
  now: number,
):
  | { readonly kind: 'domain'; readonly domain: PresentDomain }
  | { readonly kind: 'wait'; readonly milliseconds: number } {
  let [first, at]: [PresentDomain | null, number] = [null, Infinity];
  for (const [name, domain] of wanted) {
    const nextAt = followed.get(name)?.nextAt ?? 0;
    if (nextAt < at) [first, at] = [domain, nextAt];
  }
  return first === null || at > now
    ? { kind: 'wait', milliseconds: at - now }
    : { kind: 'domain', domain: first };
}

/** Null: it was read; else why not. */
async function followOne(
  state: FollowerState,
  account: FollowedAccount,
  wanted: PresentDomain,
): Promise<string | null> {
  const { clock } = state.ports;
  const { domain } = wanted;
  const before = state.followed.get(domain);
  const start = clock.monotonic();
  const memory = await remembered(account, domain, clock.now() - BACKLOG_MS);
  const read = await followDomain(
    {
      ...account,
      domain,
      threshold: wanted.delivery ?? { after: Infinity, withinMs: 0 },
      print: account.client.hmac,
      countingOf: (entries) => countingOf(wanted, state, account, entries),
      now: () => clock.now(),
      room: () => MOST_OPEN - openIn(state),
      mayAsk: () => mayAsk(state, account),
      keep: (kept) => keep(state, account, { domain, memory: kept, gap: before?.gap ?? null }),
    },
    memory,
  );
  const nextAt = start + ROUND_MS;
  if (!read.ok) {
    state.followed.set(domain, {
      ...(state.followed.get(domain) ?? followedOf(domain, memory, null, null)),
      nextAt,
    });
    return faultText(read.error);
  }
  await report(state, account, domain, read.value);
  const followed = followedOf(domain, read.value.memory, clock.now(), read.value.gap ?? before?.gap ?? null);
  state.followed.set(domain, { ...followed, nextAt });
  return null;
}

async function remembered(
  { memories }: FollowedAccount,
  domain: DomainName,
  start: number,
): Promise<FollowMemory> {
  const text = await memories.read(domain);
  return (text === null ? null : decodeMemory(domain, text)) ?? startMemory(start);
}

/** Names that nobody wants any more are looked up only where mail to one was refused. */
async function countingOf(
  wanted: PresentDomain,
  { live }: FollowerState,
  { history, references, lostNames }: FollowedAccount,
  entries: readonly LogEntry[],
): Promise<Counting> {
  if (entries.length === 0) return NO_COUNTING;
  const { domain } = wanted;
  const since = Math.min(...entries.map(({ createdAt }) => createdAt ?? Infinity));
  const recent = Number.isFinite(since)
    ? await readPast(history, { since, domain })
    : new Map<DomainName, never[]>();
  const counting = createCounting({
    wanted,
    live: live?.domains.get(domain),
    changes: recent.get(domain) ?? [],
    valuesOf: createValuesOf(references),
  });
  const messages = entries.map((entry) => readMessage(entry, counting));
  if (!messages.some((message) => message !== null && isForUnknownName(message))) return counting;
  const changes = (await lostNames()).get(domain) ?? [];
  return { ...counting, findName: firstName(counting.findName, namesOfPast(changes, wanted)) };
}

const NO_COUNTING: Counting = { takerAt: () => () => null, findName: () => null };

function openIn({ followed }: FollowerState): number {
  let sum = 0;
  for (const { open } of followed.values()) sum += open;
  return sum;
}

async function mayAsk(
  { ports: { clock, signal } }: FollowerState,
  { client }: FollowedAccount,
): Promise<boolean> {
  const budget = client.budgets().get(endpointName(client.version, 'listLogs'));
  if (budget !== undefined && budget.limit === null) await clock.sleep(UNKNOWN_LIMIT_PAUSE_MS, signal);
  return !signal.aborted;
}

interface KeptMemory {
  readonly domain: DomainName;
  readonly memory: FollowMemory;
  readonly gap: string | null;
}

/** What is counted shows once it is kept. */
async function keep(
  state: FollowerState,
  { memories }: FollowedAccount,
  { domain, memory, gap }: KeptMemory,
): Promise<Result<void, string>> {
  const written = await memories.write(domain, encodeMemory(domain, memory));
  if (!written.ok) return fail(written.error.message);
  const { nextAt = 0, readAt = null } = state.followed.get(domain) ?? {};
  state.followed.set(domain, { ...followedOf(domain, memory, readAt, gap), nextAt });
  return succeed(undefined);
}

/** Tells first and keeps then that it did: whoever is killed in between tells twice rather than never. */
async function report(
  { ports }: FollowerState,
  { memories }: FollowedAccount,
  domain: DomainName,
  {
    failing,
    recovered,
    memory,
  }: {
    readonly failing: readonly Trouble[];
    readonly recovered: readonly Trouble[];
    readonly memory: FollowMemory;
  },
): Promise<void> {
  for (const trouble of failing) ports.onTrouble('failing', shownTrouble(domain, trouble));
  for (const trouble of recovered) ports.onTrouble('recovered', shownTrouble(domain, trouble));
  if (failing.length + recovered.length > 0) await memories.write(domain, encodeMemory(domain, memory));
}

function shownTrouble(
  domain: DomainName,
  { alias, rule, destination, source, count, lastError, failedAt }: Trouble,
): DeliveryTrouble {
  return {
    domain,
    alias,
    rule,
    destination,
    source,
    count,
    lastError,
    since: failedAt[0] ?? lastError.at ?? 0,
  };
}

function followedOf(
  domain: DomainName,
  { totals, open, troubles }: FollowMemory,
  readAt: number | null,
  gap: string | null,
): Omit<Followed, 'nextAt'> {
  const soft = open.filter(({ fate }) => fate === 'soft').length;
  return {
    counts: { ...totals, soft: totals.soft + soft },
    open: open.length,
    readAt,
    gap,
    troubles: troubles
      .filter(({ reported }) => reported === 'failing')
      .map((trouble) => shownTrouble(domain, trouble)),
  };
}

function faultText(error: ApiError | string): string {
  return typeof error === 'string' ? error : errorText(error);
}

function statusOf({ followed, fault, ports: { clock } }: FollowerState): DeliveryStatus {
  const now = clock.now();
  let stale = 0;
  const gaps = new Set<string>();
  for (const { readAt, gap } of followed.values()) {
    if (readAt === null || readAt < now - STALE_MS) stale += 1;
    if (gap !== null) gaps.add(gap);
  }
  const reasons = [
    ...(fault === null ? [] : [fault]),
    ...(stale === 0
      ? []
      : [`${stale} domains were not read for an hour: a quarter of the rate limit does not suffice`]),
    ...gaps,
  ];
  return { reasons, domains: followed };
}
