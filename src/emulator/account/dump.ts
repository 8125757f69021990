import { dumpLog, type DumpedLog } from '../logs/logs-seed.ts';
import type {
  AccountRecord,
  Alias,
  Credential,
  DnsState,
  RoutingEngine,
  Rule,
  RuleKind,
  Tier,
} from './model.ts';
import type { DomainRecord, State } from './state.ts';
import { rulesInOrder } from './store-rules.ts';
import { DEFAULT_SWITCHES, type Switches } from './switches.ts';

/** `without: 'volatile'` leaves out what differs between two runs with the same outcome: alias ids, times, usage. */
export interface DumpOptions {
  readonly without?: 'volatile' | undefined;
}

/** A snapshot of the account: domains, aliases and credentials by name, rules in the order of evaluation. */
export interface Dump {
  readonly tier: Tier;
  /** Those that are not at their default. */
  readonly switches?: Partial<Switches>;
  readonly account: AccountRecord;
  readonly whitelabels: readonly string[];
  readonly domains: readonly DumpedDomain[];
}

export interface DumpedDomain {
  readonly domain: string;
  readonly forwarding_ready: boolean;
  readonly send_ready: boolean;
  readonly banned: boolean;
  readonly notification_email: string | null;
  readonly notify_when_spam_blocked: boolean;
  readonly routing_engine: RoutingEngine;
  readonly rules_fallback_email: string | null;
  readonly strict_mxes: boolean;
  readonly whitelabel: string | null;
  readonly webhook: string | null;
  readonly dns: DnsState;
  readonly created_at?: number;
  readonly updated_at?: number;
  readonly aliases: readonly DumpedAlias[];
  readonly rules: readonly DumpedRule[];
  readonly credentials: readonly DumpedCredential[];
  readonly logs: readonly DumpedLog[];
}

export interface DumpedAlias {
  readonly id?: number;
  readonly alias: string;
  readonly forward: string;
  readonly created_at?: number;
  readonly updated_at?: number;
}

export interface DumpedRule {
  readonly id: string;
  readonly type: RuleKind;
  readonly config: Readonly<Record<string, string | readonly string[]>>;
  readonly rank: number;
  readonly active: boolean;
  readonly created_at?: number;
  readonly updated_at?: number;
}

export interface DumpedCredential {
  readonly username: string;
  readonly password: string;
  readonly usage?: number;
  readonly created_at?: number;
}

export function dumpState(state: State, options: DumpOptions = {}): Dump {
  return {
    ...dumpAccount(state, options),
    domains: state.domainsInNameOrder.items.map((domain) => dumpDomain(domain, options)),
  };
}

/** All but the domains. */
export function dumpAccount(state: State, options: DumpOptions): Omit<Dump, 'domains'> {
  return {
    tier: state.tier,
    ...dumpSwitches(state, options),
    account: { ...state.account, plan: { ...state.account.plan } },
    whitelabels: [...state.whitelabels],
  };
}

function dumpSwitches({ switches }: State, options: DumpOptions): { readonly switches?: Partial<Switches> } {
  const defaults = new Map<string, unknown>(Object.entries(DEFAULT_SWITCHES));
  const changed = Object.entries(switches).filter(([name, value]) => defaults.get(name) !== value);
  if (changed.length === 0 || options.without === 'volatile') return {};
  return { switches: Object.fromEntries(changed) };
}

function dumpDomain(domain: DomainRecord, options: DumpOptions): DumpedDomain {
  return {
    ...dumpDomainFields(domain, options),
    aliases: domain.aliases.inNameOrder.items.map((alias) => dumpAlias(alias, options)),
    rules: rulesInOrder(domain).map((rule) => dumpRule(rule, options)),
    credentials: [...domain.credentials.byUsername.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, credential]) => dumpCredential(credential, options)),
    logs: domain.logs.inCreatedOrder.items.map((entry) => dumpLog(entry, options.without)),
  };
}

/** All but what is in the domain. */
export function dumpDomainFields(
  domain: DomainRecord,
  options: DumpOptions,
): Omit<DumpedDomain, 'aliases' | 'rules' | 'credentials' | 'logs'> {
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
    webhook: domain.webhook,
    dns: { ...domain.dns },
    ...times(domain, options),
  };
}

export function dumpAlias(alias: Alias, options: DumpOptions): DumpedAlias {
  return {
    ...(options.without === 'volatile' ? {} : { id: alias.id }),
    alias: alias.name,
    forward: alias.forward,
    ...times(alias, options),
  };
}

export function dumpRule(rule: Rule, options: DumpOptions): DumpedRule {
  const { type, ...config } = rule.config;
  return {
    id: rule.id,
    type,
    config,
    rank: rule.rank,
    active: rule.active,
    ...times(rule, options),
  };
}

export function dumpCredential(credential: Credential, options: DumpOptions): DumpedCredential {
  const { username, password, usage, createdAt } = credential;
  return options.without === 'volatile'
    ? { username, password }
    : { username, password, usage, created_at: createdAt };
}

function times(
  item: { readonly createdAt: number; readonly updatedAt: number },
  options: DumpOptions,
): { created_at?: number; updated_at?: number } {
  return options.without === 'volatile' ? {} : { created_at: item.createdAt, updated_at: item.updatedAt };
}
