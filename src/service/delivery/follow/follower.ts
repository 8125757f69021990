import { errorText, type ApiError } from '../../../client/errors.ts';
import type { Clock } from '../../../core/model/clock.ts';
import type { DeliveryStatus, DeliveryTrouble, FollowedStatus } from '../../../core/model/status/daemon.ts';
import type { Desired, DesiredDomain, PresentDomain } from '../../../core/model/desired.ts';
import type { DomainName } from '../../../core/model/names.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import { followDomain } from './follow-domain.ts';
import { readMessagesNow, type FollowedAccount } from './followed-account.ts';
import { deliveryStatus, followedOf, shownTrouble } from './followed-status.ts';
import { decodeMemory, startMemory, encodeMemory, type FollowMemory, type Trouble } from './follow-memory.ts';
import { endpointName } from '../../../core/kinds/endpoints.ts';

export interface FollowerPorts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Returns the loaded manifest; null if none is loaded yet. */
  readonly desired: () => Desired | null;
  /** Opens the account for a manifest. Returns the same object as long as nothing changed. */
  readonly open: (desired: Desired) => Promise<Result<FollowedAccount, string>>;
  /** Called when a trouble begins, and when it has recovered. Each is reported once. */
  readonly onTrouble: (what: 'failing' | 'recovered', trouble: DeliveryTrouble) => void;
}

/** Follows the email logs of one account as long as `run` runs. */
export interface Follower {
  run(): Promise<void>;
  status(): DeliveryStatus;
}

/** Minimum time between two reads of a domain. */
const ROUND_MS = 60_000;
const MOST_OPEN = 10_000;
const FAILED_PAUSE_MS = 1_000;
/** Period before the start that is read if there is no memory. */
const BACKLOG_MS = 86_400_000;
/** Time between two reads of the account's domains and their routing engines. */
const DOMAINS_MS = 3_600_000;
/** A quarter of the lowest documented limit, for answers that do not state a limit (v4: Limits). */
const UNKNOWN_LIMIT_PAUSE_MS = 60_000 / 7;

export function createFollower(ports: FollowerPorts): Follower {
  const { clock, signal } = ports;
  const state: FollowerState = {
    ports,
    followed: new Map(),
    queue: null,
    account: null,
    live: null,
    fault: null,
  };
  return {
    async run() {
      while (!signal.aborted) {
        const pause = await followSafely(state);
        if (pause > 0) await clock.sleep(pause, signal);
      }
    },
    status: () => deliveryStatus(state, clock.now()),
  };
}

interface FollowerState {
  readonly ports: FollowerPorts;
  readonly followed: Map<DomainName, FollowedStatus>;
  queue: Queue | null;
  account: FollowedAccount | null;
  live: { readonly domains: ReadonlyMap<DomainName, KnownEngine>; readonly at: number } | null;
  /** Why nothing can be read. */
  fault: string | null;
}

/** Reads the next domain. A bug with one log must not end the daemon, so `/status` shows it. */
async function followSafely(state: FollowerState): Promise<number> {
  try {
    return await followNext(state);
  } catch (error) {
    state.fault = error instanceof Error ? error.message : String(error);
    return ROUND_MS;
  }
}

/** Reads the domain that is due. Returns the milliseconds until there is more to do. */
async function followNext(state: FollowerState): Promise<number> {
  const { clock, desired: current } = state.ports;
  const desired = current();
  if (desired === null) return 1_000;
  const opened = await openAccount(state, desired);
  state.fault = opened.ok ? null : opened.error;
  if (!opened.ok) return ROUND_MS;
  const { due } = queueOf(state, desired);
  const [first] = due;
  if (first === undefined) return ROUND_MS;
  const [name, dueAt] = first;
  const now = clock.monotonic();
  if (dueAt > now) return Math.min(ROUND_MS, dueAt - now);
  // Moved to the end of the queue, because all domains are due the same time after they were read.
  due.delete(name);
  due.set(name, now + ROUND_MS);
  const domain = desired.domains.get(name);
  return domain?.state === 'present' ? followOne(state, opened.value, domain) : 0;
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
  const domains = new Map(listed.value.map((one) => [one.domain, knownEngine(one)]));
  state.live = { domains, at: clock.monotonic() };
  return opened;
}

/** The kept data of a domain in the account. Equal domains share one object. */
type KnownEngine = Pick<ObservedDomain, 'routingEngine'>;

const ENGINES: ReadonlyMap<unknown, KnownEngine> = new Map(
  (['alias', 'rules', null] as const).map((routingEngine) => [routingEngine, { routingEngine }]),
);

function knownEngine({ routingEngine }: KnownEngine): KnownEngine {
  return ENGINES.get(routingEngine) ?? {};
}

/** Domains in the order in which they are due. The queue is rebuilt only if the manifest or the account changed. */
interface Queue {
  readonly desired: Desired;
  readonly live: FollowerState['live'];
  /** Time of the next read of each domain, in monotonic milliseconds. */
  readonly due: Map<DomainName, number>;
}

function queueOf(state: FollowerState, desired: Desired): Queue {
  const { queue, live, followed } = state;
  if (queue?.desired === desired && queue.live === live) return queue;
  const names = [...desired.domains.keys()].filter((name) => isFollowed(desired.domains.get(name), live));
  const before = queue?.due ?? new Map<DomainName, number>();
  const due = new Map(names.filter((name) => !before.has(name)).map((name) => [name, 0]));
  const wanted = new Set(names);
  for (const [name, at] of before) if (wanted.has(name)) due.set(name, at);
  for (const name of followed.keys()) if (!wanted.has(name)) followed.delete(name);
  return (state.queue = { desired, live, due });
}

/** True if a domain is in the account and its reports are not switched off. */
function isFollowed(domain: DesiredDomain | undefined, live: FollowerState['live']): boolean {
  if (domain?.state !== 'present' || domain.delivery === null) return false;
  return live?.domains.has(domain.domain) === true;
}

/** Reads one domain. Returns the milliseconds to wait before the next domain. */
async function followOne(
  state: FollowerState,
  account: FollowedAccount,
  wanted: PresentDomain,
): Promise<number> {
  const { clock } = state.ports;
  const { domain } = wanted;
  const before = state.followed.get(domain);
  const { memory, text } = await remembered(account, domain, clock.now() - BACKLOG_MS);
  const kept: Kept = { domain, gap: before?.gap ?? null, text: text ?? encodeMemory(domain, memory) };
  const read = await followDomain(
    {
      ...account,
      domain,
      threshold: wanted.delivery ?? { after: Infinity, withinMs: 0 },
      print: account.client.hmac,
      readMessages: (entries) => readMessagesNow(wanted, state.live?.domains.get(domain), account, entries),
      now: () => clock.now(),
      room: () => MOST_OPEN - openIn(state) - (state.followed.has(domain) ? 0 : memory.open.length),
      mayAsk: () => mayAsk(state, account),
      keep: (next) => keep(state, account, kept, next),
    },
    memory,
  );
  if (!read.ok) {
    const known = state.followed.get(domain) ?? followedOf(domain, memory, null, null);
    state.followed.set(domain, { ...known, failure: faultText(read.error) });
    return FAILED_PAUSE_MS;
  }
  await report(state, account, domain, read.value);
  const gap = read.value.gap ?? before?.gap ?? null;
  state.followed.set(domain, followedOf(domain, read.value.memory, clock.now(), gap));
  return 0;
}

/** Returns the memory of a domain. `text` is its stored form, or null if there is none. */
async function remembered(
  { memories }: FollowedAccount,
  domain: DomainName,
  start: number,
): Promise<{ readonly memory: FollowMemory; readonly text: string | null }> {
  const text = await memories.read(domain);
  return { memory: (text === null ? null : decodeMemory(domain, text)) ?? startMemory(start), text };
}

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

interface Kept {
  readonly domain: DomainName;
  readonly gap: string | null;
  /** The text that was stored last. */
  text: string;
}

/** Saves the memory, unless it is unchanged, and then shows its counts in the status. */
async function keep(
  state: FollowerState,
  { memories }: FollowedAccount,
  kept: Kept,
  memory: FollowMemory,
): Promise<Result<void, string>> {
  const { domain, gap } = kept;
  const text = encodeMemory(domain, memory);
  const written = text === kept.text ? succeed(undefined) : await memories.write(domain, text);
  if (!written.ok) return fail(written.error.message);
  kept.text = text;
  const { readAt = null } = state.followed.get(domain) ?? {};
  state.followed.set(domain, followedOf(domain, memory, readAt, gap));
  return succeed(undefined);
}

/** Reports first, then saves that it reported. If the process is killed in between, it reports twice instead of never. */
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

function faultText(error: ApiError | string): string {
  return typeof error === 'string' ? error : errorText(error);
}
