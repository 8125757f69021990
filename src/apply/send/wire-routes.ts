import type {
  AliasAddition,
  AliasUpdate,
  Answer,
  BatchAnswer,
  Client,
  RuleAddition,
} from '../../api/client.ts';
import type { Operation } from '../../model/endpoints.ts';
import type { ObservedAlias, ObservedRule } from '../../model/observed.ts';
import { succeed } from '../../model/result.ts';
import type { WriteRequest } from '../../plan/requests/requests.ts';
import { DONE, many, one, type Accepted, type WireAnswer } from './answers.ts';
import { isAlias, isRule } from './as-sent.ts';
import type { AliasPayload, RuleWrite } from './payload.ts';

type Target = Pick<WriteRequest, 'domain' | 'operation'>;

export function sendAliases(
  client: Client,
  { domain, operation }: Target,
  items: readonly AliasPayload[],
): Promise<WireAnswer> {
  const additions = items.flatMap((item) => (item.action === 'add' ? [item.alias] : []));
  const updates = items.flatMap((item) => (item.action === 'update' ? [item.alias] : []));
  const deletes = items.flatMap((item) => (item.action === 'delete' ? [item.id] : []));
  return (
    send(operation, additions, {
      single: (alias) => client.addAlias(domain, alias),
      batch: (aliases) => client.addAliases(domain, aliases),
      accept: acceptAlias,
    }) ??
    send(operation, updates, {
      single: (alias) => client.updateAlias(domain, alias),
      batch: (aliases) => client.updateAliases(domain, aliases),
      accept: acceptAlias,
    }) ??
    send(operation, deletes, {
      single: (id) => client.deleteAlias(domain, id),
      batch: (ids) => client.deleteAliases(domain, ids),
      accept: () => DONE,
    }) ??
    NOTHING_SENT
  );
}

export function sendRules(
  client: Client,
  { domain, operation }: Target,
  items: readonly RuleWrite[],
): Promise<WireAnswer> {
  const additions = items.flatMap((item) => (item.action === 'add' ? [item.rule] : []));
  const updates = items.flatMap((item) => (item.action === 'update' ? [item.rule] : []));
  const deletes = items.flatMap((item) => (item.action === 'delete' ? [item.id] : []));
  return (
    send(operation, additions, {
      single: (rule) => client.addRule(domain, rule),
      batch: (rules) => client.addRules(domain, rules),
      accept: acceptRule,
    }) ??
    send(operation, updates, {
      single: (rule) => client.updateRule(domain, rule),
      batch: (rules) => client.updateRules(domain, rules),
      accept: acceptRule,
    }) ??
    send(operation, deletes, {
      single: (id) => client.deleteRule(domain, id),
      batch: (ids) => client.deleteRules(domain, ids),
      accept: () => DONE,
    }) ??
    NOTHING_SENT
  );
}

const NOTHING_SENT: Promise<WireAnswer> = Promise.resolve(succeed([]));

const BATCHES: ReadonlySet<Operation> = new Set([
  'addAliases',
  'updateAliases',
  'deleteAliases',
  'addRules',
  'updateRules',
  'deleteRules',
]);

/** How items of one kind and action are sent, and what is read from the answer to each. */
interface Sender<Item, Row> {
  readonly single: (item: Item) => Answer<Row>;
  readonly batch: (items: readonly Item[]) => BatchAnswer<Row>;
  readonly accept: (item: Item, row: Row) => Accepted;
}

/** Null: there are no such items. */
function send<Item, Row>(
  operation: Operation,
  items: readonly Item[],
  { single, batch, accept }: Sender<Item, Row>,
): Promise<WireAnswer> | null {
  const [first] = items;
  if (first === undefined) return null;
  if (!BATCHES.has(operation)) return one(single(first), (row) => accept(first, row));
  return many(items, batch(items), accept);
}

function acceptAlias({ forward }: AliasAddition | AliasUpdate, row: ObservedAlias): Accepted {
  return { id: row.id, kept: isAlias(forward)(row) };
}

function acceptRule(rule: RuleAddition, row: ObservedRule): Accepted {
  return { id: row.id, kept: isRule(rule)(row), rank: row.rank };
}
