import type { Clock } from '../model/clock.ts';
import { endpointText, type Endpoint } from '../model/endpoints.ts';
import { fail, type Result } from '../model/result.ts';
import type { ApiError } from './errors.ts';
import { judge, type Decode } from './judge.ts';
import type { Pacer, Sent, Urgency } from './pacing.ts';
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

/** Sends a request, again where that is certain to do no harm, and decodes its answer. */
export type Call = <T>(request: WireRequest, decode: Decode<T>) => Promise<Result<T, ApiError>>;

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 20_000;
const LEAST_RETRIES = 10;

export function createCall(ports: CallPorts, urgency: Urgency): Call {
  return async (request, decode) => {
    const endpoint = endpointText(request.endpoint);
    const prepared = ports.transport.prepare(request);
    if (!prepared.ok) return fail(notSent(endpoint, prepared.message));
    let sendings = 0;
    const onSent = (sent: Sent): void => {
      sendings += 1;
      ports.onEvent?.(eventOf(endpoint, sent, sendings));
    };
    for (let attempt = 1; ; attempt += 1) {
      const reply = await ports.pacer.run({ endpoint, urgency, send: prepared.send, onSent });
      const result = judge(request, reply, decode);
      if (result.ok || attempt === ATTEMPTS || !mayRepeat(request.endpoint, result.error)) return result;
      if (!withinRetryBudget(ports.pacer) || ports.signal?.aborted === true) return result;
      ports.pacer.countRetry();
      // Full jitter: a service that comes back is not met by everybody at once.
      const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
      await ports.clock.sleep(ports.random() * ceiling, ports.signal);
    }
  };
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
function mayRepeat(endpoint: Endpoint, error: ApiError): boolean {
  if (error.kind === 'unreachable') return true;
  return endpoint.method === 'GET' && error.kind === 'unknown-outcome' && error.cause !== 'too-large';
}

/** A tenth of the requests, and at least ten. */
function withinRetryBudget(pacer: Pacer): boolean {
  const { total, retried } = pacer.totals();
  return retried < Math.max(LEAST_RETRIES, total / 10);
}
