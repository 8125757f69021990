import { seedLogs, type SeedLog } from '../logs/logs-seed.ts';
import type {
  AccountRecord,
  AccountPlan,
  DnsState,
  DomainFields,
  RoutingEngine,
  RuleConfig,
  RuleKind,
  Tier,
} from './model.ts';
import { readTime, type SeedTime } from './seed-time.ts';
import type { DomainRecord, State } from './state.ts';
import { insertAlias } from './store-aliases.ts';
import { insertCredential } from './store-credentials.ts';
import { insertDomain, newDomainFields } from './store-domains.ts';
import { insertRule } from './store-rules.ts';
import type { Switches } from './switches.ts';

/**
 * The content of an account as plain JSON, taken as it is: no check, no plan limit, no catch-all of the service's own.
 *
 *     { "account": { "email": "ops@acme.example", "plan": { "domains_limit": 3 } },
 *       "whitelabels": ["mail.partner.example"],
 *       "domains": [
 *         { "domain": "acme.example", "notification_email": "ops@corp.example", "routing_engine": "rules",
 *           "aliases": [{ "alias": "*", "forward": "ana@corp.example", "id": 7, "created_at": "2026-01-01T00:00:00Z" }],
 *           "rules": [{ "type": "alias", "config": { "alias": "jobs", "forward": "hr@corp.example" }, "rank": 10 }],
 *           "credentials": [{ "username": "carol", "password": "correct horse" }] } ] }
 *
 * Only `domain`, `alias`, `forward`, `type`, `config` and `username` are required. A rule without `rank` comes last, one
 * without `id` gets a random one, an alias without `id` the next number. `dns: "valid"` puts all DNS records in place.
 * A domain without `forwarding_ready` and `send_ready` is ready; a missing time is the time of the seeding.
 */
export interface Seed {
  readonly tier?: Tier | undefined;
  /** Choices where the documents are silent; those left out stay as they are. */
  readonly switches?: Partial<Switches> | undefined;
  readonly account?: SeedAccount | undefined;
  readonly whitelabels?: readonly string[] | undefined;
  readonly domains?: readonly SeedDomain[] | undefined;
}

export type SeedAccount = Partial<Omit<AccountRecord, 'plan' | AccountTime>> & {
  readonly plan?: Partial<AccountPlan> | undefined;
  readonly created_at?: SeedTime | undefined;
  readonly renews_at?: SeedTime | undefined;
  readonly cancels_at?: SeedTime | null | undefined;
};

type AccountTime = 'created_at' | 'renews_at' | 'cancels_at';

export interface SeedDomain {
  readonly domain: string;
  readonly forwarding_ready?: boolean | undefined;
  readonly send_ready?: boolean | undefined;
  readonly banned?: boolean | undefined;
  readonly notification_email?: string | null | undefined;
  readonly notify_when_spam_blocked?: boolean | undefined;
  readonly routing_engine?: RoutingEngine | undefined;
  readonly rules_fallback_email?: string | null | undefined;
  readonly strict_mxes?: boolean | undefined;
  readonly whitelabel?: string | null | undefined;
  readonly webhook?: string | null | undefined;
  readonly dns?: Partial<DnsState> | 'valid' | 'missing' | undefined;
  readonly created_at?: SeedTime | undefined;
  readonly updated_at?: SeedTime | undefined;
  readonly aliases?: readonly SeedAlias[] | undefined;
  readonly rules?: readonly SeedRule[] | undefined;
  readonly credentials?: readonly SeedCredential[] | undefined;
  readonly logs?: readonly SeedLog[] | undefined;
}

export interface SeedAlias {
  readonly id?: number | undefined;
  readonly alias: string;
  readonly forward: string;
  readonly created_at?: SeedTime | undefined;
  readonly updated_at?: SeedTime | undefined;
}

export interface SeedRule {
  readonly id?: string | undefined;
  readonly type: RuleKind;
  readonly config: Readonly<Record<string, unknown>>;
  readonly rank?: number | undefined;
  readonly active?: boolean | undefined;
  readonly created_at?: SeedTime | undefined;
  readonly updated_at?: SeedTime | undefined;
}

export interface SeedCredential {
  readonly username: string;
  readonly password?: string | undefined;
  readonly usage?: number | undefined;
  readonly created_at?: SeedTime | undefined;
}

/** The account of a plan before any seed; `now` in epoch milliseconds. */
export function newAccount(tier: Tier, now: number): AccountRecord {
  return {
    address: '1 Example Street',
    billing_email: null,
    cancels_at: null,
    company_vat: null,
    country: 'US',
    created_at: now,
    email: 'owner@account.example',
    email_log_retention_days: tier === 'paid' ? 90 : 7,
    lock_reason: null,
    locked: null,
    name: 'Account Owner',
    over_quota: false,
    plan: { ...PLANS[tier] },
    privacy_level: 1,
    renews_at: now + 30 * 86_400_000,
    card_brand: null,
    company_details: null,
    company_name: null,
    last4: null,
    password: true,
  };
}

const PLANS: Readonly<Record<Tier, AccountPlan>> = {
  free: {
    name: 'Free',
    price: 0,
    billing_cycle: 'monthly',
    domains_limit: 100,
    aliases_limit: 1000,
    rules_limit: 100,
    daily_receive_limit: 500,
    daily_send_limit: 0,
    monthly_receive_limit: 15_000,
    monthly_send_limit: 0,
  },
  paid: {
    name: 'Premium',
    price: 9,
    billing_cycle: 'monthly',
    domains_limit: 20_000,
    aliases_limit: 2_000_000,
    rules_limit: 1_000_000,
    daily_receive_limit: 100_000,
    daily_send_limit: 6000,
    monthly_receive_limit: 3_000_000,
    monthly_send_limit: 180_000,
  },
};

/** Adds the seed's content to the state. */
export function applySeed(state: State, seed: Seed): void {
  const { plan, created_at, renews_at, cancels_at, ...account } = seed.account ?? {};
  Object.assign(state.account, account);
  Object.assign(state.account.plan, plan);
  state.account.created_at = readTime(created_at, state.account.created_at);
  state.account.renews_at = readTime(renews_at, state.account.renews_at);
  if (cancels_at !== undefined) {
    state.account.cancels_at = cancels_at === null ? null : readTime(cancels_at, 0);
  }
  state.whitelabels.push(...(seed.whitelabels ?? []));
  for (const domain of seed.domains ?? []) seedDomain(state, domain);
}

function seedDomain(state: State, seed: SeedDomain): void {
  const createdAt = readTime(seed.created_at, state.environment.now());
  const domain = insertDomain(state, {
    ...newDomainFields(state),
    // Field notes: Routing: the account's address by default.
    rulesFallbackEmail: seed.routing_engine === 'rules' ? state.account.email : null,
    ...seedFields(seed),
    name: seed.domain.toLowerCase(),
    createdAt,
    updatedAt: readTime(seed.updated_at, createdAt),
  });
  seedAliases(state, domain, seed.aliases ?? []);
  seedRules(state, domain, seed.rules ?? []);
  seedCredentials(state, domain, seed.credentials ?? []);
  seedLogs(state, domain, seed.logs ?? []);
}

function seedAliases(state: State, domain: DomainRecord, seeds: readonly SeedAlias[]): void {
  for (const seed of seeds) {
    insertAlias(state, domain, {
      id: seed.id,
      name: seed.alias,
      forward: seed.forward,
      ...readTimes(seed, domain.createdAt),
    });
  }
}

function seedRules(state: State, domain: DomainRecord, seeds: readonly SeedRule[]): void {
  for (const seed of seeds) {
    insertRule(state, domain, {
      id: seed.id ?? state.environment.randomId(),
      // Seeds are ours: what they say is taken as it is.
      config: { type: seed.type, ...seed.config } as RuleConfig,
      rank: seed.rank,
      active: seed.active ?? true,
      ...readTimes(seed, domain.createdAt),
    });
  }
}

function seedCredentials(state: State, domain: DomainRecord, seeds: readonly SeedCredential[]): void {
  for (const seed of seeds) {
    insertCredential(state, domain, {
      username: seed.username,
      password: seed.password ?? '',
      usage: seed.usage ?? 0,
      createdAt: readTime(seed.created_at, domain.createdAt),
    });
  }
}

/** What the seed states; everything else keeps the value of a new domain. */
function seedFields(seed: SeedDomain): Partial<DomainFields> {
  const stated: { [F in keyof DomainFields]: DomainFields[F] | undefined } = {
    forwardingReady: seed.forwarding_ready ?? true,
    sendReady: seed.send_ready ?? true,
    banned: seed.banned,
    notificationEmail: seed.notification_email,
    notifyWhenSpamBlocked: seed.notify_when_spam_blocked,
    routingEngine: seed.routing_engine,
    rulesFallbackEmail: seed.rules_fallback_email,
    strictMxes: seed.strict_mxes,
    whitelabel: seed.whitelabel,
    webhook: seed.webhook,
    dns: seedDns(seed),
  };
  return Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined));
}

function seedDns(seed: SeedDomain): DnsState {
  if (typeof seed.dns === 'object') {
    return { mx: false, spf: false, dkim1: false, dkim2: false, dmarc: false, ...seed.dns };
  }
  const mx = seed.dns === undefined ? (seed.forwarding_ready ?? true) : seed.dns === 'valid';
  const send = seed.dns === undefined ? (seed.send_ready ?? true) : seed.dns === 'valid';
  return { mx, spf: send, dkim1: send, dkim2: send, dmarc: send };
}

function readTimes(
  seed: { readonly created_at?: SeedTime | undefined; readonly updated_at?: SeedTime | undefined },
  fallback: number,
): { readonly createdAt: number; readonly updatedAt: number } {
  const createdAt = readTime(seed.created_at, fallback);
  return { createdAt, updatedAt: readTime(seed.updated_at, createdAt) };
}
