import type { Dispatcher } from 'undici';
import type { Clock } from '../core/model/clock.ts';
import type { Budget } from '../core/rate-limit/budget.ts';
import type { ApiVersion } from '../core/model/endpoints.ts';
import { createCall, mayRetry, type CallPorts, type Manner, type RequestEvent } from './http/call.ts';
import type { Client } from './client.ts';
import type { Bounds } from './http/dispatch.ts';
import { hmacWith } from './http/hmac.ts';
import type { LogsClient } from './logs/logs.ts';
import { domainOperations } from './operations/domains.ts';
import { createPacer, type Urgency } from './http/pacing.ts';
import type { Redactor } from './http/redactor.ts';
import { createTransport } from './http/transport.ts';
import { bulkOperations, type BulkClient } from './operations/v3-bulk.ts';
import { v3Logs } from './logs/v3.ts';
import { v4Logs } from './logs/v4.ts';
import { verifyOperations } from './operations/verification.ts';
import { itemOperations } from './operations/items.ts';

export interface ClientOptions {
  /** Base URL, such as `https://api.improvmx.com/v4`. */
  readonly url: string;
  readonly version: ApiVersion;
  readonly key: string;
  readonly mode: 'read-only' | 'read-write';
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly dispatcher?: Dispatcher;
  /** How long a request may be silent and last, how large an answer may be; see `DEFAULT_BOUNDS`. */
  readonly bounds?: Partial<Bounds>;
  /** What must not be seen of the service's texts; the key and the passwords that are sent are added to it. */
  readonly redactor?: Redactor;
  /** Aborted: nothing more is sent; what is in flight may finish. */
  readonly signal?: AbortSignal;
  /** Aborted: what is in flight is cut off as well. */
  readonly cut?: AbortSignal;
  /** What is known of its budgets already. */
  readonly budgets?: ReadonlyMap<string, Budget> | undefined;
  /** Called for every request that was sent, with no secret in it. */
  readonly onEvent?: (event: RequestEvent) => void;
}

/** All of the API but `delete-all.ts`; `bulk` is of v3 alone. */
export interface FullClient extends Client, LogsClient {
  readonly bulk: BulkClient | null;
  withUrgency(urgency: Urgency): FullClient;
}

/**
 * A client of one account. Throws, without their values, when `addressFault` or `keyFault` find something.
 * Its budgets are learnt as it goes: keep one client for as long as the account is used.
 */
export function createClient(options: ClientOptions): FullClient {
  return clientOf(options, createPorts(options), { urgency: 'changed' });
}

/** Connections and budgets of one account, with nothing known of them yet. */
export function createPorts(options: ClientOptions): CallPorts {
  const { clock, random, signal, budgets, onEvent } = options;
  const transport = createTransport(options);
  return { transport, pacer: createPacer(clock, signal, budgets), clock, random, signal, onEvent };
}

/** Clients of another manner share connections, budgets and totals. */
function clientOf(options: ClientOptions, ports: CallPorts, manner: Manner): FullClient {
  const { version, url } = options;
  const call = createCall(ports, manner);
  return {
    version,
    url,
    hmac: hmacWith(options.key),
    totals: () => ports.pacer.totals(),
    inFlight: () => ports.pacer.inFlight(),
    demands: () => ports.pacer.demands(),
    waitsUntil: () => ports.pacer.waitsUntil(),
    budgets: () => ports.pacer.budgets(),
    knownBudgets: () => ports.pacer.knownBudgets(),
    latencyMs: () => ports.pacer.latencyMs(),
    skewMs: () => ports.pacer.skewMs(),
    mayRetry: (attempt) => mayRetry(ports, attempt),
    withUrgency: (urgency) => clientOf(options, ports, { ...manner, urgency }),
    withObjection: (objection) => clientOf(options, ports, { ...manner, objection }),
    close: () => ports.transport.close(),
    ...domainOperations(call, version),
    ...verifyOperations(call, version),
    items: (kind) => itemOperations(call, version, kind),
    ...(version === 'v4' ? v4Logs(call) : v3Logs(call)),
    bulk: version === 'v3' ? bulkOperations(call) : null,
  };
}
