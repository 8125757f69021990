import { LOG_STATUSES } from './logs-events.ts';
import type { SeedLog } from './logs-seed.ts';
import type { Account, AccountPlan } from './model.ts';
import type { SeedAlias, SeedCredential, SeedDomain, SeedRule } from './seed.ts';
import {
  byType,
  flag,
  listOf,
  nonEmpty,
  nullable,
  number,
  object,
  oneOf,
  taggedBy,
  text,
  time,
  wholeNumber,
  type Shape,
} from './shape.ts';
import { SWITCHES } from './switches-shape.ts';

const words = text();
const count = wholeNumber(0);
const times = { created_at: time, updated_at: time };
const status = oneOf(...LOG_STATUSES);

const PLAN: Readonly<Record<keyof AccountPlan, Shape>> = {
  name: words,
  price: number(),
  billing_cycle: words,
  domains_limit: nullable(count),
  aliases_limit: nullable(count),
  rules_limit: nullable(count),
  daily_receive_limit: count,
  daily_send_limit: count,
  monthly_receive_limit: count,
  monthly_send_limit: count,
};

const ACCOUNT: Readonly<Record<keyof Account, Shape>> = {
  address: words,
  billing_email: nullable(words),
  cancels_at: nullable(time),
  company_vat: nullable(words),
  country: words,
  created_at: time,
  email: nonEmpty,
  email_log_retention_days: count,
  lock_reason: nullable(words),
  locked: nullable(flag),
  name: words,
  over_quota: flag,
  plan: object({}, PLAN),
  privacy_level: count,
  renews_at: time,
  card_brand: nullable(words),
  company_details: nullable(words),
  company_name: nullable(words),
  last4: nullable(words),
  password: flag,
};

const ALIAS = object({ alias: nonEmpty, forward: words }, { id: wholeNumber(1), ...times });

const RULE = taggedBy('type', {
  alias: ruleOf({ alias: words, forward: words }),
  regex: ruleOf({
    regex: words,
    scopes: listOf(oneOf('sender', 'recipient', 'subject', 'body')),
    forward: words,
  }),
  cel: ruleOf({ expression: words, forward: words }),
});

const CREDENTIAL = object({ username: nonEmpty }, { password: words, usage: count, created_at: time });

const MAILBOX = byType('string', nonEmpty, object({ email: nonEmpty }, { name: nullable(words) }));

const LOG_EVENT = byType(
  'string',
  status,
  object(
    { status },
    { code: count, message: words, local: words, server: nullable(words), created_at: time },
  ),
);

const LOG = object(
  { sender: MAILBOX, recipient: MAILBOX },
  {
    id: nonEmpty,
    created_at: time,
    forward: nullable(MAILBOX),
    subject: words,
    transport: oneOf('mx', 'smtp', 'api'),
    hostname: words,
    message_id: words,
    alias: words,
    events: listOf(LOG_EVENT),
  },
);

/** Which DNS records of a domain are in place. */
export const DNS: Shape = byType(
  'string',
  oneOf('valid', 'missing'),
  object({}, { mx: flag, spf: flag, dkim1: flag, dkim2: flag, dmarc: flag }),
);

const DOMAIN = object(
  { domain: nonEmpty },
  {
    forwarding_ready: flag,
    send_ready: flag,
    banned: flag,
    notification_email: nullable(words),
    notify_when_spam_blocked: flag,
    routing_engine: oneOf('alias', 'rules', null),
    rules_fallback_email: nullable(words),
    strict_mxes: flag,
    whitelabel: nullable(words),
    webhook: nullable(words),
    dns: DNS,
    ...times,
    aliases: listOf(ALIAS, ({ alias, id }: SeedAlias) => (id === undefined ? [alias] : [alias, id])),
    rules: listOf(RULE, ({ id }: SeedRule) => (id === undefined ? [] : [id.toLowerCase()])),
    credentials: listOf(CREDENTIAL, ({ username }: SeedCredential) => [username.toLowerCase()]),
    logs: listOf(LOG, ({ id }: SeedLog) => (id === undefined ? [] : [id])),
  },
);

/** The format of `Seed`. */
export const SEED: Shape = object(
  {},
  {
    tier: oneOf('free', 'paid'),
    switches: SWITCHES,
    account: object({}, ACCOUNT),
    whitelabels: listOf(words),
    domains: listOf(DOMAIN, ({ domain }: SeedDomain) => [domain.toLowerCase()]),
  },
);

function ruleOf(config: Readonly<Record<string, Shape>>): Shape {
  return object(
    { type: words, config: object(config) },
    { id: nonEmpty, rank: number(), active: flag, ...times },
  );
}
