import PQueue from 'p-queue';
import {
  LONGEST_WAIT_MS,
  waitAfter429,
  type Budget,
  type EndedRequest,
  type Rate,
} from '../../core/rate-limit/budget.ts';
import type { Clock } from '../../core/model/clock.ts';
import type { RequestTotals } from '../../core/model/report.ts';
import { createDemandCounter, type DemandCounter, type Demands } from '../../core/rate-limit/demand.ts';
import { createBudgetBook, type BudgetBook } from '../../core/rate-limit/book.ts';
import { CONCURRENCY } from '../../core/rate-limit/estimate.ts';
import { readRate, readSkew } from '../../core/rate-limit/headers.ts';
import type { Reply } from './dispatch.ts';

/** An answer or a failure, or the reason why nothing was sent: too long a wait for a run, a stop, or an objection. */
export type PacedReply = Reply | NotSent;

type NotSent =
  | { readonly kind: 'too-long'; readonly seconds: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'objected'; readonly message: string };

/** Returns why a request must not be sent now, or null if it may. */
export type Objection = () => Promise<string | null>;

/**
 * Urgency of a request. `changed`, for a change that a user waits for, precedes the sweep over all domains and may use more
 * of the budget. `verification` reads come after reads that the next write waits for. Nothing waits for `background`
 * requests.
 */
export type Urgency = 'changed' | 'verification' | 'sweep' | 'background';

export interface PacedRequest {
  /** Name of the budget, such as `GET /domains/:domain`. */
  readonly endpoint: string;
  readonly urgency: Urgency;
  /** True for the next page of a listing that has begun. It precedes other requests of the same urgency at this endpoint. */
  readonly continues?: boolean | undefined;
  /** Asked right before the request is sent. */
  readonly objection?: Objection | undefined;
  readonly send: () => Promise<Reply>;
  /**
   * Returns the function to use in place of `send`, with data that must be up to date. It is called when the budgets allow
   * the request, right before each sending, and again if the request has to wait after that. If it returns null, nothing is
   * sent and the reply is `stopped`.
   */
  readonly prepare?: (() => Promise<(() => Promise<Reply>) | null>) | undefined;
  /** Called for every sending. */
  readonly onSent?: (sent: Sent) => void;
}

/** One sending, for logs and metrics. */
export interface Sent {
  /** HTTP status. null means that there was no answer. */
  readonly status: number | null;
  /** Milliseconds from sending to the end of the answer, and from asking to sending. */
  readonly durationMs: number;
  readonly waitedMs: number;
  /** Requests left in the endpoint's window. null means unknown. */
  readonly remaining: number | null;
}

export interface Pacer {
  /** Sends a request as soon as the budgets allow it. It waits out every 429, which the service did not process. */
  run(request: PacedRequest): Promise<PacedReply>;
  budgets(): ReadonlyMap<string, Budget>;
  /** Returns the budgets for another pacer of the account, including the whole account's if it is known. */
  knownBudgets(): ReadonlyMap<string, Budget>;
  totals(): RequestTotals;
  /** Returns the number of requests in flight. */
  inFlight(): number;
  /** Returns the requests asked for so far, sent or not. */
  demands(): Demands;
  /**
   * Returns the time, in monotonic milliseconds, until which nothing can be sent. null means that a request is in flight or
   * may be sent.
   */
  waitsUntil(): number | null;
  /** Returns the mean milliseconds from sending to the end of an answer. null means that there was no answer yet. */
  latencyMs(): number | null;
  /** Returns the clock skew of the last answer; see `readSkew`. */
  skewMs(): number | null;
  /** Counts a request that is retried after a failure. */
  countRetry(): void;
}

/** Share of each window to use. A sweep leaves half of it to urgent requests; the background leaves three quarters. */
const SHARE: Readonly<Record<Urgency, number>> = {
  changed: 1,
  verification: 1,
  sweep: 0.5,
  background: 0.25,
};
const LONGEST_PAUSE_MS = 60_000;

/**
 * Creates a pacer. The requests of an endpoint wait in its queue, and few of them at a time wait for a window. Urgent
 * requests have their own queue, so that a sweep whose share is used up does not block them.
 */
export function createPacer(
  clock: Clock,
  signal: AbortSignal | undefined,
  budgets?: ReadonlyMap<string, Budget>,
): Pacer {
  const queues = new Map<string, PQueue>();
  const state: PacerState = {
    clock,
    signal,
    book: createBudgetBook(budgets),
    skewMs: null,
    counts: { total: 0, retried: 0, rateLimited: 0 },
    inFlight: 0,
    demand: createDemandCounter(),
    answers: { count: 0, totalMs: 0 },
    sleeping: { ends: new Set(), since: 0, totalMs: 0 },
    answered: Promise.withResolvers(),
  };
  return {
    run(request) {
      const askedAt = clock.monotonic();
      const lane = `${SHARE[request.urgency]} ${request.endpoint}`;
      // Only one at a time, so that what one request has prepared does not get old because another takes its place.
      const concurrency = request.prepare === undefined ? CONCURRENCY : 1;
      const queue = queues.get(lane) ?? new PQueue({ concurrency });
      queues.set(lane, queue);
      const priority = (request.urgency === 'verification' ? 0 : 2) + (request.continues === true ? 1 : 0);
      const ended = state.demand.ask(request.endpoint, request.continues === true);
      const sent = queue.add(() => runPaced(state, { ...request, askedAt, ended }), { priority });
      return sent.finally(() => {
        ended();
        // Clients of thousands of accounts have nothing to send most of the time.
        if (queue.size + queue.pending === 0) queues.delete(lane);
      });
    },
    budgets: () => new Map(state.book.budgets()),
    knownBudgets: () => state.book.known(),
    totals: () => ({ ...state.counts, waitedSeconds: Math.round(state.sleeping.totalMs / 100) / 10 }),
    inFlight: () => state.inFlight,
    demands: () => state.demand.demands(),
    waitsUntil: () => waitsUntil(state),
    latencyMs: () => (state.answers.count === 0 ? null : state.answers.totalMs / state.answers.count),
    skewMs: () => state.skewMs,
    countRetry: () => {
      state.counts.retried += 1;
    },
  };
}

interface PacerState {
  skewMs: number | null;
  inFlight: number;
  readonly demand: DemandCounter;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly book: BudgetBook;
  readonly counts: { total: number; retried: number; rateLimited: number };
  readonly answers: { count: number; totalMs: number };
  /** `ends` has the end of each wait. */
  readonly sleeping: { readonly ends: Set<{ readonly at: number }>; since: number; totalMs: number };
  /** Resolved and replaced with every answer. */
  answered: PromiseWithResolvers<void>;
}

interface AskedRequest extends PacedRequest {
  readonly askedAt: number;
  /** Marks the request as needing no more place in the budgets. */
  readonly ended: () => void;
}

async function runPaced(state: PacerState, request: AskedRequest): Promise<PacedReply> {
  let refusedAt: number | null = null;
  for (let refusals = 1; ; refusals += 1) {
    const room = await waitForRoom(state, request);
    if (room.kind !== 'room') return room;
    const reply = await sendOnce(state, request, room);
    if (reply.kind !== 'answer' || reply.status !== 429) return reply;
    const now = state.clock.monotonic();
    refusedAt ??= now;
    // If a service says "at once" and refuses again, the pauses get longer.
    const delay = refusals === 1 ? 0 : Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** (refusals - 1));
    const wait = Math.max(delay, waitAfter429(readRate(reply.header, state.clock.now())));
    const waited = now - refusedAt + wait;
    if (waited > LONGEST_WAIT_MS) return tooLong(waited);
    if (delay > 0) await sleep(state, delay);
  }
}

/** A place in the budgets, and the function that sends the request. */
interface Room {
  readonly kind: 'room';
  readonly sentAt: number;
  readonly send: () => Promise<Reply>;
}

/** Waits until the budgets allow one more request, and takes its place in them without a pause in between. */
async function waitForRoom(state: PacerState, request: PacedRequest): Promise<Room | NotSent> {
  const { endpoint, urgency, prepare = () => request.send } = request;
  const { book, clock, signal } = state;
  let send: Room['send'] | null = null;
  for (;;) {
    if (signal?.aborted === true) return { kind: 'stopped' };
    const now = clock.monotonic();
    const next = book.nextMoment(endpoint, now, SHARE[urgency]);
    if (next === 'after-answer' || next > now) {
      send = null;
      const refused = await waitUntil(state, next, now);
      if (refused !== null) return refused;
    } else if (send !== null) {
      book.sent(endpoint, now);
      return { kind: 'room', sentAt: now, send };
    } else {
      send = await prepare();
      if (send === null) return { kind: 'stopped' };
    }
  }
}

/** Waits until a time or for the next answer. Returns an error instead if the wait is longer than a run may last. */
async function waitUntil(
  state: PacerState,
  moment: number | 'after-answer',
  now: number,
): Promise<NotSent | null> {
  if (moment === 'after-answer') await state.answered.promise;
  else if (moment - now > LONGEST_WAIT_MS) return tooLong(moment - now);
  else await sleep(state, moment - now);
  return null;
}

/** Returns the error for a wait that is too long for any run. */
function tooLong(milliseconds: number): NotSent {
  return { kind: 'too-long', seconds: Math.ceil(milliseconds / 1000) };
}

async function sendOnce(
  state: PacerState,
  { endpoint, objection, onSent, askedAt, ended }: AskedRequest,
  { sentAt, send }: Room,
): Promise<PacedReply> {
  const { clock, book, counts } = state;
  const message = (await objection?.()) ?? null;
  if (message !== null) {
    recordEnd(state, endpoint, { status: null, rate: null, sentAt });
    return { kind: 'objected', message };
  }
  counts.total += 1;
  state.inFlight += 1;
  const reply = await send();
  state.inFlight -= 1;
  const durationMs = clock.monotonic() - sentAt;
  const status = reply.kind === 'answer' ? reply.status : null;
  countAnswer(state, status, durationMs);
  recordEnd(state, endpoint, { status, rate: rateOf(state, reply), sentAt });
  if (status !== 429) ended();
  const remaining = book.budgets().get(endpoint)?.remaining ?? null;
  onSent?.({ status, durationMs, waitedMs: sentAt - askedAt, remaining });
  return reply;
}

function countAnswer({ counts, answers }: PacerState, status: number | null, durationMs: number): void {
  if (status === null) return;
  if (status === 429) counts.rateLimited += 1;
  answers.count += 1;
  answers.totalMs += durationMs;
}

/** Reads the budget and the clock skew from the headers of an answer. */
function rateOf(state: PacerState, reply: Reply): Rate | null {
  if (reply.kind !== 'answer') return null;
  const wallClock = state.clock.now();
  state.skewMs = readSkew(reply.header, wallClock);
  return readRate(reply.header, wallClock);
}

/** Frees the request's place in the budget, and wakes requests that wait for an answer. */
function recordEnd(state: PacerState, endpoint: string, ended: EndedRequest): void {
  state.book.ended(endpoint, ended, state.clock.monotonic());
  state.answered.resolve();
  state.answered = Promise.withResolvers();
}

/** Sleeps and adds to the total time waited. Overlapping waits count once. */
async function sleep({ sleeping, clock, signal }: PacerState, milliseconds: number): Promise<void> {
  const now = clock.monotonic();
  if (sleeping.ends.size === 0) sleeping.since = now;
  const end = { at: now + milliseconds };
  sleeping.ends.add(end);
  await clock.sleep(Math.ceil(milliseconds), signal);
  sleeping.ends.delete(end);
  if (sleeping.ends.size === 0) sleeping.totalMs += clock.monotonic() - sleeping.since;
}

function waitsUntil({ inFlight, sleeping }: PacerState): number | null {
  if (inFlight > 0 || sleeping.ends.size === 0) return null;
  return Math.min(...[...sleeping.ends].map(({ at }) => at));
}
