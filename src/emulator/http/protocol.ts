import { ok, type Checked, type FieldMessages, type Refusal } from '../account/checked.ts';
import type { Generation } from '../account/model.ts';
import type { Switches } from '../account/switches.ts';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** A request as it arrived. */
export interface EmulatorRequest {
  readonly method: string;
  /** The request target: path and query, percent-encoded, with `/v4` or `/v3` in front. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The raw body, undefined when there is none; or why it was not read. */
  readonly body: string | undefined | { readonly kind: 'too-large' | 'unreadable' };
  /** Of the socket's other end; undefined without a socket. */
  readonly remoteAddress?: string | undefined;
}

/** Which request it is, for listeners, faults, limits and the journal. */
export interface RequestSummary {
  /** null: it names neither version. */
  readonly version: Generation | null;
  readonly method: string;
  /** Route template as the API document writes it; null: no such endpoint. */
  readonly endpoint: string | null;
  /** Path and query below the base URL. */
  readonly path: string;
}

/** A complete answer. Header names are as sent. */
export interface EmulatorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In place of `body`, for what is no text. */
  readonly bytes?: Buffer | undefined;
}

/** What reaches the client: an answer, in one piece or not, or nothing at all. */
export type Served =
  | { readonly kind: 'answer'; readonly answer: EmulatorAnswer; readonly delivery: Delivery }
  | { readonly kind: 'dropped' };

export type Delivery =
  | { readonly kind: 'whole' }
  /** `chunkBytes` at a time with pauses of `milliseconds`. */
  | { readonly kind: 'drip'; readonly chunkBytes: number; readonly milliseconds: number }
  /** The head promises everything, the connection ends after `bytes` of the body. */
  | { readonly kind: 'truncate'; readonly bytes: number }
  /** `bytes` of filler in place of the body. */
  | { readonly kind: 'flood'; readonly bytes: number };

/** What a handler says, before it is written. */
export interface HandlerReply {
  readonly status: number;
  /** undefined: an answer without body. */
  readonly body: JsonObject | undefined;
  /** Positions of a batch that went well, in the order of the answer's list; for faults that lie about them. */
  readonly batch?: { readonly doneIndexes: readonly number[]; readonly size: number } | undefined;
}

export type HandlerResult = Checked<HandlerReply>;

export const DELETED: HandlerReply = { status: 204, body: undefined };

export function success(body: JsonObject): HandlerResult {
  return ok({ status: 200, body });
}

/** v4: Errors. */
export function failure(status: number, message: string, errors: FieldMessages = {}): HandlerReply {
  return { status, body: { message, errors } };
}

export function refusalReply({ status, message, errors }: Refusal, switches: Switches): HandlerReply {
  return failure(typeof status === 'number' ? status : switches[status], message, errors);
}

/** On v3, failures carry `success`, `error` and `code` beside the fields that both versions have (v3: Errors). */
export function inVersion(version: Generation | null, reply: HandlerReply): HandlerReply {
  if (version !== 'v3' || reply.status < 400) return reply;
  const error = reply.body?.['message'] ?? '';
  return { ...reply, body: { ...reply.body, error, code: reply.status, success: false } };
}
