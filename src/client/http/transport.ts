import { Agent, type Dispatcher } from 'undici';
import type { Endpoint } from '../../core/model/endpoints.ts';
import { addressFault, keyFault } from './address.ts';
import { dispatchOnce, GivenUp, type Bounds, type Reply } from './dispatch.ts';
import { buildPath } from './path.ts';
import { createRedactor, redactReply, type Redactor } from './redactor.ts';

/** A request, made of an entry of the closed list of endpoints and of checked values. */
export interface WireRequest {
  readonly endpoint: Endpoint;
  /** Values of the template's segments, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /**
   * True for a later page of a listing. It precedes other requests, so that all reads of a domain happen soon and close
   * together.
   */
  readonly continues?: boolean;
  readonly body?: unknown;
  /**
   * v3 marks failures with `success: false`. `ignored` is for answers in which the flag or the lists next to it are the
   * result.
   */
  readonly successFlag?: 'ignored';
  /** Secret values in the body. They are redacted if the service repeats them in this or a later answer. */
  readonly secrets?: readonly string[];
}

export interface TransportOptions {
  readonly url: string;
  readonly key: string;
  readonly mode: 'read-only' | 'read-write';
  readonly dispatcher?: Dispatcher | undefined;
  /** When aborted, every request in flight ends at once, and nothing more can be sent. */
  readonly cut?: AbortSignal | undefined;
  readonly bounds?: Partial<Bounds> | undefined;
  /** Redacts the service's texts, in addition to the key and the secrets sent; see `createRedactor`. */
  readonly redactor?: Redactor | undefined;
}

/** Connections, which clients of many accounts may share. */
export type Connections = Dispatcher;

export interface Transport {
  /**
   * Returns the path of a request and the function that sends it. Throws if a read-only transport is asked for anything but
   * GET. The error of the result names the value that cannot be part of a path.
   */
  prepare(request: WireRequest): PreparedRequest;
  close(): Promise<void>;
  /** Returns a text without the secrets known by now. */
  readonly redact: (text: string) => string;
}

export type PreparedRequest =
  | { readonly ok: true; readonly send: () => Promise<Reply> }
  | { readonly ok: false; readonly message: string };

/** Limits on the silence and length of a request in milliseconds, and on the size of an answer in bytes. */
export const DEFAULT_BOUNDS: Bounds = {
  connectMs: 10_000,
  silenceMs: 30_000,
  totalMs: 300_000,
  writeMs: 300_000,
  answerBytes: 16 * 1024 * 1024,
};

/**
 * Creates a transport. Throws if address or key cannot be used; the message does not show them. Redirects are never
 * followed.
 */
export function createTransport(options: TransportOptions): Transport {
  const fault = addressFault(options.url) ?? keyFault(options.key);
  if (fault !== null) throw new Error(fault);
  const root = new URL(options.url);
  const base = root.pathname.replace(/\/+$/, '');
  const bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
  const dispatcher = options.dispatcher ?? createConnections(bounds);
  const { redactor = createRedactor(), cut } = options;
  cut?.addEventListener('abort', () => {
    void dispatcher.destroy(new GivenUp('cut', 'interrupted before the answer arrived'));
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

/** Creates connections, which open on demand. */
export function createConnections(bounds: Pick<Bounds, 'connectMs'> = DEFAULT_BOUNDS): Connections {
  return new Agent({ connect: { timeout: bounds.connectMs }, allowH2: false });
}
