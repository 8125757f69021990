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
import { readRate, readSkew } from '../../core/rate-limit/headers.ts';
import type { Reply } from './dispatch.ts';

/** An answer or a failure, a wait that is too long for a run, or a stop before anything was sent. */
export type PacedReply = Reply | NotSent;

type NotSent =
  | { readonly kind: 'too-long'; readonly seconds: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'objected'; readonly message: string };

/** Why a request must not be sent now; null: it may. */
export type Objection = () => Promise<string | null>;

/**
 * What is sent for a change that somebody waits for goes before, and may use more than, the sweep over everything. Reads that
 * verify go after those that the next write waits for. In the background is what nothing waits for.
 */
export type Urgency = 'changed' | 'verification' | 'sweep' | 'background';

export interface PacedRequest {
  /** Its name, such as `GET /domains/:domain`: what has a budget. */
  readonly endpoint: string;
  readonly urgency: Urgency;
  /** The rest of what was begun: goes before what waits at the same endpoint with the same urgency. */
  readonly continues?: boolean | undefined;
  /** Asked when its turn has come, right before it is sent. */
  readonly objection?: Objection | undefined;
  readonly send: () => Promise<Reply>;
  /**
   * Gives what is sent in place of `send`: called when the budgets hold the request, right before each sending, and again if
   * it has to wait after that, for what must not be old when it is sent. null: nothing is sent, and the reply is `stopped`.
   */
  readonly prepare?: (() => Promise<(() => Promise<Reply>) | null>) | undefined;
  /** Called for every sending. */
  readonly onSent?: (sent: Sent) => void;
}

/** One sending, for logs and metrics. */
export interface Sent {
  /** null: there was no answer. */
  readonly status: number | null;
  /** Milliseconds from sending to the end of the answer, and from the request to the sending. */
  readonly durationMs: number;
  readonly waitedMs: number;
  /** Requests that the endpoint's window has left; null: not known. */
  readonly remaining: number | null;
}

export interface Pacer {
  /** Sends as soon as the budgets hold it; waits out every 429, which was not processed. */
  run(request: PacedRequest): Promise<PacedReply>;
  budgets(): ReadonlyMap<string, Budget>;
  /** For another pacer of the same account: with that of the whole account, if it has shown itself. */
  knownBudgets(): ReadonlyMap<string, Budget>;
  totals(): RequestTotals;
  /** Requests that were sent and have no answer yet. */
  inFlight(): number;
  /** What was asked for so far, sent or not. */
  demands(): Demands;
  /** Nothing is in flight, and nothing can be sent until then, monotonic milliseconds; null: something is, or may be sent. */
  waitsUntil(): number | null;
  /** Mean of what was answered, from sending to the end of the answer, milliseconds; null: nothing was. */
  latencyMs(): number | null;
  /** See `readSkew`; of the last answer. */
  skewMs(): number | null;
  /** Counts a request that is sent once more after a failure. */
  countRetry(): void;
}

const CONCURRENCY = 8;
/** A sweep leaves half of each window to whatever is urgent, the background three quarters. */
const SHARE: Readonly<Record<Urgency, number>> = {
  changed: 1,
  verification: 1,
  sweep: 0.5,
  background: 0.25,
};
const LONGEST_PAUSE_MS = 60_000;

/**
 * Requests of an endpoint wait in its queue; what waits for a window does so in one of few places. Urgent ones have a
 * queue of their own, so that a sweep whose share is used up is not in their way.
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
      // One at a time: what one has prepared is not old because another one took its place.
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
  /** `ends`: when each wait is over. */
  readonly sleeping: { readonly ends: Set<{ readonly at: number }>; since: number; totalMs: number };
  /** Resolved, and replaced, with every answer. */
  answered: PromiseWithResolvers<void>;
}

interface AskedRequest extends PacedRequest {
  readonly askedAt: number;
  /** It needs no place in the budgets any more. */
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
    // A service that says "at once" and refuses again is asked less and less often.
    const delay = refusals === 1 ? 0 : Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** (refusals - 1));
    const wait = Math.max(delay, waitAfter429(readRate(reply.header, state.clock.now())));
    const waited = now - refusedAt + wait;
    if (waited > LONGEST_WAIT_MS) return tooLong(waited);
    if (delay > 0) await sleep(state, delay);
  }
}

/** A place in the budgets, and what is sent with it. */
interface Room {
  readonly kind: 'room';
  readonly sentAt: number;
  readonly send: () => Promise<Reply>;
}

/** Waits until the budgets hold one more request, and takes its place in them in the same turn. */
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

/** Waits until a moment, or for the next answer; not where that is longer than a run may last. */
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

/** No run waits so long. */
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

/** What the headers of an answer say, of the budget and of the clock. */
function rateOf(state: PacerState, reply: Reply): Rate | null {
  if (reply.kind !== 'answer') return null;
  const wallClock = state.clock.now();
  state.skewMs = readSkew(reply.header, wallClock);
  return readRate(reply.header, wallClock);
}

/** Gives back its place in the budget, and wakes those who wait for an answer. */
function recordEnd(state: PacerState, endpoint: string, ended: EndedRequest): void {
  state.book.ended(endpoint, ended, state.clock.monotonic());
  state.answered.resolve();
  state.answered = Promise.withResolvers();
}

/** Waits that overlap count once. */
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
