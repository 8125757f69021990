import { insertAlias } from './resources/aliases.ts';
import { insertCredential } from './resources/credentials.ts';
import { insertDomain, newDomainFields } from './resources/stored-domains.ts';
import { seedLogs, type SeedLog } from '../logs/logs-seed.ts';
import type {
  AccountRecord,
  AccountPlan,
  DnsState,
  DomainFields,
  MailKeys,
  RuleConfig,
  RuleKind,
  Tier,
  World,
} from './model.ts';
import { insertRule } from './resources/rules.ts';
import { readTime, type SeedTime } from './seed-time.ts';
import type { DomainRecord, State } from './state.ts';
import type { Switches } from './switches.ts';

/**
 * The content of an account as plain JSON. It is not checked: no plan limit applies, and the service adds no catch-all.
 *
 *     { "account": { "email": "ops@acme.example", "plan": { "domains_limit": 3 } },
 *       "whitelabels": ["mail.partner.example"],
 *       "domains": [
 *         { "domain": "acme.example", "notification_email": "ops@corp.example", "routing_engine": "rules",
 *           "aliases": [{ "alias": "*", "forward": "ana@corp.example", "id": 7, "created_at": "2026-01-01T00:00:00Z" }],
 *           "rules": [{ "type": "alias", "config": { "alias": "jobs", "forward": "hr@corp.example" }, "rank": 10 }],
 *           "credentials": [{ "username": "carol", "password": "correct horse" }] } ] }
 *
 * Only `domain`, `alias`, `forward`, `type`, `config` and `username` are required. A rule without `rank` comes last.
 * A rule without `id` gets a random one; an alias without `id` gets the next number. `dns: "valid"` puts all DNS records
 * in place. A domain without `forwarding_ready` and `send_ready` is ready. A missing time means the time of the seeding.
 */
export interface Seed {
  readonly tier?: Tier | undefined;
  /** Answers to questions that the API documents leave open. Switches that are left out do not change. */
  readonly switches?: Partial<Switches> | undefined;
  readonly account?: SeedAccount | undefined;
  readonly whitelabels?: readonly string[] | undefined;
  readonly domains?: readonly SeedDomain[] | undefined;
  /** DNS records of domains outside the account. */
  readonly world?: World | undefined;
  /** Signing keys. Keys that are left out do not change. */
  readonly mail?: Partial<MailKeys> | undefined;
}

export type SeedAccount = Partial<Omit<AccountRecord, 'plan' | AccountTime>> & {
  readonly plan?: Partial<AccountPlan> | undefined;
  readonly created_at?: SeedTime | undefined;
  readonly renews_at?: SeedTime | undefined;
  readonly cancels_at?: SeedTime | null | undefined;
};

type AccountTime = 'created_at' | 'renews_at' | 'cancels_at';

export interface SeedDomain extends SeedTimes, SeedDomainFields {
  readonly domain: string;
  readonly dns?: Partial<DnsState> | 'valid' | 'missing' | undefined;
  readonly aliases?: readonly SeedAlias[] | undefined;
  readonly rules?: readonly SeedRule[] | undefined;
  readonly credentials?: readonly SeedCredential[] | undefined;
  readonly logs?: readonly SeedLog[] | undefined;
}

type SeedDomainFields = { readonly [F in Exclude<keyof DomainFields, 'dns'>]?: DomainFields[F] | undefined };

interface SeedTimes {
  readonly created_at?: SeedTime | undefined;
  readonly updated_at?: SeedTime | undefined;
}

export interface SeedAlias extends SeedTimes {
  readonly id?: number | undefined;
  readonly alias: string;
  readonly forward: string;
}

export interface SeedRule extends SeedTimes {
  readonly id?: string | undefined;
  readonly type: RuleKind;
  readonly config: Readonly<Record<string, unknown>>;
  readonly rank?: number | undefined;
  readonly active?: boolean | undefined;
}

export interface SeedCredential {
  readonly username: string;
  readonly password?: string | undefined;
  readonly usage?: number | undefined;
  readonly created_at?: SeedTime | undefined;
}

/** Returns the account of a plan before any seed. `now` is in epoch milliseconds. */
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
  state.world = seed.world ?? {};
  Object.assign(state.mail, seed.mail);
  state.whitelabels.push(...(seed.whitelabels ?? []));
  for (const domain of seed.domains ?? []) seedDomain(state, domain);
}

function seedDomain(state: State, seed: SeedDomain): void {
  const fields: DomainFields = {
    ...newDomainFields(state),
    forwarding_ready: true,
    send_ready: true,
    // Field notes: Routing: the default is the account's address.
    rules_fallback_email: seed.routing_engine === 'rules' ? state.account.email : null,
  };
  for (const field of Object.keys(fields) as (keyof DomainFields)[]) {
    if (seed[field] !== undefined) Object.assign(fields, { [field]: seed[field] });
  }
  fields.dns = seedDns(seed.dns, fields);
  const domain = insertDomain(state, seed.domain, fields, readTimes(seed, state.environment.now()));
  for (const alias of seed.aliases ?? []) {
    insertAlias(state, domain, { ...alias, ...readTimes(alias, domain.created_at) });
  }
  seedRules(state, domain, seed.rules ?? []);
  seedCredentials(state, domain, seed.credentials ?? []);
  seedLogs(state, domain, seed.logs ?? []);
}

function seedRules(state: State, domain: DomainRecord, seeds: readonly SeedRule[]): void {
  for (const seed of seeds) {
    insertRule(state, domain, {
      id: seed.id ?? state.environment.randomId(),
      // Seeds come from us and are not checked.
      config: { type: seed.type, ...seed.config } as RuleConfig,
      rank: seed.rank,
      active: seed.active,
      ...readTimes(seed, domain.created_at),
    });
  }
}

function seedCredentials(state: State, domain: DomainRecord, seeds: readonly SeedCredential[]): void {
  for (const { username, password = '', usage = 0, created_at } of seeds) {
    const at = readTime(created_at, domain.created_at);
    insertCredential(state, domain, { username, password, usage, created_at: at });
  }
}

/** Returns the stated DNS records, or else the records that match how ready the domain is. */
function seedDns(
  dns: SeedDomain['dns'],
  { forwarding_ready, send_ready }: Pick<DomainFields, 'forwarding_ready' | 'send_ready'>,
): DnsState {
  if (typeof dns === 'object') return { ...dnsRecords(false, false), ...dns };
  if (dns === undefined) return dnsRecords(forwarding_ready, send_ready);
  return dnsRecords(dns === 'valid', dns === 'valid');
}

/** Returns the DNS records that a verification finds: MX records, and the records needed to send. */
export function dnsRecords(mx: boolean, send: boolean): DnsState {
  return { mx, spf: send, dkim1: send, dkim2: send, dmarc: send };
}

function readTimes(
  seed: SeedTimes,
  fallback: number,
): { readonly created_at: number; readonly updated_at: number } {
  const created_at = readTime(seed.created_at, fallback);
  return { created_at, updated_at: readTime(seed.updated_at, created_at) };
}
