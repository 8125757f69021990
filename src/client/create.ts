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
  /** Returns a number from 0 up to 1, excluding 1. */
  readonly random: () => number;
  readonly dispatcher?: Dispatcher;
  /** Limits on the silence and length of a request and on the size of an answer; see `DEFAULT_BOUNDS`. */
  readonly bounds?: Partial<Bounds>;
  /** Redacts the service's texts. The key and the passwords that are sent are added to it. */
  readonly redactor?: Redactor;
  /** When aborted, nothing more is sent; requests in flight may finish. */
  readonly signal?: AbortSignal;
  /** When aborted, requests in flight are cut off as well. */
  readonly cut?: AbortSignal;
  /** Budgets that are already known. */
  readonly budgets?: ReadonlyMap<string, Budget> | undefined;
  /** Limits the reads that are sent, repeated ones included. Reads over the limit end as `rejected`. Default: no limit. */
  readonly mostReads?: number | undefined;
  /** Called for every request that was sent. The event contains no secret. */
  readonly onEvent?: (event: RequestEvent) => void;
}

/** The whole API except `delete-all.ts`. `bulk` exists only in v3. */
export interface FullClient extends Client, LogsClient {
  readonly bulk: BulkClient | null;
  withUrgency(urgency: Urgency): FullClient;
}

/**
 * Creates a client for one account. Throws if `addressFault` or `keyFault` finds a fault; the message does not show the
 * values. The client learns its budgets from answers, so keep one client as long as the account is used.
 */
export function createClient(options: ClientOptions): FullClient {
  return clientOf(options, createPorts(options), { urgency: 'changed' });
}

/** Creates connections and budgets for one account. */
export function createPorts(options: ClientOptions): CallPorts {
  const { clock, random, signal, budgets, onEvent, mostReads } = options;
  const transport = createTransport(options);
  const readLimit = mostReads === undefined ? undefined : createReadLimit(mostReads);
  return { transport, pacer: createPacer(clock, signal, budgets), clock, random, signal, onEvent, readLimit };
}

function createReadLimit(most: number): CallPorts['readLimit'] {
  let sent = 0;
  return async () => {
    if (sent >= most) return `no more than ${most} requests may be sent`;
    sent += 1;
    return null;
  };
}

/** Creates a client. Clients made with other manners share connections, budgets and totals. */
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
