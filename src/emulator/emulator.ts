import { sentKeys } from './http/auth.ts';
import { withControl, type Controlled, type ControlExtension } from './control/control.ts';
import { deliverMessage, type DeliveredMessage, type Message } from './delivery/delivery.ts';
import {
  createDispatch,
  createRefusal,
  type Dispatch,
  type ServedRequest,
  type RequestListener,
} from './http/dispatch.ts';
import { createFaults, type Fault, type FaultScript } from './faults/faults.ts';
import { createJournal, type Journal } from './http/journal.ts';
import type { Checked } from './account/checked.ts';
import type { AccountPlan, Tier } from './account/model.ts';
import {
  createRateLimiter,
  DEFAULT_LIMITS,
  DEFAULT_WINDOW_SECONDS,
  type RateLimiter,
  type RateLimitRule,
} from './http/rate-limit.ts';
import { createApiRouter } from './http/route-list.ts';
import type { Seed } from './account/seed.ts';
import { createStore, type EmulatorStore } from './account/store.ts';
import type { Switches } from './account/switches.ts';
import { V3_ROUTES } from './v3/v3-routes.ts';
import { V4_ROUTES } from './v4/v4-routes.ts';

export interface EmulatorOptions {
  readonly apiKey: string;
  readonly plan: Tier;
  /** Requests per window and endpoint, or complete rules. The default is 30 (free) or 200 (paid). */
  readonly rateLimit?: number | readonly RateLimitRule[] | undefined;
  /** Window in seconds for rules without one. The default is 60. */
  readonly windowSeconds?: number | undefined;
  /** Plan limits in place of the plan's own, such as `{ aliases_limit: 3 }`. */
  readonly limits?: Partial<AccountPlan> | undefined;
  readonly state?: Seed | undefined;
  /** More accounts. Each has its own key, limits, journal, faults and clock. */
  readonly accounts?: readonly SeededAccount[] | undefined;
  readonly faults?: readonly Fault[] | undefined;
  readonly switches?: Partial<Switches> | undefined;
  /** True to serve the control interface under `/_emulator`. The default is false. */
  readonly control?: boolean | undefined;
  /** Number of requests that the journal keeps. The default is 1000, and 20 for each further account. */
  readonly journalSize?: number | undefined;
  /** Returns the time in epoch milliseconds. */
  readonly now: () => number;
  /** Waits. Resolves early, and does not reject, when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a UUID. */
  readonly randomId: () => string;
}

export interface SeededAccount {
  /** Key that the account's clients must send; unique in the emulator. */
  readonly key: string;
  readonly state?: Seed | undefined;
}

/**
 * The emulator without a socket. `dispatch` serves requests of all accounts in-process; the other members belong to the
 * first account.
 */
export interface EmulatorCore extends AccountCore {
  /** All accounts by key, including the first. */
  readonly accounts: ReadonlyMap<string, AccountCore>;
}

/** One account, with its journal, faults, limits and clock. */
export interface AccountCore {
  readonly store: EmulatorStore;
  readonly faults: FaultScript;
  readonly journal: Journal;
  readonly limiter: RateLimiter;
  readonly clock: EmulatorClock;
  readonly dispatch: Dispatch;
  /** Answers input that is not an HTTP request. */
  readonly refuse: ReturnType<typeof createRefusal>;
  /** Routes an incoming mail and logs it. */
  deliver(message: Message): Checked<DeliveredMessage>;
  /** Calls `listener` before and after each request and waits for it. Returns a function that removes it. */
  onRequest(listener: RequestListener): () => void;
  /** Calls `listener` after each request, mail or use of the control interface that may have changed the account. */
  onChange(listener: () => void): () => void;
  /** Reports that the account changed in another way. */
  changed(): void;
  /** Extensions of the control interface. */
  readonly controlExtensions: ControlExtension[];
}

/** The emulator's clock. Rate-limit windows, timestamps and log retention use it, in epoch milliseconds. */
export interface EmulatorClock {
  readonly now: () => number;
  advance(milliseconds: number): void;
  /** Calls `listener` each time the clock is advanced. */
  onAdvance(listener: () => void): void;
}

const ROUTER = createApiRouter([...V4_ROUTES, ...V3_ROUTES]);

export function createEmulator(options: EmulatorOptions): EmulatorCore {
  const first = createAccount(options);
  const others = (options.accounts ?? []).map(({ key, state }) => {
    const own = { apiKey: key, state, faults: [], journalSize: options.journalSize ?? 20 };
    return [key, createAccount({ ...options, ...own })] as const;
  });
  const accounts = new Map([[options.apiKey, first], ...others]);
  // A request with an unknown key goes to the first account, which refuses it.
  const dispatch: Dispatch = (request) => {
    const key = sentKeys(request.headers['authorization']).find((sent) => accounts.has(sent));
    return (accounts.get(key ?? options.apiKey) ?? first).dispatch(request);
  };
  const find = (email: string | null): Controlled | null => {
    if (email === null) return first;
    const wanted = email.toLowerCase();
    const isWanted = ({ store }: AccountCore): boolean => store.state.account.email.toLowerCase() === wanted;
    return [...accounts.values()].find(isWanted) ?? null;
  };
  return { ...first, accounts, dispatch: options.control === true ? withControl(dispatch, find) : dispatch };
}

function createAccount(options: EmulatorOptions): AccountCore & Controlled {
  const clock = createClock(options.now);
  const store = createStore({
    tier: options.plan,
    switches: options.switches,
    environment: { now: clock.now, randomId: options.randomId },
    seed: options.state,
    limits: options.limits,
  });
  const faults = createFaults(options.faults ?? []);
  const journal = createJournal(options.journalSize ?? 1000);
  const limiter = createRateLimiter(rateLimitRules(options, store.state.tier));
  const listeners = new Set<RequestListener>();
  const changes = new Set<() => void>();
  const changed = (): void => {
    for (const listener of changes) listener();
  };
  listeners.add((event) => {
    if (mayChange(event)) changed();
  });
  const parts = { store, faults, journal, limiter };
  const controlExtensions: ControlExtension[] = [];
  const { apiKey, sleep } = options;
  return {
    ...parts,
    clock,
    changed,
    dispatch: createDispatch({ ...parts, router: ROUTER, apiKey, listeners, sleep }),
    refuse: createRefusal(parts),
    deliver(message) {
      const delivered = deliverMessage(store.state, message);
      changed();
      return delivered;
    },
    onRequest: (listener) => addTo(listeners, listener),
    onChange: (listener) => addTo(changes, listener),
    controlExtensions,
  };
}

/** True for any method but GET, and for the check of v3, which saves what it found. */
function mayChange({ phase, method, endpoint }: ServedRequest): boolean {
  return phase === 'after' && (method !== 'GET' || endpoint === '/domains/:domain/check');
}

function addTo<T>(set: Set<T>, item: T): () => void {
  set.add(item);
  return () => {
    set.delete(item);
  };
}

function createClock(real: () => number): EmulatorClock {
  let skipped = 0;
  const listeners: (() => void)[] = [];
  return {
    now: () => real() + skipped,
    advance(milliseconds) {
      skipped += milliseconds;
      for (const listener of listeners) listener();
    },
    onAdvance: (listener) => void listeners.push(listener),
  };
}

function rateLimitRules(options: EmulatorOptions, tier: Tier): readonly RateLimitRule[] {
  const windowSeconds = options.windowSeconds ?? DEFAULT_WINDOW_SECONDS;
  const { rateLimit = DEFAULT_LIMITS[tier] } = options;
  const rules: readonly RateLimitRule[] =
    typeof rateLimit === 'number' ? [{ per: 'template', limit: rateLimit }] : rateLimit;
  return rules.map((rule) => ({ ...rule, windowSeconds: rule.windowSeconds ?? windowSeconds }));
}
