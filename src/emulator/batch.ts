import type { Result } from './model.ts';
import { failedEntry, failure, invalidFields, type Json, type JsonObject, type Reply } from './protocol.ts';
import type { Context } from './routes.ts';

/** v4: Limits. */
const MAX_BATCH_SIZE = 500;

/**
 * Runs a batch: every item on its own, in the order sent. 200 when all went well, 207 when any failed (v4: Endpoints).
 * `verb` names the list of what went well and its count.
 */
export function runBatch<T>(
  context: Context,
  options: {
    readonly field: 'aliases' | 'rules' | 'ids';
    readonly verb: 'added' | 'updated' | 'deleted';
    readonly apply: (item: unknown) => Result<T>;
    readonly render: (value: T) => Json;
  },
): Reply {
  const items = readItems(context, options.field);
  if (!items.ok) return items.reply;
  const done: Json[] = [];
  const doneIndexes: number[] = [];
  const failed: JsonObject[] = [];
  for (const [index, item] of items.value.entries()) {
    const scripted = context.tampering.failItems.get(index);
    if (scripted !== undefined) {
      if (scripted.applied === true) options.apply(item);
      failed.push({ index, message: scripted.message, errors: { ...scripted.errors } });
      continue;
    }
    const result = options.apply(item);
    if (result.ok) {
      done.push(options.render(result.value));
      doneIndexes.push(index);
    } else {
      failed.push(failedEntry(index, result.error));
    }
  }
  return {
    status: failed.length === 0 ? 200 : 207,
    body: {
      [options.verb]: done,
      [`${options.verb}_count`]: done.length,
      failed,
      failed_count: failed.length,
    },
    batch: { doneIndexes, size: items.value.length },
  };
}

function readItems(
  context: Context,
  field: string,
): { readonly ok: true; readonly value: readonly unknown[] } | { readonly ok: false; readonly reply: Reply } {
  const { body = {} } = context;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { ok: false, reply: failure(400, 'The request body must be a JSON object.') };
  }
  const items = Object.hasOwn(body, field) ? (body as Record<string, unknown>)[field] : undefined;
  if (items === undefined) return refuse(field, `The ${field} are required.`);
  if (!Array.isArray(items)) return refuse(field, `The ${field} must be an array.`);
  if (items.length > MAX_BATCH_SIZE) {
    const message = `The ${field} may have at most ${MAX_BATCH_SIZE} items.`;
    const { oversizedBatchStatus } = context.state.switches;
    return { ok: false, reply: failure(oversizedBatchStatus, message, { [field]: [message] }) };
  }
  return { ok: true, value: items };
}

function refuse(field: string, message: string): { readonly ok: false; readonly reply: Reply } {
  return { ok: false, reply: invalidFields({ [field]: [message] }) };
}
