import type { Clock } from '../../core/model/clock.ts';
import { endpointText, type Endpoint } from '../../core/model/endpoints.ts';
import { fail, type Result } from '../../core/model/result.ts';
import type { ApiError } from '../errors.ts';
import { readAnswer, type Decode } from './answer.ts';
import type { Objection, Pacer, Sent, Urgency } from './pacing.ts';
import type { Reply } from './dispatch.ts';
import type { Transport, WireRequest } from './transport.ts';

/** One attempt of a request, for logs and metrics. A request that is retried has several. */
export interface RequestEvent extends Sent {
  /** Method and route template. */
  readonly endpoint: string;
  /** Number of the attempt, counted from 1. */
  readonly attempt: number;
}

export interface CallPorts {
  readonly transport: Transport;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: RequestEvent) => void) | undefined;
  /** Asked right before each read is sent: whether one more may be. */
  readonly readLimit?: Objection | undefined;
}

/** Options of how a client sends its requests. */
export interface Manner {
  readonly urgency: Urgency;
  /** Objection to ask before each write. */
  readonly objection?: Objection | undefined;
}

/**
 * Sends a request, retries it if that is certainly harmless, and decodes its answer. `bodyNow` builds a body that must be up
 * to date, right before each sending. If it returns null, nothing is sent.
 */
export type Call = <T>(
  request: WireRequest,
  decode: Decode<T>,
  bodyNow?: () => Promise<object | null>,
) => Promise<Result<T, ApiError>>;

export function createCall(ports: CallPorts, { urgency, objection: toWrites }: Manner): Call {
  const { transport, pacer, signal, onEvent, readLimit } = ports;
  return async (request, decode, bodyNow) => {
    const endpoint = endpointText(request.endpoint);
    const prepared = transport.prepare(request);
    if (!prepared.ok) return fail(notSent(endpoint, prepared.message));
    const { send } = prepared;
    const objection = request.endpoint.method === 'GET' ? readLimit : toWrites;
    const prepare = bodyNow === undefined ? undefined : freshSender(transport, request, bodyNow);
    const paced = { endpoint, urgency, objection, continues: request.continues };
    let sendings = 0;
    const onSent = (sent: Sent): void => {
      sendings += 1;
      onEvent?.({ ...sent, endpoint, attempt: sendings });
    };
    for (let attempt = 1; ; attempt += 1) {
      const reply = await pacer.run({ ...paced, send, prepare, onSent });
      const result = readAnswer(request, reply, decode);
      if (result.ok) return result;
      // An error may quote the parts of an answer that cannot be used.
      const error = { ...result.error, message: transport.redact(result.error.message) };
      if (!isRepeatable(request.endpoint, error) || signal?.aborted === true) return fail(error);
      if (!(await mayRetry(ports, attempt))) return fail(error);
    }
  };
}

/** Maximum number of attempts per request, including the first. */
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 20_000;
const LEAST_RETRIES = 10;
const RETRY_SHARE = 0.1;

/**
 * Returns true if a request may be retried after this attempt, counted from 1. A tenth of all requests may be retries, and
 * at least ten. It counts the retry and waits out the pause before it, with full jitter, so that not all clients return to
 * the service at once.
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

/** Returns a function that builds the body and returns the sender for it, or null if the body could not be built. */
function freshSender(
  transport: Transport,
  request: WireRequest,
  bodyNow: () => Promise<object | null>,
): () => Promise<(() => Promise<Reply>) | null> {
  return async () => {
    const body = await bodyNow();
    const fresh = body === null ? null : transport.prepare({ ...request, body });
    return fresh?.ok === true ? fresh.send : null;
  };
}

function notSent(endpoint: string, message: string): ApiError {
  return { kind: 'rejected', endpoint, status: null, message: `not sent: ${message}`, errors: {} };
}

/** True if a request may be sent again: a read always, a write only if it was certainly not processed. */
function isRepeatable(endpoint: Endpoint, error: ApiError): boolean {
  if (error.kind === 'unreachable') return true;
  return endpoint.method === 'GET' && error.kind === 'unknown-outcome' && error.cause !== 'too-large';
}
