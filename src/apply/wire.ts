import type {
  AliasAddition,
  AliasUpdate,
  Answer,
  BatchAnswer,
  Client,
  ItemFailure,
  RuleAddition,
} from '../api/client.ts';
import type { ApiError } from '../api/errors.ts';
import type { DomainName } from '../model/names.ts';
import type { ObservedAlias, ObservedDomain, ObservedRule } from '../model/observed.ts';
import { succeed, type Result } from '../model/result.ts';
import { isAlias, isDomain, isRule } from './as-sent.ts';
import type { AliasPayload, CredentialPayload, DomainPayload, Payload, RulePayload } from './payload.ts';

/** What the service says of one item. */
export type ItemAnswer = Result<Accepted, ItemFailure>;

export interface Accepted {
  readonly id: string | null;
  /** Whether the answer shows what was sent; true where it shows nothing. */
  readonly kept: boolean;
  /** Of a rule: the rank that the service says it has now. */
  readonly rank?: number;
  /** Of a new domain: what the service made of it. */
  readonly domain?: ObservedDomain;
  readonly note?: string;
}

/** Where an answer shows nothing of the item. */
export const DONE: Accepted = { id: null, kept: true };

/** One request: each item's own outcome in the order sent, or what the whole request met with. */
export type WireAnswer = Result<readonly ItemAnswer[], ApiError>;

/** Sends items of one kind and action as one request: the single endpoint for one item, else the batch endpoint. */
export function sendItems(
  client: Client,
  domain: DomainName,
  items: readonly [Payload, ...Payload[]],
): Promise<WireAnswer> {
  const [first] = items;
  const other = items.find((item) => item.kind !== first.kind || item.action !== first.action);
  if (other !== undefined)
    throw new Error(`${other.action} ${other.kind} cannot go with ${first.action} ${first.kind}`);
  switch (first.kind) {
    case 'domain':
      return sendDomain(client, domain, first);
    case 'credential':
      return sendCredential(client, domain, first);
    case 'alias':
      return sendAliases(client, domain, items as readonly AliasPayload[]);
    case 'rule':
      return sendRules(client, domain, items as readonly RulePayload[]);
  }
}

async function sendDomain(client: Client, domain: DomainName, item: DomainPayload): Promise<WireAnswer> {
  switch (item.action) {
    case 'add': {
      const added = await client.addDomain(domain, item.state);
      if (!added.ok) return added;
      return succeed([succeed({ ...DONE, kept: isDomain(item.state)(added.value), domain: added.value })]);
    }
    case 'update':
      return one(client.updateDomain(domain, item.state), (live) => ({
        ...DONE,
        kept: isDomain(item.state)(live),
      }));
    case 'delete':
      return one(client.deleteDomain(domain), () => DONE);
  }
}

async function sendCredential(
  client: Client,
  domain: DomainName,
  item: CredentialPayload,
): Promise<WireAnswer> {
  switch (item.action) {
    case 'add': {
      const added = await client.addCredential(domain, item.username, item.password);
      if (!added.ok) return added;
      const note = added.value.requiresNewMxCheck ? { note: firstCredentialNote(domain) } : {};
      return succeed([succeed({ ...DONE, ...note })]);
    }
    case 'update':
      return one(client.updateCredential(domain, item.username, item.password), () => DONE);
    case 'delete':
      return one(client.deleteCredential(domain, item.username), () => DONE);
  }
}

/** v4: SMTP credentials; the first one of a domain needs DNS records before anything can be sent. */
function firstCredentialNote(domain: DomainName): string {
  return (
    `${domain} has its first SMTP credential: sending stays blocked until its DKIM and DMARC records are in DNS ` +
    `(fwdsync verify ${domain} prints them)`
  );
}

function sendAliases(
  client: Client,
  domain: DomainName,
  items: readonly AliasPayload[],
): Promise<WireAnswer> {
  const additions = items.flatMap((item) => (item.action === 'add' ? [item.alias] : []));
  const updates = items.flatMap((item) => (item.action === 'update' ? [item.alias] : []));
  const deletes = items.flatMap((item) => (item.action === 'delete' ? [item.id] : []));
  return (
    send(additions, {
      single: (alias) => client.addAlias(domain, alias),
      batch: (aliases) => client.addAliases(domain, aliases),
      accept: acceptAlias,
    }) ??
    send(updates, {
      single: (alias) => client.updateAlias(domain, alias),
      batch: (aliases) => client.updateAliases(domain, aliases),
      accept: acceptAlias,
    }) ??
    send(deletes, {
      single: (id) => client.deleteAlias(domain, id),
      batch: (ids) => client.deleteAliases(domain, ids),
      accept: () => DONE,
    }) ??
    NOTHING_SENT
  );
}

function sendRules(client: Client, domain: DomainName, items: readonly RulePayload[]): Promise<WireAnswer> {
  const additions = items.flatMap((item) => (item.action === 'add' ? [item.rule] : []));
  const updates = items.flatMap((item) => (item.action === 'update' ? [item.rule] : []));
  const deletes = items.flatMap((item) => (item.action === 'delete' ? [item.id] : []));
  return (
    send(additions, {
      single: (rule) => client.addRule(domain, rule),
      batch: (rules) => client.addRules(domain, rules),
      accept: acceptRule,
    }) ??
    send(updates, {
      single: (rule) => client.updateRule(domain, rule),
      batch: (rules) => client.updateRules(domain, rules),
      accept: acceptRule,
    }) ??
    send(deletes, {
      single: (id) => client.deleteRule(domain, id),
      batch: (ids) => client.deleteRules(domain, ids),
      accept: () => DONE,
    }) ??
    NOTHING_SENT
  );
}

const NOTHING_SENT: Promise<WireAnswer> = Promise.resolve(succeed([]));

/** How items of one kind and action are sent, and what is read from the answer to each. */
interface Sender<Item, Row> {
  readonly single: (item: Item) => Answer<Row>;
  readonly batch: (items: readonly Item[]) => BatchAnswer<Row>;
  readonly accept: (item: Item, row: Row) => Accepted;
}

/** Null: there are no such items. */
function send<Item, Row>(
  items: readonly Item[],
  { single, batch, accept }: Sender<Item, Row>,
): Promise<WireAnswer> | null {
  const [first] = items;
  if (first === undefined) return null;
  if (items.length === 1) return one(single(first), (row) => accept(first, row));
  return many(items, batch(items), accept);
}

async function one<Row>(answer: Answer<Row>, accept: (row: Row) => Accepted): Promise<WireAnswer> {
  const single = await answer;
  return single.ok ? succeed([succeed(accept(single.value))]) : single;
}

async function many<Item, Row>(
  items: readonly Item[],
  answer: BatchAnswer<Row>,
  accept: (item: Item, row: Row) => Accepted,
): Promise<WireAnswer> {
  const batch = await answer;
  if (!batch.ok) return batch;
  const outcomes = items.flatMap((item, index) => {
    const outcome = batch.value[index];
    if (outcome === undefined) return [];
    return [outcome.ok ? succeed(accept(item, outcome.value)) : outcome];
  });
  return succeed(outcomes);
}

function acceptAlias({ forward }: AliasAddition | AliasUpdate, row: ObservedAlias): Accepted {
  return { id: row.id, kept: isAlias(forward)(row) };
}

function acceptRule(rule: RuleAddition, row: ObservedRule): Accepted {
  return { id: row.id, kept: isRule(rule)(row), rank: row.rank };
}
