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

/** A request before it is parsed. */
export interface EmulatorRequest {
  readonly method: string;
  /** The request target: path and query, percent-encoded, beginning with `/v4` or `/v3`. */
  readonly target: string;
  /** Headers; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The raw body, undefined without one, or the reason why it was not read. */
  readonly body: string | undefined | { readonly kind: 'too-large' | 'unreadable' };
  /** Address of the client; undefined without a socket. */
  readonly remoteAddress?: string | undefined;
}

/** Identifies a request for listeners, faults, limits and the journal. */
export interface RequestSummary {
  /** The API's version. null means that the target names neither version. */
  readonly version: Generation | null;
  readonly method: string;
  /** Route template, written as in the API document. null means that there is no such endpoint. */
  readonly endpoint: string | null;
  /** Path and query below the base URL. */
  readonly path: string;
}

/** A complete answer. Header names are written as they are sent. */
export interface EmulatorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body in place of `body` if it is not text. */
  readonly bytes?: Buffer | undefined;
}

/** The outcome for the client: an answer, complete or in pieces, or nothing. */
export type Served =
  | { readonly kind: 'answer'; readonly answer: EmulatorAnswer; readonly delivery: Delivery }
  | { readonly kind: 'dropped' };

export type Delivery =
  | { readonly kind: 'whole' }
  /** Sends `chunkBytes` at a time with pauses of `milliseconds`. */
  | { readonly kind: 'drip'; readonly chunkBytes: number; readonly milliseconds: number }
  /** Sends headers for the whole body, then closes the connection after `bytes` of it. */
  | { readonly kind: 'truncate'; readonly bytes: number }
  /** Sends `bytes` of filler in place of the body. */
  | { readonly kind: 'flood'; readonly bytes: number };

/** A handler's reply, before it is serialized. */
export interface HandlerReply {
  readonly status: number;
  /** The body. undefined means an answer without one. */
  readonly body: JsonObject | undefined;
  /**
   * Positions of the batch items that succeeded, in the order of the answer's list. Faults use them to falsify the answer.
   */
  readonly batch?: { readonly doneIndexes: readonly number[]; readonly size: number } | undefined;
}

export type HandlerResult = Checked<HandlerReply>;

export const DELETED: HandlerReply = { status: 204, body: undefined };

export function success(body: JsonObject): HandlerResult {
  return ok({ status: 200, body });
}

/** Returns an error reply (v4: Errors). */
export function failure(status: number, message: string, errors: FieldMessages = {}): HandlerReply {
  return { status, body: { message, errors } };
}

export function refusalReply({ status, message, errors }: Refusal, switches: Switches): HandlerReply {
  return failure(typeof status === 'number' ? status : switches[status], message, errors);
}

/**
 * Adds the fields `success`, `error` and `code`, which v3's failures have in addition to the fields of both versions (v3:
 * Errors).
 */
export function inVersion(version: Generation | null, reply: HandlerReply): HandlerReply {
  if (version !== 'v3' || reply.status < 400) return reply;
  const error = reply.body?.['message'] ?? '';
  return { ...reply, body: { ...reply.body, error, code: reply.status, success: false } };
}
