import { LIMITS, type ApiVersion, READ_ENDPOINTS } from '../../core/model/endpoints.ts';
import { parseDomainName, type DomainName } from '../../core/model/names.ts';
import type { Account, ObservedDomain } from '../../core/model/observed.ts';
import { type DomainState, settingsSentBy, SETTINGS } from '../../core/kinds/domain/fields.ts';
import type { ObservedAlias } from '../../core/kinds/alias/fields.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import type { Call } from '../http/call.ts';
import type { Answer, Client, DomainUpdate } from '../client.ts';
import {
  arrayField,
  DecodeError,
  expectSame,
  limitField,
  nullableString,
  objectField,
  objectOf,
  stringField,
  timeOf,
  type Json,
} from '../../core/fields/json.ts';
import type { ApiError } from '../errors.ts';
import { readListing, type ListingRequest } from '../listing.ts';
import { decodeFields, encodeFields } from '../../core/fields/fields.ts';
import { ALIAS_WIRE } from '../../core/kinds/alias/wire.ts';
import { DOMAIN_WIRE } from '../../core/kinds/domain/wire.ts';

type DomainOperations = Pick<
  Client,
  | 'getAccount'
  | 'listWhitelabels'
  | 'listDomains'
  | 'listDomainsWithAliases'
  | 'getDomain'
  | 'addDomain'
  | 'updateDomain'
  | 'deleteDomain'
>;

/** Returns the account and domain requests of both versions (v4, v3: Account, Domains). */
export function domainOperations(call: Call, version: ApiVersion): DomainOperations {
  const endpoints = DOMAIN_WIRE.endpoints[version];
  return {
    getAccount: () =>
      call({ endpoint: READ_ENDPOINTS[version].getAccount, params: {} }, (json) =>
        decodeAccount(objectField(json ?? {}, 'account')),
      ),
    listWhitelabels: version === 'v4' ? null : () => listWhitelabels(call),
    listDomains: (filter) =>
      readListing(call, {
        ...domainListing(version, decodeDomain),
        query: {
          ...DOMAIN_WIRE.list.query[version],
          ...(filter === undefined ? {} : { [DOMAIN_WIRE.filter[version]]: filter.query }),
        },
      }),
    listDomainsWithAliases: () => readListing(call, domainListing(version, decodeDomainWithAliases)),
    getDomain: (domain) => call({ endpoint: endpoints.getDomain, params: { domain } }, theDomain(domain)),
    addDomain(domain, state) {
      const body = { domain, ...encodeFields(settingsSentBy('add', version), state) };
      return call({ endpoint: endpoints.addDomain, params: {}, body }, theDomain(domain));
    },
    updateDomain: (domain, state) => updateDomain(call, version, domain, state),
    deleteDomain: (domain) => call({ endpoint: endpoints.deleteDomain, params: { domain } }, () => undefined),
  };
}

function domainListing(
  version: ApiVersion,
  decode: (row: unknown) => ObservedDomain,
): ListingRequest<ObservedDomain> {
  return {
    endpoint: DOMAIN_WIRE.endpoints[version].listDomains,
    params: {},
    query: DOMAIN_WIRE.list.query[version],
    field: 'domains',
    pageSize: DOMAIN_WIRE.list.pageSize[version],
    decode,
    keyOf: ({ domain }) => domain,
  };
}

/**
 * Updates a domain. PUT of v4 resets settings that are left out. So it sends all settings, and those that are not stated as
 * they were just read.
 */
async function updateDomain(
  call: Call,
  version: ApiVersion,
  domain: DomainName,
  state: DomainState,
): Answer<DomainUpdate> {
  const endpoints = DOMAIN_WIRE.endpoints[version];
  const reads: Result<ObservedDomain, ApiError>[] = [];
  const settings = async (): Promise<Json | null> => {
    const read = await call({ endpoint: endpoints.getDomain, params: { domain } }, theDomain(domain));
    reads.push(read);
    return read.ok ? encodeFields(settingsSentBy('update', version), { ...read.value, ...state }) : null;
  };
  const request = { endpoint: endpoints.updateDomain, params: { domain } };
  const after = await call(request, theDomain(domain), settings);
  const before = reads.at(-1);
  if (before?.ok === false) return fail(unread(before.error));
  if (!after.ok) return after;
  if (before === undefined) throw new Error(`${domain} was updated without a read`);
  return succeed({ before: before.value, after: after.value });
}

/** Converts the error of a read. If its outcome is unknown, the update's is not: it was not sent. */
function unread(error: ApiError): ApiError {
  const { endpoint, message } = error;
  return error.kind === 'unknown-outcome' ? { kind: 'unproven', endpoint, status: null, message } : error;
}

function listWhitelabels(call: Call): Answer<readonly string[]> {
  return call({ endpoint: READ_ENDPOINTS.v3.listWhitelabels, params: {} }, (json) =>
    arrayField(json ?? {}, 'whitelabels').map((row) => stringField(objectOf(row, 'a whitelabel'), 'name')),
  );
}

function theDomain(name: string): (json: Json | null) => ObservedDomain {
  return (json) => {
    const domain = decodeDomain(objectField(json ?? {}, 'domain'));
    expectSame('domain', name, domain.domain);
    return domain;
  };
}

/** Decodes an account (v4: Account; v3: Account, where the limits are in `limits` too). */
function decodeAccount(value: unknown): Account {
  const json = objectOf(value, 'account');
  const plan = objectOf(json['plan'] ?? {}, 'field plan');
  const limits = objectOf(json['limits'] ?? {}, 'field limits');
  const retention = json['email_log_retention_days'];
  return {
    email: stringField(json, 'email'),
    // The document mentions only null. Any other value but false counts as a lock.
    locked: json['locked'] !== null && json['locked'] !== undefined && json['locked'] !== false,
    lockReason: typeof json['lock_reason'] === 'string' ? json['lock_reason'] : null,
    overQuota: json['over_quota'] === true,
    ...(typeof retention === 'number' ? { logRetentionDays: retention } : {}),
    plan: {
      name: nullableString(plan, 'name'),
      domainsLimit: limitField(plan, 'domains_limit') ?? limitField(limits, 'domains'),
      aliasesLimit: limitField(plan, 'aliases_limit') ?? limitField(limits, 'aliases'),
      rulesLimit: limitField(plan, 'rules_limit'),
    },
  };
}

/**
 * Decodes a domain (v4: Domain; v3: Domain). `active` in v3 means that the MX records lead to the service. The aliases that
 * some answers embed are left out: there are at most 200, so they are not a full listing.
 */
export function decodeDomain(value: unknown): ObservedDomain {
  const json = objectOf(value, 'domain');
  return {
    domain: decodeDomainName(stringField(json, 'domain')),
    ...decodeFields(SETTINGS, json),
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

/** Decodes a domain with its embedded aliases (v3: Domain). */
function decodeDomainWithAliases(value: unknown): ObservedDomain {
  const domain = decodeDomain(value);
  const aliases = decodeEmbedded(objectOf(value, 'domain')['aliases']);
  return aliases === null ? domain : { ...domain, aliases };
}

/**
 * Decodes embedded aliases. Returns null if they may be incomplete: a row has no total, so they are complete only if there
 * is room for another one. It also returns null if one of them is invalid, which must not hide the other domains.
 */
function decodeEmbedded(rows: unknown): readonly ObservedAlias[] | null {
  if (!Array.isArray(rows) || rows.length >= LIMITS.embeddedAliases) return null;
  try {
    const aliases = rows.map((row) => ALIAS_WIRE.decode(objectOf(row, 'alias')));
    return new Set(aliases.map(({ id }) => id)).size === rows.length ? aliases : null;
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

/** Returns a live domain's name, even if no manifest can contain it, because it must not hide the others. */
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
