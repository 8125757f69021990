import { isBodyObject, readFields, requiredText, type BodyObject } from '../account/resources/body.ts';
import { invalid, ok, refuse, type Checked } from '../account/checked.ts';
import type { ItemKind } from '../account/resources/kind.ts';
import type { Switches } from '../account/switches.ts';
import type { HandlerResult, JsonObject, JsonValue } from '../http/protocol.ts';
import type { DomainContext, DomainHandler } from '../http/route-list.ts';
import { readBody, type Render } from './item-handlers.ts';

/** v4: Limits. */
const MAX_BATCH_SIZE = 500;

/** The result for one item: its rendering, or its entry in the list of failures (v4: Batch failure entry). */
export type ItemOutcome = { readonly index: number; readonly item: unknown } & (
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly failure: JsonObject }
);

/**
 * Returns the batch handlers of a kind, which are the same in both versions. Each item is processed separately, in the order
 * sent. The status is 200 if all items succeeded, 207 if any failed (v4: Endpoints). `find` finds an item by its id.
 */
export function batchHandlers<T extends { readonly id: string | number }>(
  kind: ItemKind<T>,
  {
    render,
    find,
  }: { readonly render: Render<T>; readonly find: (context: DomainContext, id: string) => Checked<T> },
): Record<'add' | 'update' | 'remove', DomainHandler> {
  const { plural } = kind;
  return {
    add(context) {
      const allowed = checkBatchPlan(kind, context);
      if (!allowed.ok) return allowed;
      return runBatch(context, { field: plural, verb: 'added' }, (item) => {
        const added = addItem(kind, context, item);
        return added.ok ? ok(render(added.value, context.state)) : added;
      });
    },
    update: (context) =>
      runBatch(context, { field: plural, verb: 'updated' }, (entry) => {
        const { state, domain } = context;
        const body = readItem(kind, entry, 'id');
        if (!body.ok) return body;
        const item = find(context, body.value.key);
        if (!item.ok) return item;
        const updated = kind.update(state, { domain, item: item.value }, body.value.rest, 'optional');
        return updated.ok ? ok(render(updated.value, state)) : updated;
      }),
    remove: (context) =>
      runBatch(context, { field: 'ids', verb: 'deleted' }, (id) => {
        if (typeof id !== 'string') return invalid('ids', 'Each of the ids must be a string.');
        const item = find(context, id);
        if (!item.ok) return item;
        kind.tableOf(context.domain).remove(item.value);
        return ok(String(item.value.id));
      }),
  };
}

/** Refuses to add several items at once if that needs a paid plan (switch `freeBatchCreate`). */
export function checkBatchPlan<T>(
  { plural, batchCreateNeedsPlan }: ItemKind<T>,
  { state: { tier, switches } }: DomainContext,
): Checked<undefined> {
  return tier === 'paid' || !batchCreateNeedsPlan(switches)
    ? ok(undefined)
    : refuse('freeBatchCreateStatus', `Adding ${plural} in a batch requires a premium account.`);
}

export function addItem<T>(kind: ItemKind<T>, { state, domain }: DomainContext, item: unknown): Checked<T> {
  return isBodyObject(item) ? kind.add(state, domain, item) : notAnObject(kind);
}

/** Splits a list item into the text of its key field and its other fields. */
export function readItem<T>(
  kind: ItemKind<T>,
  item: unknown,
  key: string,
): Checked<{ readonly key: string; readonly rest: BodyObject }> {
  if (!isBodyObject(item)) return notAnObject(kind);
  const { [key]: _, ...rest } = item;
  const read = readFields(item, { [key]: requiredText }, 'ignore');
  return read.ok ? ok({ key: read.value[key] ?? '', rest }) : read;
}

function notAnObject<T>({ plural }: ItemKind<T>): Checked<never> {
  return invalid(plural, `Each of the ${plural} must be an object.`);
}

/** Runs a batch. `verb` names the list of successful items and their count. */
function runBatch(
  context: DomainContext,
  { field, verb }: { readonly field: string; readonly verb: 'added' | 'updated' | 'deleted' },
  apply: (item: unknown) => Checked<JsonValue>,
): HandlerResult {
  const outcomes = runItems(context, field, apply);
  if (!outcomes.ok) return outcomes;
  const done = outcomes.value.filter((outcome) => outcome.ok);
  const failed = outcomes.value.filter((outcome) => !outcome.ok);
  return ok({
    status: failed.length === 0 ? 200 : 207,
    body: {
      [verb]: done.map(({ value }) => value),
      [`${verb}_count`]: done.length,
      failed: failed.map(({ failure }) => failure),
      failed_count: failed.length,
    },
    batch: { doneIndexes: done.map(({ index }) => index), size: outcomes.value.length },
  });
}

/** Applies each item of the body's list separately, in the order sent. */
export function runItems(
  context: DomainContext,
  field: string,
  apply: (item: unknown) => Checked<JsonValue>,
): Checked<readonly ItemOutcome[]> {
  const body = readBody(context);
  if (!body.ok) return body;
  const items = readItems(body.value, field, context.state.switches);
  if (!items.ok) return items;
  const outcomes = items.value.map((item, index): ItemOutcome => {
    const scripted = context.tampering.failItems.get(index);
    if (scripted !== undefined) {
      if (scripted.applied === true) apply(item);
      const { message, errors } = scripted;
      return { index, item, ok: false, failure: { index, message, errors: { ...errors } } };
    }
    const result = apply(item);
    if (result.ok) return { index, item, ok: true, value: result.value };
    const { message, errors } = result.error;
    return { index, item, ok: false, failure: { index, message, errors } };
  });
  return ok(outcomes);
}

function readItems(body: BodyObject, field: string, switches: Switches): Checked<readonly unknown[]> {
  const items = Object.hasOwn(body, field) ? body[field] : undefined;
  if (items === undefined) return invalid(field, `The ${field} are required.`);
  if (!Array.isArray(items)) return invalid(field, `The ${field} must be an array.`);
  if (items.length === 0 && switches.emptyBatch === 'refuse') {
    return invalid(field, `The ${field} must have at least one item.`);
  }
  if (items.length > MAX_BATCH_SIZE) {
    const message = `The ${field} may have at most ${MAX_BATCH_SIZE} items.`;
    return refuse('oversizedBatchStatus', message, { [field]: [message] });
  }
  return ok(items);
}
