import type { Generation, FieldMessages, StoreError } from '../account/model.ts';
import type { State } from '../account/state.ts';

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

/** A complete answer. Header names are as sent. */
export interface EmulatorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
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

export function success(body: JsonObject): HandlerReply {
  return { status: 200, body };
}

/** v4: Errors. On validation failures `message` repeats the first field message. */
export function failure(status: number, message: string, errors: FieldMessages = {}): HandlerReply {
  return { status, body: { message, errors } };
}

/** On v3, failures carry `success`, `error` and `code` beside the fields that both versions have (v3: Errors). */
export function inVersion(version: Generation | null, reply: HandlerReply): HandlerReply {
  if (version !== 'v3' || reply.status < 400) return reply;
  const error = reply.body?.['message'] ?? '';
  return { ...reply, body: { ...reply.body, error, code: reply.status, success: false } };
}

export function invalidFields(errors: FieldMessages): HandlerReply {
  return failure(400, firstMessage(errors), errors);
}

export function storeFailure(state: State, error: StoreError): HandlerReply {
  const { switches } = state;
  switch (error.kind) {
    case 'not-found':
      return failure(
        error.what === 'rule' ? switches.unknownRuleStatus : switches.unknownStatus,
        describeError(error),
      );
    case 'invalid':
      return invalidFields(error.errors);
    case 'over-limit':
      return failure(switches.overLimitStatus, error.message, { [error.field]: [error.message] });
  }
}

/** v4: Batch failure entry. */
export function failedEntry(index: number, error: StoreError): JsonObject {
  return { index, message: describeError(error), errors: fieldErrors(error) };
}

function describeError(error: StoreError): string {
  switch (error.kind) {
    case 'not-found':
      return `${error.what} not found`;
    case 'invalid':
      return firstMessage(error.errors);
    case 'over-limit':
      return error.message;
  }
}

function fieldErrors(error: StoreError): FieldMessages {
  switch (error.kind) {
    case 'not-found':
      return {};
    case 'invalid':
      return error.errors;
    case 'over-limit':
      return { [error.field]: [error.message] };
  }
}

function firstMessage(errors: FieldMessages): string {
  return Object.values(errors)[0]?.[0] ?? 'The request is not valid.';
}
