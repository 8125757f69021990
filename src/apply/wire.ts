import type { Answer, BatchAnswer, Client, ItemFailure } from '../api/client.ts';
import type { ApiError } from '../api/errors.ts';
import type { DomainName } from '../model/names.ts';
import type { ObservedDomain } from '../model/observed.ts';
import { fail, succeed, type Result } from '../model/result.ts';
import type { AliasPayload, CredentialPayload, DomainPayload, Payload, RulePayload } from './payload.ts';

/** What the service says of one item. */
export type ItemAnswer = Result<Accepted, ItemFailure>;

export interface Accepted {
  readonly id: string | null;
  /** Of a rule: the rank that the service says it has now. */
  readonly rank?: number;
  /** Of a new domain: what the service made of it. */
  readonly domain?: ObservedDomain;
  readonly note?: string;
}

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
      return added.ok ? succeed([succeed({ id: null, domain: added.value })]) : added;
    }
    case 'update':
      return one(client.updateDomain(domain, item.state));
    case 'delete':
      return one(client.deleteDomain(domain));
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
      return succeed([succeed({ id: null, ...note })]);
    }
    case 'update':
      return one(client.updateCredential(domain, item.username, item.password));
    case 'delete':
      return one(client.deleteCredential(domain, item.username));
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
    send(
      additions,
      (alias) => client.addAlias(domain, alias),
      (aliases) => client.addAliases(domain, aliases),
    ) ??
    send(
      updates,
      (alias) => client.updateAlias(domain, alias),
      (aliases) => client.updateAliases(domain, aliases),
    ) ??
    send(
      deletes,
      (id) => client.deleteAlias(domain, id),
      (ids) => client.deleteAliases(domain, ids),
    ) ??
    NOTHING_SENT
  );
}

function sendRules(client: Client, domain: DomainName, items: readonly RulePayload[]): Promise<WireAnswer> {
  const additions = items.flatMap((item) => (item.action === 'add' ? [item.rule] : []));
  const updates = items.flatMap((item) => (item.action === 'update' ? [item.rule] : []));
  const deletes = items.flatMap((item) => (item.action === 'delete' ? [item.id] : []));
  return (
    send(
      additions,
      (rule) => client.addRule(domain, rule),
      (rules) => client.addRules(domain, rules),
    ) ??
    send(
      updates,
      (rule) => client.updateRule(domain, rule),
      (rules) => client.updateRules(domain, rules),
    ) ??
    send(
      deletes,
      (id) => client.deleteRule(domain, id),
      (ids) => client.deleteRules(domain, ids),
    ) ??
    NOTHING_SENT
  );
}

const NOTHING_SENT: Promise<WireAnswer> = Promise.resolve(succeed([]));

/** Null: there are no such items. */
function send<T>(
  items: readonly T[],
  single: (item: T) => Answer<unknown>,
  batch: (items: readonly T[]) => BatchAnswer<unknown>,
): Promise<WireAnswer> | null {
  const [first] = items;
  if (first === undefined) return null;
  return items.length === 1 ? one(single(first)) : many(batch(items));
}

async function one(answer: Answer<unknown>): Promise<WireAnswer> {
  const single = await answer;
  return single.ok ? succeed([succeed(accepted(single.value))]) : single;
}

async function many(answer: BatchAnswer<unknown>): Promise<WireAnswer> {
  const batch = await answer;
  if (!batch.ok) return batch;
  return succeed(batch.value.map((item) => (item.ok ? succeed(accepted(item.value)) : fail(item.error))));
}

/** Aliases and rules have an id, rules a rank; the answer to a delete has nothing. */
function accepted(value: unknown): Accepted {
  if (typeof value !== 'object' || value === null) return { id: null };
  const { id, rank } = value as { readonly id?: unknown; readonly rank?: unknown };
  return {
    id: typeof id === 'string' ? id : null,
    ...(typeof rank === 'number' ? { rank } : {}),
  };
}
