import { runItems, type ItemOutcome } from '../handlers/batch.ts';
import { hasErrors, readObject, requiredString } from '../http/input.ts';
import { invalid, type Alias, type StoreResult } from '../account/model.ts';
import { success, type JsonObject, type HandlerReply } from '../http/protocol.ts';
import type { RequestContext } from '../http/routes.ts';
import type { DomainRecord, State } from '../account/state.ts';
import { deleteAlias, findAliasByName, updateAlias } from '../account/store-aliases.ts';
import { addAliasItem, readNewAlias, refuseAliasBatch } from '../v4/aliases.ts';
import { readBehavior, type Behavior } from './bulk.ts';
import { renderV3Alias } from './render.ts';

const APPLY: Readonly<
  Record<Behavior, (state: State, domain: DomainRecord, item: unknown) => StoreResult<Alias>>
> = { add: addAliasItem, update, delete: remove };

/** Adds, updates or deletes aliases by name; items that fail do not fail the request (v3: Aliases). */
export function bulkAliases(context: RequestContext, domain: DomainRecord): HandlerReply {
  const { state } = context;
  const behavior = readBehavior(context, 'aliases');
  if (!behavior.ok) return behavior.reply;
  const refused = behavior.value === 'add' ? refuseAliasBatch(state) : undefined;
  if (refused !== undefined) return refused;
  const outcomes = runItems(context, {
    field: 'aliases',
    apply: (item) => APPLY[behavior.value](state, domain, item),
    render: behavior.value === 'delete' ? renderV3Alias : renderItem,
  });
  if (!outcomes.ok) return outcomes.reply;
  const done = outcomes.value.filter((outcome) => outcome.ok).map(({ value }) => value);
  const failed = outcomes.value.filter((outcome) => !outcome.ok);
  if (behavior.value === 'delete') {
    return success({ deleted: done, failed: failed.map(({ item }) => ({ alias: sentText(item, 'alias') })) });
  }
  return success({
    added: behavior.value === 'add' ? done : [],
    updated: behavior.value === 'update' ? done : [],
    failed: failed.map((outcome) => renderFailed(state, domain, outcome)),
  });
}

function update(state: State, domain: DomainRecord, item: unknown): StoreResult<Alias> {
  const reader = readObject(item, ['alias', 'forward'], state.switches);
  if (reader === undefined) return noObject();
  const fields = readNewAlias(reader);
  if (!fields.ok) return fields;
  const found = findAliasByName(state, domain, fields.value.alias);
  return found.ok ? updateAlias(state, domain, found.value.id, { forward: fields.value.forward }) : found;
}

/** An item may carry a `forward`, which nobody reads. */
function remove(state: State, domain: DomainRecord, item: unknown): StoreResult<Alias> {
  const reader = readObject(item, ['alias', 'forward'], state.switches);
  if (reader === undefined) return noObject();
  const name = requiredString(reader, 'alias');
  if (hasErrors(reader)) return { ok: false, error: { kind: 'invalid', errors: reader.errors } };
  const found = findAliasByName(state, domain, name);
  return found.ok ? deleteAlias(state, domain, found.value.id) : found;
}

function noObject(): StoreResult<never> {
  return invalid('aliases', 'Each of the aliases must be an object.');
}

function renderItem({ name, forward, id }: Alias): JsonObject {
  return { alias: name, forward, id };
}

/** What was sent, with the id of the live alias of that name; null for what there is not. */
function renderFailed(state: State, domain: DomainRecord, { item }: ItemOutcome): JsonObject {
  const alias = sentText(item, 'alias');
  const live = findAliasByName(state, domain, alias ?? '');
  return { alias, forward: sentText(item, 'forward'), id: live.ok ? live.value.id : null };
}

function sentText(item: unknown, field: string): string | null {
  const value: unknown = Object(item)[field];
  return typeof value === 'string' ? value : null;
}
