import type { Clock } from '../../model/clock.ts';
import { endpointText, type Endpoint } from '../../model/endpoints.ts';
import { fail, type Result } from '../../model/result.ts';
import type { ApiError } from '../errors.ts';
import { judge, type Decode } from './judge.ts';
import type { Objection, PacedRequest, Pacer, Sent, Urgency } from './pacing.ts';
import type { Reply } from './dispatch.ts';
import type { Transport, WireRequest } from './transport.ts';

/** One sending of a request, for logs and metrics; a request that is sent again makes several. */
export interface RequestEvent {
  /** Method and route template. */
  readonly endpoint: string;
  /** null: there was no answer. */
  readonly status: number | null;
  /** From sending to the end of the answer, and from the wish to send until then. */
  readonly durationMs: number;
  readonly waitedMs: number;
  /** Counts from 1. */
  readonly attempt: number;
  /** Requests that the endpoint's window has left; null: not known. */
  readonly remaining: number | null;
}

export interface CallPorts {
  readonly transport: Transport;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: RequestEvent) => void) | undefined;
}

/** How the requests of a client are sent. */
export interface Manner {
  readonly urgency: Urgency;
  /** To writes. */
  readonly objection?: Objection | undefined;
}

/**
 * Sends a request, again where that is certain to do no harm, and decodes its answer. A body that must not be old is made
 * by `bodyNow` right before each sending; null: it could not be made, and nothing is sent.
 */
export type Call = <T>(
  request: WireRequest,
  decode: Decode<T>,
  bodyNow?: () => Promise<object | null>,
) => Promise<Result<T, ApiError>>;

export function createCall(ports: CallPorts, { urgency, objection: toWrites }: Manner): Call {
  return async (request, decode, bodyNow) => {
    const endpoint = endpointText(request.endpoint);
    const prepared = ports.transport.prepare(request);
    if (!prepared.ok) return fail(notSent(endpoint, prepared.message));
    const objection = request.endpoint.method === 'GET' ? undefined : toWrites;
    const sender = senderOf(ports.transport, request, prepared.send, bodyNow);
    let sendings = 0;
    const onSent = (sent: Sent): void => {
      sendings += 1;
      ports.onEvent?.(eventOf(endpoint, sent, sendings));
    };
    for (let attempt = 1; ; attempt += 1) {
      const reply = await ports.pacer.run({ endpoint, urgency, objection, ...sender, onSent });
      const result = redacted(judge(request, reply, decode), ports.transport);
      if (result.ok || !isRepeatable(request.endpoint, result.error)) return result;
      if (ports.signal?.aborted === true || !(await mayRetry(ports, attempt))) return result;
    }
  };
}

/** How often one request goes out at most, the first time included. */
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 20_000;
const LEAST_RETRIES = 10;
const RETRY_SHARE = 0.1;

/**
 * Whether a request may go out once more after this attempt, which counts from 1: a tenth of all requests may be repetitions,
 * and at least ten. Counts it and waits out the pause before it, with full jitter: a service that comes back is not met by
 * everybody at once.
 */
export async function mayRetry(
  { pacer, clock, random, signal }: Pick<CallPorts, 'pacer' | 'clock' | 'random' | 'signal'>,
  attempt: number,
): Promise<boolean> {
  const { total, retried } = pacer.totals();
  if (attempt >= ATTEMPTS || retried >= Math.max(LEAST_RETRIES, total * RETRY_SHARE)) return false;
  pacer.countRetry();
  await clock.sleep(random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)), signal);
  return true;
}

/** Sends the body as it was made last. */
function senderOf(
  transport: Transport,
  request: WireRequest,
  send: () => Promise<Reply>,
  bodyNow: (() => Promise<object | null>) | undefined,
): Pick<PacedRequest, 'send' | 'prepare'> {
  if (bodyNow === undefined) return { send };
  let latest = send;
  return {
    send: () => latest(),
    async prepare() {
      const body = await bodyNow();
      const fresh = body === null ? null : transport.prepare({ ...request, body });
      if (fresh?.ok === true) latest = fresh.send;
      return fresh?.ok === true;
    },
  };
}

/** What cannot be used of an answer may be named in an error. */
function redacted<T>(result: Result<T, ApiError>, { redact }: Transport): Result<T, ApiError> {
  return result.ok ? result : fail({ ...result.error, message: redact(result.error.message) });
}

function eventOf(
  endpoint: string,
  { reply, durationMs, waitedMs, remaining }: Sent,
  attempt: number,
): RequestEvent {
  const status = reply.kind === 'answer' ? reply.status : null;
  return { endpoint, status, durationMs, waitedMs, attempt, remaining };
}

function notSent(endpoint: string, message: string): ApiError {
  return { kind: 'rejected', endpoint, status: null, message: `not sent: ${message}`, errors: {} };
}

/** A read may always be repeated; a write only when it certainly was not processed. */
function isRepeatable(endpoint: Endpoint, error: ApiError): boolean {
  if (error.kind === 'unreachable') return true;
  return endpoint.method === 'GET' && error.kind === 'unknown-outcome' && error.cause !== 'too-large';
}
