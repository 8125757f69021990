import type { BatchAnswer, Client, ItemFailure } from '../api/client.ts';
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
export async function sendItems(
  client: Client,
  domain: DomainName,
  items: readonly [Payload, ...Payload[]],
): Promise<WireAnswer> {
  const [first] = items;
  if (items.length === 1) return sendOne(client, domain, first);
  const other = items.find((item) => item.kind !== first.kind || item.action !== first.action);
  if (other !== undefined)
    throw new Error(`${other.action} ${other.kind} cannot go with ${first.action} ${first.kind}`);
  if (first.kind === 'alias')
    return sendAliases(client, domain, first.action, items as readonly AliasPayload[]);
  if (first.kind === 'rule') return sendRules(client, domain, first.action, items as readonly RulePayload[]);
  throw new Error(`there is no batch endpoint for a ${first.kind}`);
}

function sendOne(client: Client, domain: DomainName, item: Payload): Promise<WireAnswer> {
  switch (item.kind) {
    case 'domain':
      return sendDomain(client, domain, item);
    case 'alias':
      return sendAlias(client, domain, item);
    case 'rule':
      return sendRule(client, domain, item);
    case 'credential':
      return sendCredential(client, domain, item);
  }
}

async function sendDomain(client: Client, domain: DomainName, item: DomainPayload): Promise<WireAnswer> {
  switch (item.action) {
    case 'add': {
      const added = await client.addDomain(domain, item.state);
      return added.ok ? succeed([succeed({ id: null, domain: added.value })]) : added;
    }
    case 'update':
      return one(await client.updateDomain(domain, item.state));
    case 'delete':
      return one(await client.deleteDomain(domain));
  }
}

async function sendAlias(client: Client, domain: DomainName, item: AliasPayload): Promise<WireAnswer> {
  switch (item.action) {
    case 'add':
      return one(await client.addAlias(domain, item.alias));
    case 'update':
      return one(await client.updateAlias(domain, item.alias));
    case 'delete':
      return one(await client.deleteAlias(domain, item.id));
  }
}

async function sendRule(client: Client, domain: DomainName, item: RulePayload): Promise<WireAnswer> {
  switch (item.action) {
    case 'add':
      return one(await client.addRule(domain, item.rule));
    case 'update':
      return one(await client.updateRule(domain, item.rule));
    case 'delete':
      return one(await client.deleteRule(domain, item.id));
  }
}

async function sendCredential(
  client: Client,
  domain: DomainName,
  item: CredentialPayload,
): Promise<WireAnswer> {
  switch (item.action) {
    case 'add':
      return addCredential(client, domain, item);
    case 'update':
      return one(await client.updateCredential(domain, item.username, item.password));
    case 'delete':
      return one(await client.deleteCredential(domain, item.username));
  }
}

/** v4: SMTP credentials; the first one of a domain needs DNS records before anything can be sent. */
async function addCredential(
  client: Client,
  domain: DomainName,
  item: Extract<CredentialPayload, { readonly password: string }>,
): Promise<WireAnswer> {
  const answer = await client.addCredential(domain, item.username, item.password);
  if (!answer.ok) return answer;
  if (!answer.value.requiresNewMxCheck) return succeed([succeed({ id: null })]);
  const note =
    `${domain} has its first SMTP credential: sending stays blocked until its DKIM and DMARC records are in DNS ` +
    `(fwdsync verify ${domain} prints them)`;
  return succeed([succeed({ id: null, note })]);
}

function sendAliases(
  client: Client,
  domain: DomainName,
  action: AliasPayload['action'],
  items: readonly AliasPayload[],
): Promise<WireAnswer> {
  switch (action) {
    case 'add':
      return many(
        client.addAliases(
          domain,
          only(items, action).map((item) => item.alias),
        ),
      );
    case 'update':
      return many(
        client.updateAliases(
          domain,
          only(items, action).map((item) => item.alias),
        ),
      );
    case 'delete':
      return many(
        client.deleteAliases(
          domain,
          only(items, action).map((item) => item.id),
        ),
      );
  }
}

function sendRules(
  client: Client,
  domain: DomainName,
  action: RulePayload['action'],
  items: readonly RulePayload[],
): Promise<WireAnswer> {
  switch (action) {
    case 'add':
      return many(
        client.addRules(
          domain,
          only(items, action).map((item) => item.rule),
        ),
      );
    case 'update':
      return many(
        client.updateRules(
          domain,
          only(items, action).map((item) => item.rule),
        ),
      );
    case 'delete':
      return many(
        client.deleteRules(
          domain,
          only(items, action).map((item) => item.id),
        ),
      );
  }
}

function only<P extends Payload, A extends P['action']>(
  items: readonly P[],
  action: A,
): readonly Extract<P, { readonly action: A }>[] {
  return items.filter((item): item is Extract<P, { readonly action: A }> => item.action === action);
}

function one(answer: Result<unknown, ApiError>): WireAnswer {
  return answer.ok ? succeed([succeed(accepted(answer.value))]) : answer;
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
