import type { Alias, Credential, Rule } from '../account/model.ts';
import type { JsonObject } from '../http/protocol.ts';
import type { DomainRecord, State } from '../account/state.ts';
import { listAliases } from '../account/store-aliases.ts';

/** v3: Limits. */
const MAX_EMBEDDED_ALIASES = 200;

export function renderV3Account({ account, tier }: State): JsonObject {
  const { plan } = account;
  return {
    billing_email: account.billing_email,
    cancels_on: account.cancels_at,
    card_brand: account.card_brand,
    company_details: account.company_details,
    company_name: account.company_name,
    company_vat: account.company_vat,
    country: account.country,
    created: account.created_at,
    email: account.email,
    last4: account.last4,
    lock_reason: account.lock_reason,
    locked: account.locked,
    password: account.password,
    premium: tier === 'paid',
    privacy_level: account.privacy_level,
    renew_date: account.renews_at,
    limits: {
      aliases: plan.aliases_limit,
      daily_quota: plan.daily_receive_limit,
      daily_send: plan.daily_send_limit,
      domains: plan.domains_limit,
      ratelimit: 10,
      redirections: 50,
      subdomains: 2,
      api: 3,
      credentials: 100,
      destinations: 50,
    },
    plan: {
      aliases_limit: plan.aliases_limit,
      daily_quota: plan.daily_receive_limit,
      display: plan.name,
      domains_limit: plan.domains_limit,
      kind: tier,
      name: plan.name,
      price: plan.price,
      yearly: plan.billing_cycle === 'yearly',
    },
  };
}

/**
 * With the first 200 aliases; times are epoch milliseconds. Some answers have a `daily_quota` too.
 */
export function renderV3Domain(domain: DomainRecord): JsonObject {
  return {
    active: domain.forwardingReady,
    domain: domain.name,
    display: domain.name,
    dkim_selector: 'dkimprovmx',
    notification_email: domain.notificationEmail,
    webhook: domain.webhook,
    whitelabel: domain.whitelabel,
    added: domain.createdAt,
    routing_engine: domain.routingEngine,
    banned: domain.banned,
    aliases: embeddedAliases(domain),
  };
}

function embeddedAliases(domain: DomainRecord): readonly JsonObject[] {
  return listAliases(domain, { order: 'name_asc', offset: 0, limit: MAX_EMBEDDED_ALIASES }).items.map(
    renderV3Alias,
  );
}

export function renderV3Alias(alias: Alias): JsonObject {
  return { alias: alias.name, forward: alias.forward, id: alias.id, created: alias.createdAt };
}

/** `created` is in seconds, unlike every other time, unless `v3RuleTimes` says otherwise. */
export function renderV3Rule(rule: Rule, { switches }: State): JsonObject {
  const { type, ...config } = rule.config;
  const created = switches.v3RuleTimes === 'seconds' ? Math.floor(rule.createdAt / 1000) : rule.createdAt;
  return { id: rule.id, type, config: { ...config }, rank: rule.rank, active: rule.active, created };
}

/** Never the password. */
export function renderV3Credential({ username, usage, createdAt }: Credential): JsonObject {
  return { username, usage, created: createdAt };
}
