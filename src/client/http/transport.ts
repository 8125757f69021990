import { Agent, type Dispatcher } from 'undici';
import type { Endpoint } from '../../core/model/endpoints.ts';
import { addressFault, keyFault } from './address.ts';
import { dispatchOnce, GivenUp, type Bounds, type Reply } from './dispatch.ts';
import { buildPath } from './path.ts';
import { createRedactor, redactReply, type Redactor } from './redactor.ts';

/** One request, made of an entry of the closed list and values that are checked. */
export interface WireRequest {
  readonly endpoint: Endpoint;
  /** Values of the template's segments, by their name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** The rest of a listing that was begun goes before others: what is read of a domain is there together, and soon. */
  readonly continues?: boolean;
  readonly body?: unknown;
  /** v3 marks failures by `success: false`; ignored where the flag or the lists beside it are what was asked for. */
  readonly successFlag?: 'ignored';
  /** What of the body must not be seen again, should the service repeat it in this answer or another. */
  readonly secrets?: readonly string[];
}

export interface TransportOptions {
  readonly url: string;
  readonly key: string;
  readonly mode: 'read-only' | 'read-write';
  readonly dispatcher?: Dispatcher | undefined;
  /** Aborted: every request in flight ends at once, and nothing can be sent any more. */
  readonly cut?: AbortSignal | undefined;
  readonly bounds?: Partial<Bounds> | undefined;
  /** What of the service's texts must not be seen, other than the key and what is sent; see `createRedactor`. */
  readonly redactor?: Redactor | undefined;
}

/** Connections that clients of many accounts may share. */
export type Connections = Dispatcher;

export interface Transport {
  /**
   * The path of a request and what to send it with. Throws when a read-only transport is asked for more than a GET;
   * the error of the result says which value cannot stand in a path.
   */
  prepare(request: WireRequest): PreparedRequest;
  close(): Promise<void>;
  /** A text without the secrets that are known by now. */
  readonly redact: (text: string) => string;
}

export type PreparedRequest =
  | { readonly ok: true; readonly send: () => Promise<Reply> }
  | { readonly ok: false; readonly message: string };

/** Silence and length of a request in milliseconds, size of an answer in bytes. */
export const DEFAULT_BOUNDS: Bounds = {
  connectMs: 10_000,
  silenceMs: 30_000,
  totalMs: 300_000,
  writeMs: 300_000,
  answerBytes: 16 * 1024 * 1024,
};

/** Throws, without their values, when address or key cannot be used. No redirect is ever followed. */
export function createTransport(options: TransportOptions): Transport {
  const fault = addressFault(options.url) ?? keyFault(options.key);
  if (fault !== null) throw new Error(fault);
  const root = new URL(options.url);
  const base = root.pathname.replace(/\/+$/, '');
  const bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  const dispatcher = options.dispatcher ?? createConnections(bounds);
  const { redactor = createRedactor(), cut } = options;
  cut?.addEventListener('abort', () => {
    void dispatcher.destroy(new GivenUp('cut', 'interrupted before it came'));
  });
  redactor.add(options.key, '***');
  const credentials = Buffer.from(`api:${options.key}`).toString('base64');
  const headers = {
    authorization: `Basic ${credentials}`,
    accept: 'application/json',
    'user-agent': 'fwdsync',
  };
  return {
    redact: (text) => redactor.redact(text),
    prepare(wire) {
      const { method, template } = wire.endpoint;
      if (options.mode === 'read-only' && method !== 'GET') {
        throw new Error(`a read-only client was asked to send ${method} ${template}`);
      }
      for (const secret of wire.secrets ?? []) redactor.add(secret, '***');
      const path = buildPath(template, wire.params, wire.query);
      if (!path.ok) return { ok: false, message: path.error };
      const body = wire.body === undefined ? null : JSON.stringify(wire.body);
      const request = {
        origin: root.origin,
        path: base + path.value,
        method,
        headers: body === null ? headers : { ...headers, 'content-type': 'application/json' },
        body,
      };
      const send = async (): Promise<Reply> =>
        redactReply(await dispatchOnce(dispatcher, request, boundsOf(method, bounds)), redactor);
      return { ok: true, send };
    },
    async close() {
      if (options.dispatcher === undefined && cut?.aborted !== true) await dispatcher.close();
    },
  };
}

function boundsOf(method: Endpoint['method'], bounds: Bounds): Bounds {
  return method === 'GET' ? bounds : { ...bounds, totalMs: Math.min(bounds.totalMs, bounds.writeMs) };
}

/** Opens them when they are needed. */
export function createConnections(bounds: Pick<Bounds, 'connectMs'> = DEFAULT_BOUNDS): Connections {
  return new Agent({ connect: { timeout: bounds.connectMs }, allowH2: false });
}
