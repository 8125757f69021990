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
import { createApiRouter } from './http/routes.ts';
import type { Seed } from './account/seed.ts';
import { createStore, type EmulatorStore } from './account/store.ts';
import type { Switches } from './account/switches.ts';
import { V3_ROUTES } from './v3/routes.ts';
import { V4_ROUTES } from './v4/routes.ts';

export interface EmulatorOptions {
  readonly apiKey: string;
  readonly plan: Tier;
  /** Requests per window and endpoint, or the rules themselves; default 30 (free) or 200 (paid). */
  readonly rateLimit?: number | readonly RateLimitRule[] | undefined;
  /** Length of the window of rules that state none; default 60. */
  readonly windowSeconds?: number | undefined;
  /** Overrides of the plan's limits, such as `{ aliases_limit: 3 }`. */
  readonly limits?: Partial<AccountPlan> | undefined;
  readonly state?: Seed | undefined;
  /** Further accounts, each under its own key with its own limits, journal, faults and clock. */
  readonly accounts?: readonly SeededAccount[] | undefined;
  readonly faults?: readonly Fault[] | undefined;
  readonly switches?: Partial<Switches> | undefined;
  /** Whether `/_emulator` serves the control interface; default false. */
  readonly control?: boolean | undefined;
  /** How many requests the journal keeps; default 1000, and 20 of each further account. */
  readonly journalSize?: number | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Ends early, and does not reject, when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** UUIDs. */
  readonly randomId: () => string;
}

export interface SeededAccount {
  /** What its clients must send; unique in the emulator. */
  readonly key: string;
  readonly state?: Seed | undefined;
}

/** A whole emulator without a socket: `dispatch` serves requests of all accounts in-process; the rest is the first's. */
export interface EmulatorCore extends AccountCore {
  /** All accounts by key, the first included. */
  readonly accounts: ReadonlyMap<string, AccountCore>;
}

/** One account, with all that its requests meet. */
export interface AccountCore {
  readonly store: EmulatorStore;
  readonly faults: FaultScript;
  readonly journal: Journal;
  readonly limiter: RateLimiter;
  readonly clock: EmulatorClock;
  readonly dispatch: Dispatch;
  /** The answer to what is no request. */
  readonly refuse: ReturnType<typeof createRefusal>;
  /** A mail that arrives: it is routed, and leaves its log. */
  deliver(message: Message): Checked<DeliveredMessage>;
  /** Calls `listener` before and after each request, and waits for it; the result removes it. */
  onRequest(listener: RequestListener): () => void;
  /** Calls `listener` after each request, mail and use of the control interface that may have changed the account. */
  onChange(listener: () => void): () => void;
  /** Says that the account changed in another way. */
  changed(): void;
  /** More of the control interface. */
  readonly controlExtensions: ControlExtension[];
}

/** The time that the emulator sees, in epoch milliseconds: windows of limits, timestamps, retention of logs. */
export interface EmulatorClock {
  readonly now: () => number;
  advance(milliseconds: number): void;
  /** Calls `listener` after each advance. */
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
  // A key that no account has meets the first one, which refuses it.
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

/** Everything but GET, and the check of v3, which notes what it found. */
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
