import { ALIAS_KIND } from '../account/resources/aliases.ts';
import { oneOf, optionalField, readFields, type Field } from '../account/resources/body.ts';
import { found, ok, type Checked } from '../account/checked.ts';
import type { ItemKind } from '../account/resources/kind.ts';
import type { Alias } from '../account/model.ts';
import { RULE_KIND } from '../account/resources/rules.ts';
import type { DomainRecord } from '../account/state.ts';
import { addItem, checkBatchPlan, readItem, runItems, type ItemOutcome } from '../handlers/batch.ts';
import { readBody, type Render } from '../handlers/item-handlers.ts';
import { success, type HandlerResult, type JsonObject } from '../http/protocol.ts';
import type { DomainContext } from '../http/route-list.ts';
import { renderV3Alias, renderV3Rule } from './render.ts';

const BEHAVIORS = ['add', 'update', 'delete'] as const;
type Behavior = (typeof BEHAVIORS)[number];

/** Functions for bulk requests of a kind: they find items and show them in the answer. */
interface BulkKind<T> {
  readonly kind: ItemKind<T>;
  /** The field that identifies an item. */
  readonly key: string;
  readonly find: (domain: DomainRecord, key: string) => Checked<T>;
  /** Fields that an item to delete may have; only the key is read. */
  readonly known: readonly string[];
  readonly render: (behavior: Behavior) => Render<T>;
}

const ALIAS_BULK: BulkKind<Alias> = {
  kind: ALIAS_KIND,
  key: 'alias',
  find: (domain, name) => found(domain.aliases.get(name), 'alias'),
  known: ['alias', 'forward'],
  render: (behavior) =>
    behavior === 'delete' ? renderV3Alias : ({ alias, forward, id }) => ({ alias, forward, id }),
};

const RULE_BULK = {
  kind: RULE_KIND,
  key: 'id',
  find: RULE_KIND.find,
  known: ['id', 'type', 'config', 'rank', 'active'],
  render: () => renderV3Rule,
};

/** Adds, updates or deletes aliases by name. An item that fails does not fail the request (v3: Aliases). */
export function bulkAliases(context: DomainContext): HandlerResult {
  const result = runBulk(context, ALIAS_BULK);
  if (!result.ok) return result;
  const { behavior, outcomes } = result.value;
  const done = outcomes.filter((outcome) => outcome.ok).map(({ value }) => value);
  const failed = outcomes.filter((outcome) => !outcome.ok);
  if (behavior === 'delete') {
    return success({ deleted: done, failed: failed.map(({ item }) => ({ alias: sentText(item, 'alias') })) });
  }
  return success({
    added: behavior === 'add' ? done : [],
    updated: behavior === 'update' ? done : [],
    failed: failed.map(({ item }) => renderFailed(context.domain, item)),
  });
}

/**
 * Adds, updates or deletes rules. `results` has an entry for each item in the order sent; `errors` has a batch failure entry
 * for each item that failed. Neither fails the request (v3: Rules).
 */
export function bulkRules(context: DomainContext): HandlerResult {
  const result = runBulk(context, RULE_BULK);
  if (!result.ok) return result;
  const { behavior, outcomes } = result.value;
  return success({
    errors: outcomes.filter((outcome) => !outcome.ok).map(({ failure }) => failure),
    results: outcomes.map((outcome) => ({
      operation: behavior,
      rule: outcome.ok ? outcome.value : null,
      success: outcome.ok,
    })),
  });
}

function runBulk<T>(
  context: DomainContext,
  bulk: BulkKind<T>,
): Checked<{ readonly behavior: Behavior; readonly outcomes: readonly ItemOutcome[] }> {
  const { plural } = bulk.kind;
  const behavior = readBehavior(context, plural);
  if (!behavior.ok) return behavior;
  const allowed = behavior.value === 'add' ? checkBatchPlan(bulk.kind, context) : ok(undefined);
  if (!allowed.ok) return allowed;
  const render = bulk.render(behavior.value);
  const outcomes = runItems(context, plural, (item) => {
    const result = applyItem(context, bulk, behavior.value, item);
    return result.ok ? ok(render(result.value, context.state)) : result;
  });
  return outcomes.ok ? ok({ behavior: behavior.value, outcomes: outcomes.value }) : outcomes;
}

/** Reads the behavior. The default is `add` (v3: Aliases, Rules). */
function readBehavior(context: DomainContext, plural: string): Checked<Behavior> {
  const body = readBody(context);
  if (!body.ok) return body;
  const behavior = optionalField(oneOf(BEHAVIORS), `one of ${BEHAVIORS.join(', ')}`);
  const items: Field<unknown> = ok;
  const fields = readFields(body.value, { [plural]: items, behavior }, context.state.switches.unknownFields);
  return fields.ok ? ok(fields.value['behavior'] ?? 'add') : fields;
}

function applyItem<T>(
  context: DomainContext,
  { kind, key, find, known }: BulkKind<T>,
  behavior: Behavior,
  entry: unknown,
): Checked<T> {
  if (behavior === 'add') return addItem(kind, context, entry);
  const { state, domain } = context;
  const read = readItem(kind, entry, key);
  if (!read.ok) return read;
  const item = find(domain, read.value.key);
  if (!item.ok) return item;
  if (behavior === 'update') {
    return kind.update(state, { domain, item: item.value }, read.value.rest, 'required');
  }
  const others = readFields(
    read.value.rest,
    Object.fromEntries(known.map((name) => [name, ok])),
    state.switches.unknownFields,
  );
  if (!others.ok) return others;
  kind.tableOf(domain).remove(item.value);
  return item;
}

/** Renders a failed item: the fields sent, with the id of the live alias of that name. Missing values are null. */
function renderFailed(domain: DomainRecord, item: unknown): JsonObject {
  const alias = sentText(item, 'alias');
  const live = domain.aliases.get(alias ?? '');
  return { alias, forward: sentText(item, 'forward'), id: live?.id ?? null };
}

function sentText(item: unknown, field: string): string | null {
  const value: unknown = Object(item)[field];
  return typeof value === 'string' ? value : null;
}
