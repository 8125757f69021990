import type { Clock } from '../core/model/clock.ts';
import { managedSections } from '../core/kinds/sections.ts';
import type { Desired } from '../core/model/desired.ts';
import type { DomainName } from '../core/model/names.ts';
import type { Account, Observed, ObservedDomain, UnprovenRead } from '../core/model/observed.ts';
import { SECTIONS } from '../core/kinds/registry.ts';
import type { Section } from '../core/model/kinds.ts';
import { fail, succeed, type Result } from '../core/model/result.ts';
import type { Client } from './client.ts';
import { errorText, type ApiError } from './errors.ts';
import { observeSections } from './observe-sections.ts';

export interface ObserveOptions {
  /** Managed domains, which are read. `everything` reads each section of each domain, for example for an export. */
  readonly desired: Pick<Desired, 'domains'> | 'everything';
  /** Reads only these domains. If absent, it reads the whole list of the account's domains. */
  readonly domains?: readonly DomainName[] | undefined;
  /** The account, if it was read before. If absent, it is read. */
  readonly account?: Account | undefined;
  readonly clock: Clock;
}

/** The domains of one read: `Observed` without the account. */
export type ObservedDomains = Pick<Observed, 'domains' | 'unproven' | 'embedded'>;

/**
 * Makes a complete, proven read: the account, the list of its domains, and each managed section of each managed domain. It
 * fails if the account or the list is not proven. A domain whose sections cannot be read is `unproven`; the others continue.
 * A domain that is to be deleted is read in full.
 */
export async function observe(client: Client, options: ObserveOptions): Promise<Result<Observed, ApiError>> {
  const { domains: names } = options;
  const [account, whitelabels, read] = await Promise.all([
    options.account === undefined ? client.getAccount() : succeed(options.account),
    readWhitelabels(client, options),
    names === undefined ? observeAll(client, options) : observeDomains(client, names, options),
  ]);
  if (!account.ok) return account;
  if (!read.ok) return read;
  const partial = names === undefined ? {} : { partial: true as const };
  const skewMs = client.skewMs();
  const skew = skewMs === null ? {} : { skewMs };
  return succeed({ account: account.value, ...read.value, ...partial, ...whitelabels, ...skew });
}

/**
 * Reads some domains, each by its name: those that a run names, or those to be read again. A domain in neither map of the
 * result certainly does not exist.
 */
export async function observeDomains(
  client: Client,
  names: readonly DomainName[],
  options: Omit<ObserveOptions, 'domains' | 'account'>,
): Promise<Result<ObservedDomains, ApiError>> {
  const read = startRead(options);
  await Promise.all(
    names.map(async (name) => {
      const domain = await findDomain(client, name);
      if (!domain.ok) read.failed(name, domain.error);
      else if (domain.value !== null) await readInto(read, client, domain.value);
    }),
  );
  return read.result(names);
}

async function observeAll(
  client: Client,
  options: ObserveOptions,
): Promise<Result<ObservedDomains, ApiError>> {
  const { desired } = options;
  const listed = await client.listDomainsWithAliases();
  if (!listed.ok) return listed;
  const domains = listed.value.map(withoutAliases);
  const managed = domains.filter(({ domain }) => desired === 'everything' || desired.domains.has(domain));
  const read = startRead(options);
  for (const domain of domains) read.found(domain);
  await Promise.all(managed.map((domain) => readInto(read, client, domain)));
  const result = read.result(domains.map(({ domain }) => domain));
  const embedded = desired === 'everything' ? NO_ALIASES : embeddedAliases(listed.value);
  return result.ok && embedded.size > 0 ? succeed({ ...result.value, embedded }) : result;
}

/** Removes embedded aliases. Plans use only aliases proven by their own listing. */
function withoutAliases({ aliases: _, ...domain }: ObservedDomain): ObservedDomain {
  return domain;
}

/** Returns the aliases that a list of domains has (v3). */
export function embeddedAliases(listed: readonly ObservedDomain[]): NonNullable<Observed['embedded']> {
  return new Map(
    listed.flatMap(({ domain, aliases }) => (aliases === undefined ? [] : [[domain, aliases] as const])),
  );
}

const NO_ALIASES: NonNullable<Observed['embedded']> = new Map();

/**
 * Reads the whitelabels, which are only needed to warn about an unknown name. If they cannot be read, planning continues.
 */
async function readWhitelabels(
  client: Client,
  { desired }: ObserveOptions,
): Promise<Pick<Observed, 'whitelabels'>> {
  if (client.listWhitelabels === null || desired === 'everything' || !namesWhitelabel(desired)) {
    return {};
  }
  const whitelabels = await client.listWhitelabels();
  return whitelabels.ok ? { whitelabels: whitelabels.value } : {};
}

function namesWhitelabel({ domains }: Pick<Desired, 'domains'>): boolean {
  return [...domains.values()].some(
    (domain) => domain.state === 'present' && (domain.settings.whitelabel?.value ?? null) !== null,
  );
}

/** Finds a live domain. A 404 counts as absent only if a listing confirms it; then the result is null. */
async function findDomain(
  client: Client,
  name: DomainName,
): Promise<Result<ObservedDomain | null, ApiError>> {
  const domain = await client.getDomain(name);
  if (domain.ok || domain.error.kind !== 'not-found') return domain;
  const listed = await client.listDomains({ query: name });
  if (!listed.ok) return listed;
  const isListed = listed.value.some(({ domain }) => domain === name);
  return isListed ? fail(domain.error) : succeed(null);
}

async function readInto(read: RunningRead, client: Client, domain: ObservedDomain): Promise<void> {
  const sections = await observeSections(client, domain.domain, read.sectionsOf(domain.domain));
  if (sections.ok) read.found({ ...domain, ...sections.value, readAt: read.now() });
  else read.failed(domain.domain, sections.error);
}

/** The results of a read so far. It grows until `result`. */
interface RunningRead {
  sectionsOf(name: DomainName): readonly Section[];
  now(): number;
  found(domain: ObservedDomain): void;
  failed(name: DomainName, error: ApiError): void;
  /** Returns the domains in the order of the names, or an error that concerns the whole run. */
  result(order: readonly DomainName[]): Result<ObservedDomains, ApiError>;
}

function startRead({ desired, clock }: ObserveOptions): RunningRead {
  const domains = new Map<DomainName, ObservedDomain>();
  const unproven = new Map<DomainName, UnprovenRead>();
  let fatal: ApiError | null = null;
  return {
    sectionsOf: (name) => (desired === 'everything' ? SECTIONS : managedSections(desired.domains.get(name))),
    now: () => clock.monotonic(),
    found(domain) {
      domains.set(domain.domain, domain);
    },
    failed(name, error) {
      if (concernsTheRun(error)) fatal ??= error;
      unproven.set(name, { reason: errorText(error) });
    },
    result(order) {
      if (fatal !== null) return fail(fatal);
      return succeed({ domains: inOrder(domains, order), unproven: inOrder(unproven, order) });
    },
  };
}

function inOrder<T>(
  map: ReadonlyMap<DomainName, T>,
  order: readonly DomainName[],
): ReadonlyMap<DomainName, T> {
  const ordered = new Map<DomainName, T>();
  for (const name of order) {
    const value = map.get(name);
    if (value !== undefined) ordered.set(name, value);
  }
  return ordered;
}

/**
 * True if no domain can be read after this error: the key is rejected, the run was stopped, the wait is too long for a run,
 * or the address is wrong.
 */
export function concernsTheRun({ kind }: ApiError): boolean {
  return kind === 'unauthorised' || kind === 'stopped' || kind === 'rate-limited' || kind === 'redirect';
}
