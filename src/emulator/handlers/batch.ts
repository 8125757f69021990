import type { StoreResult } from '../account/model.ts';
import {
  failedEntry,
  failure,
  invalidFields,
  type JsonValue,
  type JsonObject,
  type HandlerReply,
} from '../http/protocol.ts';
import type { RequestContext } from '../http/routes.ts';

/** v4: Limits. */
const MAX_BATCH_SIZE = 500;

/** What became of one item: its rendering, or its batch failure entry (v4: Batch failure entry). */
export type ItemOutcome = { readonly index: number; readonly item: unknown } & (
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly failure: JsonObject }
);

/**
 * Runs a batch: every item on its own, in the order sent. 200 when all went well, 207 when any failed (v4: Endpoints).
 * `verb` names the list of what went well and its count.
 */
export function runBatch<T>(
  context: RequestContext,
  options: {
    readonly field: 'aliases' | 'rules' | 'ids';
    readonly verb: 'added' | 'updated' | 'deleted';
    readonly apply: (item: unknown) => StoreResult<T>;
    readonly render: (value: T) => JsonValue;
  },
): HandlerReply {
  const outcomes = runItems(context, options);
  if (!outcomes.ok) return outcomes.reply;
  const done = outcomes.value.filter((outcome) => outcome.ok);
  const failed = outcomes.value.filter((outcome) => !outcome.ok);
  return {
    status: failed.length === 0 ? 200 : 207,
    body: {
      [options.verb]: done.map(({ value }) => value),
      [`${options.verb}_count`]: done.length,
      failed: failed.map((outcome) => outcome.failure),
      failed_count: failed.length,
    },
    batch: { doneIndexes: done.map(({ index }) => index), size: outcomes.value.length },
  };
}

/** Every item of the body's list on its own, in the order sent; or the answer to a body without such a list. */
export function runItems<T>(
  context: RequestContext,
  options: {
    readonly field: 'aliases' | 'rules' | 'ids';
    readonly apply: (item: unknown) => StoreResult<T>;
    readonly render: (value: T) => JsonValue;
  },
):
  | { readonly ok: true; readonly value: readonly ItemOutcome[] }
  | { readonly ok: false; readonly reply: HandlerReply } {
  const items = readItems(context, options.field);
  if (!items.ok) return items;
  const value = items.value.map((item, index): ItemOutcome => {
    const scripted = context.tampering.failItems.get(index);
    if (scripted !== undefined) {
      if (scripted.applied === true) options.apply(item);
      const { message, errors } = scripted;
      return { index, item, ok: false, failure: { index, message, errors: { ...errors } } };
    }
    const result = options.apply(item);
    return result.ok
      ? { index, item, ok: true, value: options.render(result.value) }
      : { index, item, ok: false, failure: failedEntry(index, result.error) };
  });
  return { ok: true, value };
}

type ReadItems =
  | { readonly ok: true; readonly value: readonly unknown[] }
  | { readonly ok: false; readonly reply: HandlerReply };

function readItems(context: RequestContext, field: string): ReadItems {
  const { body = {} } = context;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { ok: false, reply: failure(400, 'The request body must be a JSON object.') };
  }
  const items = Object.hasOwn(body, field) ? (body as Record<string, unknown>)[field] : undefined;
  if (items === undefined) return refuse(field, `The ${field} are required.`);
  if (!Array.isArray(items)) return refuse(field, `The ${field} must be an array.`);
  return checkSize(context, field, items);
}

function checkSize(context: RequestContext, field: string, items: readonly unknown[]): ReadItems {
  const { emptyBatch, oversizedBatchStatus } = context.state.switches;
  if (items.length === 0 && emptyBatch === 'refuse') {
    return refuse(field, `The ${field} must have at least one item.`);
  }
  if (items.length > MAX_BATCH_SIZE) {
    const message = `The ${field} may have at most ${MAX_BATCH_SIZE} items.`;
    return { ok: false, reply: failure(oversizedBatchStatus, message, { [field]: [message] }) };
  }
  return { ok: true, value: items };
}

function refuse(field: string, message: string): { readonly ok: false; readonly reply: HandlerReply } {
  return { ok: false, reply: invalidFields({ [field]: [message] }) };
}
