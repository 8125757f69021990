import type { Alias, Credential, Rule } from '../account/model.ts';
import type { JsonObject } from '../http/protocol.ts';
import type { DomainRecord, State } from '../account/state.ts';

/** v4 times are ISO 8601 in UTC with second precision. */
export function renderTime(epochMilliseconds: number): string {
  return `${new Date(epochMilliseconds).toISOString().slice(0, 19)}Z`;
}

export function renderAccount(state: State): JsonObject {
  const { account } = state;
  return {
    address: account.address,
    billing_email: account.billing_email,
    cancels_at: account.cancels_at === null ? null : renderTime(account.cancels_at),
    company_vat: account.company_vat,
    country: account.country,
    created_at: renderTime(account.created_at),
    email: account.email,
    email_log_retention_days: account.email_log_retention_days,
    lock_reason: account.lock_reason,
    locked: account.locked,
    name: account.name,
    over_quota: account.over_quota,
    plan: { ...account.plan },
    privacy_level: account.privacy_level,
    renews_at: renderTime(account.renews_at),
  };
}

export function renderDomain(domain: DomainRecord): JsonObject {
  return {
    domain: domain.name,
    forwarding_ready: domain.forwardingReady,
    send_ready: domain.sendReady,
    banned: domain.banned,
    notification_email: domain.notificationEmail,
    notify_when_spam_blocked: domain.notifyWhenSpamBlocked,
    routing_engine: domain.routingEngine,
    rules_fallback_email: domain.rulesFallbackEmail,
    strict_mxes: domain.strictMxes,
    whitelabel: domain.whitelabel,
    created_at: renderTime(domain.createdAt),
    updated_at: renderTime(domain.updatedAt),
  };
}

export function renderAlias(alias: Alias): JsonObject {
  return {
    id: String(alias.id),
    alias: alias.name,
    forward: alias.forward,
    created_at: renderTime(alias.createdAt),
    updated_at: renderTime(alias.updatedAt),
  };
}

export function renderRule(rule: Rule): JsonObject {
  const { type, ...config } = rule.config;
  return {
    id: rule.id,
    type,
    config: { ...config },
    rank: rule.rank,
    active: rule.active,
    created_at: renderTime(rule.createdAt),
    updated_at: renderTime(rule.updatedAt),
  };
}

/** Never the password. */
export function renderCredential(credential: Credential): JsonObject {
  return {
    username: credential.username,
    created_at: renderTime(credential.createdAt),
    usage: credential.usage,
  };
}
