import { checkDomainName, checkNotificationEmail, isWebhook } from './fields.ts';
import { createLogTable } from '../logs/logs.ts';
import {
  invalid,
  notFound,
  ok,
  type Generation,
  type DnsState,
  type DomainFields,
  type StoreResult,
  type RoutingEngine,
} from './model.ts';
import { insertInto, readPage, removeFrom, type Page } from '../index/sorted.ts';
import { takeSequence, type DomainRecord, type State } from './state.ts';
import { createAliasTable, insertAlias, type ListOrder } from './store-aliases.ts';
import { createCredentialTable } from './store-credentials.ts';
import { checkRoom } from './store-limits.ts';
import { createRuleTable, deleteAllRules } from './store-rules.ts';

export interface DomainQuery {
  readonly query?: string | undefined;
  readonly forwardingReady?: boolean | undefined;
  readonly sendReady?: boolean | undefined;
  /** null: domains without one. */
  readonly whitelabel?: string | null | undefined;
  /** null: domains with routing disabled. */
  readonly routingEngine?: RoutingEngine | undefined;
  readonly order: ListOrder;
  readonly offset: number;
  readonly limit: number;
}

/** What a client may set; undefined is a field left out. */
export interface DomainSettings {
  readonly notification_email?: string | null | undefined;
  readonly whitelabel?: string | null | undefined;
  readonly webhook?: string | null | undefined;
}

export function listDomains(state: State, query: DomainQuery): Page<DomainRecord> {
  return readPage(query.order.startsWith('name') ? state.domainsInNameOrder : state.domainsInCreatedOrder, {
    offset: query.offset,
    limit: query.limit,
    direction: query.order.endsWith('_asc') ? 'ascending' : 'descending',
    containing: query.query?.toLowerCase(),
    keep: domainFilter(query),
  });
}

export function findDomain(state: State, name: string): StoreResult<DomainRecord> {
  const domain = state.domains.get(name.toLowerCase());
  return domain === undefined ? notFound('domain') : ok(domain);
}

/**
 * Adds a domain, and with it, by `catchAllOnCreate`, a `*` alias. Errors: an invalid or existing name, an invalid
 * setting, a plan limit.
 */
export function addDomain(
  state: State,
  version: Generation,
  fields: DomainSettings & { readonly domain: string },
): StoreResult<DomainRecord> {
  const name = checkDomainName(fields.domain);
  if (!name.ok) return name;
  if (state.domains.has(name.value)) {
    return invalid('domain', `The domain "${name.value}" is already registered.`);
  }
  const settings = checkSettings(state, name.value, fields);
  if (!settings.ok) return settings;
  const room = checkRoom(state, undefined, 'domain');
  if (!room.ok) return room;
  const now = state.environment.now();
  const domain = insertDomain(state, {
    ...newDomainFields(state),
    ...settings.value,
    name: name.value,
    createdAt: now,
    updatedAt: now,
  });
  if (state.switches.catchAllOnCreate === 'both' || state.switches.catchAllOnCreate === version) {
    const forward = state.account.email;
    insertAlias(state, domain, { name: '*', forward, createdAt: now, updatedAt: now });
  }
  return ok(domain);
}

/** Puts a domain in place without any check. */
export function insertDomain(
  state: State,
  fields: DomainFields & {
    readonly name: string;
    readonly createdAt: number;
    readonly updatedAt: number;
  },
): DomainRecord {
  const domain: DomainRecord = {
    ...fields,
    sequence: takeSequence(state),
    aliases: createAliasTable(state.switches),
    rules: createRuleTable(state.switches),
    credentials: createCredentialTable(),
    logs: createLogTable(),
  };
  state.domains.set(domain.name, domain);
  insertInto(state.domainsInNameOrder, domain);
  insertInto(state.domainsInCreatedOrder, domain);
  return domain;
}

export function newDomainFields(state: State): DomainFields {
  const found = state.switches.dnsOnCreate === 'valid';
  return {
    forwardingReady: false,
    sendReady: false,
    banned: false,
    notificationEmail: state.account.email,
    notifyWhenSpamBlocked: false,
    routingEngine: 'alias',
    rulesFallbackEmail: null,
    strictMxes: false,
    whitelabel: null,
    webhook: null,
    dns: { mx: found, spf: found, dkim1: found, dkim2: found, dmarc: found },
  };
}

/** Fields left out go back to their defaults, unless `leftOutOnUpdate` keeps them. */
export function updateDomain(state: State, name: string, fields: DomainSettings): StoreResult<DomainRecord> {
  const found = findDomain(state, name);
  if (!found.ok) return found;
  const settings = checkSettings(state, found.value.name, fields);
  if (!settings.ok) return settings;
  if (state.switches.leftOutOnUpdate === 'reset') {
    if (fields.notification_email === undefined) found.value.notificationEmail = state.account.email;
    if (fields.whitelabel === undefined) found.value.whitelabel = null;
  }
  Object.assign(found.value, settings.value, { updatedAt: state.environment.now() });
  return found;
}

/** Deletes a domain with its aliases, rules, credentials and logs. */
export function deleteDomain(state: State, name: string): StoreResult<DomainRecord> {
  const found = findDomain(state, name);
  if (!found.ok) return found;
  const domain = found.value;
  state.domains.delete(domain.name);
  removeFrom(state.domainsInNameOrder, domain);
  removeFrom(state.domainsInCreatedOrder, domain);
  state.aliasCount -= domain.aliases.byId.size;
  deleteAllRules(state, domain);
  return found;
}

/** Says which DNS records exist; the domain's flags follow at its next verification. */
export function setDns(domain: DomainRecord, dns: Partial<DnsState>): void {
  Object.assign(domain.dns, dns);
}

/** Looks at the DNS records: MX decides about forwarding, SPF, DKIM and DMARC about sending. */
export function verifyDomain(state: State, name: string): StoreResult<DomainRecord> {
  const found = findDomain(state, name);
  if (!found.ok) return found;
  const { dns } = found.value;
  found.value.forwardingReady = dns.mx;
  found.value.sendReady = dns.spf && dns.dkim1 && dns.dkim2 && dns.dmarc;
  return found;
}

function checkSettings(
  state: State,
  domain: string,
  fields: DomainSettings,
): StoreResult<Partial<DomainFields>> {
  const checked: Partial<DomainFields> = {};
  for (const field of ['notification_email', 'whitelabel', 'webhook'] as const) {
    const value = fields[field];
    if (value === undefined) continue;
    if (value === null) {
      if (field !== 'webhook' && state.switches.nullOnUpdate === 'refuse') {
        return invalid(field, `The ${field} must be a string.`);
      }
      if (field === 'webhook' || state.switches.nullOnUpdate === 'clear') {
        checked[SETTING_NAMES[field]] = null;
      }
      continue;
    }
    const text = checkSetting(state, domain, field, value);
    if (!text.ok) return text;
    checked[SETTING_NAMES[field]] = text.value;
  }
  return ok(checked);
}

const SETTING_NAMES = {
  notification_email: 'notificationEmail',
  whitelabel: 'whitelabel',
  webhook: 'webhook',
} as const;

function checkSetting(
  state: State,
  domain: string,
  field: keyof DomainSettings,
  value: string,
): StoreResult<string> {
  switch (field) {
    case 'notification_email':
      return checkNotificationEmail(value, domain, state.switches);
    case 'whitelabel':
      return value === '' ? invalid('whitelabel', 'The whitelabel is empty.') : ok(value);
    case 'webhook':
      return isWebhook(value) ? ok(value) : invalid('webhook', `"${value}" is not a valid URL.`);
  }
}

function domainFilter(query: DomainQuery): ((domain: DomainRecord) => boolean) | undefined {
  const tests: ((domain: DomainRecord) => boolean)[] = [];
  const { forwardingReady, sendReady, whitelabel, routingEngine } = query;
  if (forwardingReady !== undefined) {
    tests.push((domain) => domain.forwardingReady === forwardingReady);
  }
  if (sendReady !== undefined) tests.push((domain) => domain.sendReady === sendReady);
  if (whitelabel !== undefined) tests.push((domain) => domain.whitelabel === whitelabel);
  if (routingEngine !== undefined) tests.push((domain) => domain.routingEngine === routingEngine);
  return tests.length === 0 ? undefined : (domain) => tests.every((test) => test(domain));
}
