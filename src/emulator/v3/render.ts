import type { Alias, Credential, Rule } from '../account/model.ts';
import type { JsonObject } from '../http/protocol.ts';
import type { DomainRecord, State } from '../account/state.ts';

/** Maximum number of aliases within a domain (v3: Limits). */
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

/** Renders a domain with its first 200 aliases. Times are epoch milliseconds. Some answers also have a `daily_quota`. */
export function renderV3Domain(
  { name, fields, created_at, aliases }: DomainRecord,
  { switches }: State,
): JsonObject {
  const { notification_email, webhook, whitelabel, routing_engine, banned } = fields;
  return {
    active: fields.forwarding_ready,
    domain: name,
    display: name,
    dkim_selector: 'dkimprovmx',
    notification_email,
    webhook,
    whitelabel,
    added: created_at,
    ...(switches.v3RoutingEngine === 'shown' ? { routing_engine } : {}),
    banned,
    aliases: aliases.inOrder('name').slice(0, MAX_EMBEDDED_ALIASES).map(renderV3Alias),
  };
}

export function renderV3Alias({ alias, forward, id, created_at }: Alias): JsonObject {
  return { alias, forward, id, created: created_at };
}

/** Renders a rule. `created` is in seconds, unlike all other times, unless `v3RuleTimes` says otherwise. */
export function renderV3Rule(rule: Rule, { switches }: State): JsonObject {
  const { type, ...config } = rule.config;
  const created = switches.v3RuleTimes === 'seconds' ? Math.floor(rule.created_at / 1000) : rule.created_at;
  return { id: rule.id, type, config, rank: rule.rank, active: rule.active, created };
}

/** Renders a credential without its password. */
export function renderV3Credential({ username, usage, created_at }: Credential): JsonObject {
  return { username, usage, created: created_at };
}
