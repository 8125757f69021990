import type {
  AliasAddition,
  AliasUpdate,
  Answer,
  BatchAnswer,
  Client,
  ItemFailure,
} from '../../../client/client.ts';
import type { ApiError } from '../../../client/errors.ts';
import type { CommandLine } from '../../../core/model/text/command-line.ts';
import { sameDestinations } from '../../../core/model/destinations.ts';
import { requestId } from '../../../core/model/item-key.ts';
import type { Kind } from '../../../core/model/kinds.ts';
import type { CredentialName, DomainName } from '../../../core/model/names.ts';
import type { ObservedDomain } from '../../../core/model/observed.ts';
import type { CredentialChange } from '../../../core/model/plan.ts';
import {
  sameMatch,
  sameSetting,
  SETTINGS,
  type DomainState,
  type ObservedAlias,
  type ObservedRule,
} from '../../../core/model/resources.ts';
import { succeed, type Result } from '../../../core/model/result.ts';
import type { RulePayload } from '../../../core/plan/diff/rules/rule-parts.ts';
import type { WriteItem } from '../../../core/plan/requests/order.ts';
import type { WriteOperation, WriteRequest } from '../../../core/plan/requests/requests.ts';

/** Sends a request of the plan: its operation has one row in the table, and the row makes one call of the client. */
export function sendRequest(client: Client, request: WriteRequest, sources: Sources): Promise<WireAnswer> {
  return SENDERS[request.operation](client, request, sources);
}

/** What is sent and no change holds. */
export interface Sources {
  /** The managed settings. */
  readonly settingsOf: (domain: DomainName) => DomainState;
  readonly passwordOf: (change: CredentialChange) => string;
  /** Completes the commands that notes name. */
  readonly command: CommandLine;
}

/** One request: each item's own outcome in the order sent, or what the whole request met with. */
export type WireAnswer = Result<readonly ItemAnswer[], ApiError>;

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
  /** Of a domain that was updated: as it was right before. */
  readonly before?: ObservedDomain;
  readonly note?: string;
}

/** Where an answer shows nothing of the item. */
export const DONE: Accepted = { id: null, kept: true };

type Operate = (client: Client, request: WriteRequest, sources: Sources) => Promise<WireAnswer>;

/** Of each operation how it is called, and what of its answer shows whether an item was kept. */
const SENDERS: Readonly<Record<WriteOperation, Operate>> = {
  addDomain: alone(
    'domain',
    (client, { change }, { settingsOf }) => client.addDomain(change.domain, settingsOf(change.domain)),
    (row, { change }, { settingsOf }) => {
      return { ...DONE, kept: hasSettings(row, settingsOf(change.domain)), domain: row };
    },
  ),
  updateDomain: alone(
    'domain',
    (client, { change }, { settingsOf }) => client.updateDomain(change.domain, settingsOf(change.domain)),
    ({ before, after }, { change }, { settingsOf }) => {
      return { ...DONE, kept: hasSettings(after, settingsOf(change.domain)), before };
    },
  ),
  deleteDomain: alone('domain', (client, { change }) => client.deleteDomain(change.domain)),

  addAlias: alone(
    'alias',
    (client, item) => client.addAlias(item.change.domain, aliasAddition(item)),
    acceptAlias,
  ),
  addAliases: together(
    'alias',
    (client, domain, items) => client.addAliases(domain, items.map(aliasAddition)),
    acceptAlias,
  ),
  updateAlias: alone(
    'alias',
    (client, item) => client.updateAlias(item.change.domain, aliasUpdate(item)),
    acceptAlias,
  ),
  updateAliases: together(
    'alias',
    (client, domain, items) => client.updateAliases(domain, items.map(aliasUpdate)),
    acceptAlias,
  ),
  deleteAlias: alone('alias', (client, item) => client.deleteAlias(item.change.domain, idOf(item))),
  deleteAliases: together('alias', (client, domain, items) => client.deleteAliases(domain, items.map(idOf))),

  addRule: alone('rule', (client, { change, rule }) => client.addRule(change.domain, rule), acceptRule),
  addRules: together(
    'rule',
    (client, domain, items) => client.addRules(domain, items.map(ruleOf)),
    acceptRule,
  ),
  updateRule: alone('rule', (client, { change, rule }) => client.updateRule(change.domain, rule), acceptRule),
  updateRules: together(
    'rule',
    (client, domain, items) => client.updateRules(domain, items.map(ruleOf)),
    acceptRule,
  ),
  deleteRule: alone('rule', (client, { change, rule }) => client.deleteRule(change.domain, rule.id)),
  deleteRules: together('rule', (client, domain, items) =>
    client.deleteRules(
      domain,
      items.map(({ rule }) => rule.id),
    ),
  ),

  addCredential: alone(
    'credential',
    (client, { change }, { passwordOf }) =>
      client.addCredential(change.domain, usernameOf(change), passwordOf(change)),
    ({ requiresNewMxCheck }, { change }, { command }) => {
      return requiresNewMxCheck ? { ...DONE, note: firstCredentialNote(change.domain, command) } : DONE;
    },
  ),
  updateCredential: alone('credential', (client, { change }, { passwordOf }) =>
    client.updateCredential(change.domain, usernameOf(change), passwordOf(change)),
  ),
  deleteCredential: alone('credential', (client, { change }) =>
    client.deleteCredential(change.domain, usernameOf(change)),
  ),
};

export type ItemOf<K extends Kind> = Extract<WriteItem, { readonly kind: K }>;
type Accept<K extends Kind, Row> = (row: Row, item: ItemOf<K>, sources: Sources) => Accepted;

/** A row of an operation on a single item. */
function alone<K extends Kind, Row>(
  kind: K,
  call: (client: Client, item: ItemOf<K>, sources: Sources) => Answer<Row>,
  accept: Accept<K, Row> = () => DONE,
): Operate {
  return async (client, { items }, sources) => {
    const [item] = items.filter(isOf(kind));
    if (item === undefined) return succeed([]);
    const answer = await call(client, item, sources);
    return answer.ok ? succeed([succeed(accept(answer.value, item, sources))]) : answer;
  };
}

/** A row of an operation on a batch. */
function together<K extends Kind, Row>(
  kind: K,
  call: (client: Client, domain: DomainName, items: readonly ItemOf<K>[]) => BatchAnswer<Row>,
  accept: Accept<K, Row> = () => DONE,
): Operate {
  return async (client, { domain, items }, sources) => {
    const ours = items.filter(isOf(kind));
    const answer = await call(client, domain, ours);
    if (!answer.ok) return answer;
    const outcomes = ours.flatMap((item, index) => {
      const outcome = answer.value[index];
      if (outcome === undefined) return [];
      return [outcome.ok ? succeed(accept(outcome.value, item, sources)) : outcome];
    });
    return succeed(outcomes);
  };
}

function isOf<K extends Kind>(kind: K): (item: WriteItem) => item is ItemOf<K> {
  return (item): item is ItemOf<K> => item.kind === kind;
}

function aliasAddition({ change: { name, desired } }: ItemOf<'alias'>): AliasAddition {
  return { alias: name, forward: desired?.forward ?? [] };
}

function idOf({ change }: ItemOf<'alias'>): string {
  return requestId(change);
}

function aliasUpdate(item: ItemOf<'alias'>): AliasUpdate {
  return { id: idOf(item), forward: item.change.desired?.forward ?? [] };
}

function ruleOf({ rule }: ItemOf<'rule'>): RulePayload {
  return rule;
}

function usernameOf({ name }: CredentialChange): CredentialName {
  return name as CredentialName;
}

function acceptAlias(row: ObservedAlias, item: ItemOf<'alias'>): Accepted {
  return { id: row.id, kept: isAliasAsSent(row, item) };
}

function acceptRule(row: ObservedRule, { rule }: ItemOf<'rule'>): Accepted {
  return { id: row.id, kept: isRuleAsSent(row, rule), rank: row.rank };
}

/** Whether a live alias forwards as it was sent. */
export function isAliasAsSent({ forward }: ObservedAlias, { change }: ItemOf<'alias'>): boolean {
  return sameDestinations(forward, change.desired?.forward ?? []);
}

/** Whether a live rule is as it was sent; a rank that was left out does not count. */
export function isRuleAsSent(row: ObservedRule, { match, forward, rank, active }: RulePayload): boolean {
  return (
    sameMatch(row.match, match) &&
    sameDestinations(row.forward, forward) &&
    row.active === active &&
    row.rank === (rank ?? row.rank)
  );
}

/** Whether a live domain has the settings that were sent. */
export function hasSettings(row: ObservedDomain, state: DomainState): boolean {
  return SETTINGS.every(
    (field) => state[field] === undefined || sameSetting(field, state[field], row[field]),
  );
}

/** v4: SMTP credentials; the first one of a domain needs DNS records before anything can be sent. */
function firstCredentialNote(domain: DomainName, command: CommandLine): string {
  return (
    `${domain} has its first SMTP credential: sending stays blocked until its DKIM and DMARC records are in DNS ` +
    `(\`${command(`verify ${domain}`)}\` prints them)`
  );
}
