import { Agent, request, type Dispatcher } from 'undici';
import type { Endpoint } from '../model/endpoints.ts';

/** One request, made of an entry of the closed list and checked values. */
export interface WireRequest {
  readonly endpoint: Endpoint;
  /** Values of the template's segments, by their name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
}

export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly header: (name: string) => string | null;
      readonly text: string;
    }
  | { readonly kind: 'failure'; readonly cause: FailureCause; readonly message: string };

/** `unreachable`: certainly never sent; the others: what the request did is not known. */
export type FailureCause = 'unreachable' | 'timeout' | 'connection' | 'too-large';

export interface TransportOptions {
  readonly url: string;
  readonly key: string;
  readonly mode: 'read-only' | 'read-write';
  readonly dispatcher?: Dispatcher | undefined;
}

export interface Transport {
  /** Sends once and never follows a redirect. Throws when a read-only transport is asked for more than a GET. */
  send(request: WireRequest): Promise<Reply>;
  close(): Promise<void>;
}

const SILENCE_MS = 30_000;
const TOTAL_MS = 300_000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The key is checked here, once: `null` when it can be sent, else why not, without its value. */
export function keyFault(key: string): string | null {
  if (/[\r\n]/.test(key)) return 'the API key contains a line break';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'the API key contains a space or a character that is not ASCII';
  return null;
}

export function createTransport(options: TransportOptions): Transport {
  const own = options.dispatcher === undefined;
  const dispatcher =
    options.dispatcher ??
    new Agent({ connect: { timeout: 10_000 }, headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS });
  const authorization = `Basic ${Buffer.from(`api:${options.key}`).toString('base64')}`;
  return {
    async send(wire) {
      if (options.mode === 'read-only' && wire.endpoint.method !== 'GET') {
        throw new Error(
          `a read-only client was asked to send ${wire.endpoint.method} ${wire.endpoint.template}`,
        );
      }
      const target = `${options.url}${buildPath(wire.endpoint.template, wire.params)}${buildQuery(wire.query)}`;
      return exchange(target, wire, authorization, dispatcher);
    },
    close: async () => {
      if (own) await dispatcher.close();
    },
  };
}

/** The path of a request: every segment is checked, so that none can fold or end the path. */
export function buildPath(template: string, params: Readonly<Record<string, string>>): string {
  return template.replace(/:([a-z]+)/g, (_, name: string) => {
    const value = params[name];
    if (
      value === undefined ||
      value === '' ||
      value === '.' ||
      value === '..' ||
      /[\u0000-\u001f\u007f]/.test(value)
    ) {
      throw new Error(`${template}: ${JSON.stringify(value)} cannot stand for :${name} in a path`);
    }
    return encodeURIComponent(value);
  });
}

function buildQuery(query: WireRequest['query']): string {
  if (query === undefined) return '';
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `?${new URLSearchParams(pairs).toString()}`;
}

async function exchange(
  target: string,
  wire: WireRequest,
  authorization: string,
  dispatcher: Dispatcher,
): Promise<Reply> {
  try {
    const response = await request(target, {
      method: wire.endpoint.method,
      dispatcher,
      signal: AbortSignal.timeout(TOTAL_MS),
      headers: {
        authorization,
        accept: 'application/json',
        'user-agent': 'fwdsync',
        ...(wire.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: wire.body === undefined ? null : JSON.stringify(wire.body),
    });
    const text = await readBody(response.body);
    if (text === null)
      return { kind: 'failure', cause: 'too-large', message: 'the answer is larger than 64 MiB' };
    return {
      kind: 'answer',
      status: response.statusCode,
      header: (name) => headerValue(response.headers[name]),
      text,
    };
  } catch (error) {
    return explainFailure(error);
  }
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function headerValue(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

function explainFailure(error: unknown): Reply {
  if (!(error instanceof Error)) throw error;
  const code = 'code' in error ? String(error.code) : error.name;
  const message = error.message === '' ? code : error.message;
  if (NEVER_SENT.has(code) || /CERT|TLS|SSL/.test(code))
    return { kind: 'failure', cause: 'unreachable', message };
  if (TIMEOUTS.has(code) || error.name === 'TimeoutError')
    return { kind: 'failure', cause: 'timeout', message };
  return { kind: 'failure', cause: 'connection', message };
}
