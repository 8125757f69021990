import type { Alias, Credential, Rule } from '../account/model.ts';
import type { DomainRecord, State } from '../account/state.ts';
import type { JsonObject } from '../http/protocol.ts';

/** Renders a time as v4 does: ISO 8601 in UTC with second precision. */
export function renderTime(epochMilliseconds: number): string {
  return `${new Date(epochMilliseconds).toISOString().slice(0, 19)}Z`;
}

export function renderAccount({ account }: State): JsonObject {
  const { card_brand, company_details, company_name, last4, password, ...shown } = account;
  return {
    ...shown,
    cancels_at: account.cancels_at === null ? null : renderTime(account.cancels_at),
    created_at: renderTime(account.created_at),
    plan: { ...account.plan },
    renews_at: renderTime(account.renews_at),
  };
}

export function renderDomain(domain: DomainRecord): JsonObject {
  const { webhook, dns, ...shown } = domain.fields;
  return { domain: domain.name, ...shown, ...times(domain) };
}

export function renderAlias(alias: Alias): JsonObject {
  return { id: String(alias.id), alias: alias.alias, forward: alias.forward, ...times(alias) };
}

export function renderRule(rule: Rule): JsonObject {
  const { type, ...config } = rule.config;
  return { id: rule.id, type, config, rank: rule.rank, active: rule.active, ...times(rule) };
}

/** Renders a credential without its password. */
export function renderCredential({ username, created_at, usage }: Credential): JsonObject {
  return { username, created_at: renderTime(created_at), usage };
}

function times(item: { readonly created_at: number; readonly updated_at: number }): JsonObject {
  return { created_at: renderTime(item.created_at), updated_at: renderTime(item.updated_at) };
}
