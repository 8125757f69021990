import { decodeForward } from '../../model/destinations.ts';
import { parseDomainName, type DomainName } from '../../model/names.ts';
import type {
  Account,
  ObservedAlias,
  ObservedCredential,
  ObservedDomain,
  ObservedRule,
} from '../../model/observed.ts';
import type { RuleMatch, Scope } from '../../model/resources.ts';
import {
  arrayField,
  booleanField,
  DecodeError,
  idField,
  limitField,
  nullableString,
  numberField,
  objectField,
  objectOf,
  stringField,
  timeOf,
  type Json,
} from './decode.ts';

/** v4: Account; v3: Account, whose limits are in `limits` as well. */
export function decodeAccount(value: unknown): Account {
  const json = objectOf(value, 'account');
  const plan = objectOf(json['plan'] ?? {}, 'field plan');
  const limits = objectOf(json['limits'] ?? {}, 'field limits');
  return {
    email: stringField(json, 'email'),
    // Only null is documented: anything but null and false is taken for a lock.
    locked: json['locked'] !== null && json['locked'] !== undefined && json['locked'] !== false,
    lockReason: typeof json['lock_reason'] === 'string' ? json['lock_reason'] : null,
    overQuota: json['over_quota'] === true,
    plan: {
      name: nullableString(plan, 'name'),
      domainsLimit: limitField(plan, 'domains_limit') ?? limitField(limits, 'domains'),
      aliasesLimit: limitField(plan, 'aliases_limit') ?? limitField(limits, 'aliases'),
      rulesLimit: limitField(plan, 'rules_limit'),
    },
  };
}

/** v4: Domain; v3: Domain, where `active` says that its MX records lead to the service; without the aliases that some answers embed: at most 200 of them, so no listing. */
export function decodeDomain(value: unknown): ObservedDomain {
  const json = objectOf(value, 'domain');
  return {
    domain: decodeDomainName(stringField(json, 'domain')),
    notification_email: nullableString(json, 'notification_email'),
    whitelabel: nullableString(json, 'whitelabel'),
    ...(json['webhook'] === undefined ? {} : { webhook: nullableString(json, 'webhook') }),
    ...decodeRoutingEngine(json),
    ...(json['rules_fallback_email'] === undefined
      ? {}
      : { rulesFallbackEmail: nullableString(json, 'rules_fallback_email') }),
    ...flag(json, json['forwarding_ready'] === undefined ? 'active' : 'forwarding_ready', 'forwardingReady'),
    ...flag(json, 'send_ready', 'sendReady'),
    ...flag(json, 'banned', 'banned'),
    ...flag(json, 'strict_mxes', 'strictMxes'),
    ...flag(json, 'notify_when_spam_blocked', 'notifyWhenSpamBlocked'),
    createdAt: timeOf(json['created_at'] ?? json['added']),
    readAt: null,
  };
}

/** v4: Alias; v3: Alias. */
export function decodeAlias(value: unknown): ObservedAlias {
  const json = objectOf(value, 'alias');
  return {
    id: idField(json, 'id'),
    name: stringField(json, 'alias'),
    forward: decodeForward(stringField(json, 'forward')),
    createdAt: timeOf(json['created_at'] ?? json['created']),
  };
}

/** v4: Rule, Config by type; v3: Rule. */
export function decodeRule(value: unknown): ObservedRule {
  const json = objectOf(value, 'rule');
  const config = objectField(json, 'config');
  return {
    id: stringField(json, 'id'),
    match: decodeMatch(stringField(json, 'type'), config),
    forward: decodeForward(stringField(config, 'forward')),
    rank: numberField(json, 'rank'),
    active: booleanField(json, 'active'),
  };
}

/** v4: SMTP credential. */
export function decodeCredential(value: unknown): ObservedCredential {
  return { name: stringField(objectOf(value, 'credential'), 'username') };
}

function decodeMatch(type: string, config: Json): RuleMatch {
  if (type === 'alias') return { type, alias: stringField(config, 'alias') };
  if (type === 'cel') return { type, expression: stringField(config, 'expression') };
  if (type !== 'regex')
    throw new DecodeError(`field type is ${JSON.stringify(type)}, which is no type of rule`);
  return { type, regex: stringField(config, 'regex'), scopes: arrayField(config, 'scopes').map(decodeScope) };
}

const SCOPES: readonly Scope[] = ['sender', 'recipient', 'subject', 'body'];

function decodeScope(value: unknown): Scope {
  const scope = SCOPES.find((candidate) => candidate === value);
  if (scope !== undefined) return scope;
  throw new DecodeError(`field scopes holds ${JSON.stringify(value)}, which is no scope`);
}

/** A live domain whose name no manifest can hold is listed anyway: it must not hide the others. */
function decodeDomainName(text: string): DomainName {
  const parsed = parseDomainName(text);
  return parsed.ok ? parsed.value : (text.toLowerCase() as DomainName);
}

function decodeRoutingEngine(json: Json): Pick<ObservedDomain, 'routingEngine'> {
  const engine = json['routing_engine'];
  return engine === null || engine === 'alias' || engine === 'rules' ? { routingEngine: engine } : {};
}

function flag<Name extends string>(json: Json, field: string, name: Name): Partial<Record<Name, boolean>> {
  const value = json[field];
  return typeof value === 'boolean' ? ({ [name]: value } as Record<Name, boolean>) : {};
}
