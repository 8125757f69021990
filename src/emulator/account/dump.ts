import { dumpLog, type DumpedLog } from '../logs/logs-seed.ts';
import type {
  AccountRecord,
  Alias,
  Credential,
  DomainFields,
  MailKeys,
  Rule,
  RuleKind,
  Tier,
  World,
} from './model.ts';
import type { DomainRecord, State } from './state.ts';
import { DEFAULT_SWITCHES, type Switches } from './switches.ts';
import { compareUnits } from './table.ts';

/**
 * Options of a dump. `without: 'volatile'` omits values that differ between two runs with the same outcome: alias ids, times
 * and usage.
 */
export interface DumpOptions {
  readonly without?: 'volatile' | undefined;
}

/** A snapshot of the account: domains, aliases and credentials by name, rules in the order of evaluation. */
export interface Dump {
  readonly tier: Tier;
  /** Switches that are not at their default. */
  readonly switches?: Partial<Switches>;
  readonly account: AccountRecord;
  readonly whitelabels: readonly string[];
  readonly world?: World;
  /** Keys that exist so far. */
  readonly mail?: Partial<MailKeys>;
  readonly domains: readonly DumpedDomain[];
}

type DumpedTimes = { readonly created_at?: number; readonly updated_at?: number };

export interface DumpedDomain extends Readonly<DomainFields>, DumpedTimes {
  readonly domain: string;
  readonly aliases: readonly DumpedAlias[];
  readonly rules: readonly DumpedRule[];
  readonly credentials: readonly DumpedCredential[];
  readonly logs: readonly DumpedLog[];
}

export interface DumpedAlias extends DumpedTimes {
  readonly id?: number;
  readonly alias: string;
  readonly forward: string;
}

export interface DumpedRule extends DumpedTimes {
  readonly id: string;
  readonly type: RuleKind;
  readonly config: Readonly<Record<string, string | readonly string[]>>;
  readonly rank: number;
  readonly active: boolean;
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
    domains: state.domains.inOrder('name').map((domain) => dumpDomain(domain, options)),
  };
}

/** Returns the account's own data, without its domains. */
function dumpAccount(
  { tier, switches, account, whitelabels, world, mail }: State,
  options: DumpOptions,
): Omit<Dump, 'domains'> {
  const defaults: Readonly<Record<string, unknown>> = { ...DEFAULT_SWITCHES };
  const changed = Object.entries(switches).filter(([name, value]) => defaults[name] !== value);
  const isLeftOut = changed.length === 0 || options.without === 'volatile';
  const made = Object.entries(mail).filter(([, key]) => key !== null);
  const isWithoutKeys = made.length === 0 || options.without === 'volatile';
  return {
    tier,
    ...(isLeftOut ? {} : { switches: Object.fromEntries(changed) }),
    account: { ...account, plan: { ...account.plan } },
    whitelabels: [...whitelabels],
    ...(Object.keys(world).length === 0 ? {} : { world }),
    ...(isWithoutKeys ? {} : { mail: Object.fromEntries(made) }),
  };
}

function dumpDomain(domain: DomainRecord, options: DumpOptions): DumpedDomain {
  const credentials = [...domain.credentials.values()].sort((a, b) =>
    compareUnits(a.username.toLowerCase(), b.username.toLowerCase()),
  );
  return {
    ...dumpDomainFields(domain, options),
    aliases: domain.aliases.inOrder('name').map((alias) => dumpAlias(alias, options)),
    rules: domain.rules.inOrder('rank').map((rule) => dumpRule(rule, options)),
    credentials: credentials.map((credential) => dumpCredential(credential, options)),
    logs: domain.logs.inOrder('created').map((entry) => dumpLog(entry, options.without)),
  };
}

/** Returns the domain's own fields, without its aliases, rules, credentials and logs. */
function dumpDomainFields(
  { name, fields, created_at, updated_at }: DomainRecord,
  options: DumpOptions,
): DomainFields & DumpedTimes & { readonly domain: string } {
  return {
    domain: name,
    ...fields,
    dns: { ...fields.dns },
    ...unlessVolatile({ created_at, updated_at }, options),
  };
}

function dumpAlias({ id, alias, forward, created_at, updated_at }: Alias, options: DumpOptions): DumpedAlias {
  return {
    ...unlessVolatile({ id }, options),
    alias,
    forward,
    ...unlessVolatile({ created_at, updated_at }, options),
  };
}

function dumpRule(
  { id, config: typed, rank, active, created_at, updated_at }: Rule,
  options: DumpOptions,
): DumpedRule {
  const { type, ...config } = typed;
  return { id, type, config, rank, active, ...unlessVolatile({ created_at, updated_at }, options) };
}

function dumpCredential(
  { username, password, usage, created_at }: Credential,
  options: DumpOptions,
): DumpedCredential {
  return { username, password, ...unlessVolatile({ usage, created_at }, options) };
}

function unlessVolatile<T extends object>(fields: T, { without }: DumpOptions): Partial<T> {
  return without === 'volatile' ? {} : fields;
}

/** Characters per piece. One piece takes less than a millisecond. */
const PIECE = 64 * 1024;

/**
 * Yields the account as JSON text that can be used as a seed. The text comes in pieces, with one item a line. Requests may
 * be served between two pieces: every item is whole, and a change made meanwhile is in this text or in the next one.
 */
export function* stateText(state: State): Generator<string> {
  let piece = '';
  for (const line of stateLines(state)) {
    piece += line;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* stateLines(state: State): Generator<string> {
  yield `${openObject(dumpAccount(state, {}))},\n"domains":[`;
  yield* joined(state.domains.values(), domainLines);
  yield ']}\n';
}

function* domainLines(domain: DomainRecord): Generator<string> {
  const { aliases, rules, credentials, logs } = domain;
  yield `${openObject(dumpDomainFields(domain, {}))},\n"aliases":[`;
  yield* joined(aliases.values(), (alias) => [JSON.stringify(dumpAlias(alias, {}))]);
  yield '],"rules":[';
  yield* joined(rules.values(), (rule) => [JSON.stringify(dumpRule(rule, {}))]);
  yield '],"credentials":[';
  yield* joined(credentials.values(), (credential) => [JSON.stringify(dumpCredential(credential, {}))]);
  yield '],"logs":[';
  yield* joined(logs.values(), (log) => [JSON.stringify(dumpLog(log, undefined))]);
  yield ']}';
}

function* joined<T>(items: Iterable<T>, linesOf: (item: T) => Iterable<string>): Generator<string> {
  let separator = '\n';
  for (const item of items) {
    yield separator;
    yield* linesOf(item);
    separator = ',\n';
  }
}

/** Returns an object as JSON text without its closing brace. */
function openObject(fields: object): string {
  return JSON.stringify(fields).slice(0, -1);
}
