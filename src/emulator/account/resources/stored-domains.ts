import { createAliases, insertAlias } from './aliases.ts';
import { readFields, type BodyObject } from './body.ts';
import { found, invalid, ok, type Checked } from '../checked.ts';
import { createCredentials } from './credentials.ts';
import { domainNameField, notificationEmailFault, settingField, webhookFault } from './fields.ts';
import { createLogTable } from '../../logs/logs.ts';
import type { DomainFields, Generation } from '../model.ts';
import { createRules } from './rules.ts';
import { checkRoom, takeSequence, type DomainRecord, type State } from '../state.ts';

export function findDomain(state: State, name: string): Checked<DomainRecord> {
  return found(state.domains.get(name), 'domain');
}

/**
 * Adds a domain, and a `*` alias if the switch `catchAllOnCreate` says so. It is refused if the name is invalid or exists,
 * if a setting is invalid, or if a plan limit is reached.
 */
export function addDomain(state: State, version: Generation, body: BodyObject): Checked<DomainRecord> {
  const { switches, account, environment } = state;
  const defaults = newDomainFields(state);
  const { webhook: _, ...settings } = settingFields(state, String(body['domain']), defaults);
  const fields = readFields(body, { domain: domainNameField, ...settings }, switches.unknownFields);
  if (!fields.ok) return fields;
  const { domain: name, ...stated } = fields.value;
  if (state.domains.get(name) !== undefined) {
    return invalid('domain', `The domain "${name.toLowerCase()}" is already registered.`);
  }
  const used = state.domains.size;
  const room = checkRoom('domain', { limit: account.plan.domains_limit, used, noun: 'domains' });
  if (!room.ok) return room;
  const now = environment.now();
  const times = { created_at: now, updated_at: now };
  const domain = insertDomain(state, name, { ...defaults, ...withoutUndefined(stated) }, times);
  if (switches.catchAllOnCreate === 'both' || switches.catchAllOnCreate === version) {
    insertAlias(state, domain, { alias: '*', forward: account.email, ...times });
  }
  return ok(domain);
}

/** Inserts a domain without any check. */
export function insertDomain(
  state: State,
  name: string,
  fields: DomainFields,
  times: { readonly created_at: number; readonly updated_at: number },
): DomainRecord {
  const domain: DomainRecord = {
    name: name.toLowerCase(),
    sequence: takeSequence(state),
    ...times,
    fields,
    aliases: createAliases(state.switches),
    rules: createRules(state.switches),
    credentials: createCredentials(),
    logs: createLogTable(),
  };
  state.domains.insert(domain);
  return domain;
}

export function newDomainFields({ switches, account }: State): DomainFields {
  const isFound = switches.dnsOnCreate === 'valid';
  return {
    forwarding_ready: false,
    send_ready: false,
    banned: false,
    notification_email: account.email,
    notify_when_spam_blocked: false,
    routing_engine: 'alias',
    rules_fallback_email: null,
    strict_mxes: false,
    whitelabel: null,
    webhook: null,
    dns: { mx: isFound, spf: isFound, dkim1: isFound, dkim2: isFound, dmarc: isFound },
  };
}

/**
 * Updates a domain. Fields that are left out return to their defaults, unless `leftOutOnUpdate` keeps them. Only v3 has a
 * webhook; v4 keeps it.
 */
export function updateDomain(
  state: State,
  version: Generation,
  domain: DomainRecord,
  body: BodyObject,
): Checked<DomainRecord> {
  const { webhook, ...settings } = settingFields(state, domain.name, domain.fields);
  const shape = version === 'v3' ? { ...settings, webhook } : settings;
  const fields = readFields(body, shape, state.switches.unknownFields);
  if (!fields.ok) return fields;
  const { notification_email, whitelabel } = newDomainFields(state);
  const isReset = state.switches.leftOutOnUpdate === 'reset';
  Object.assign(
    domain.fields,
    isReset ? { notification_email, whitelabel } : {},
    withoutUndefined(fields.value),
  );
  domain.updated_at = state.environment.now();
  return ok(domain);
}

/** Verifies the DNS records: MX decides about forwarding; SPF, DKIM and DMARC decide about sending. */
export function verifyDomain({ fields }: DomainRecord): void {
  const { mx, spf, dkim1, dkim2, dmarc } = fields.dns;
  fields.forwarding_ready = mx;
  fields.send_ready = spf && dkim1 && dkim2 && dmarc;
}

/** The settings that a request may state. A new one is a row here. */
function settingFields({ switches }: State, domain: string, current: DomainFields) {
  const onNull = switches.nullOnUpdate;
  return {
    notification_email: settingField(current.notification_email, onNull, (text) =>
      notificationEmailFault(text, domain.toLowerCase(), switches),
    ),
    whitelabel: settingField(current.whitelabel, onNull, () => null),
    webhook: settingField(current.webhook, 'clear', webhookFault),
  };
}

/** Returns the fields that are not undefined. */
function withoutUndefined<T extends object>(fields: T): { [F in keyof T]?: Exclude<T[F], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as ReturnType<typeof withoutUndefined<T>>;
}
