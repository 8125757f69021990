import { errorText, type ApiError } from '../../client/errors.ts';
import { observeSections } from '../../client/observe-sections.ts';
import { normaliseDestination, type Destination } from '../../core/model/destinations.ts';
import { managedSections } from '../../core/kinds/sections.ts';
import type { Desired } from '../../core/model/desired.ts';
import { SECTIONS } from '../../core/kinds/registry.ts';
import type { DomainName } from '../../core/model/names.ts';
import type { Account, Observed, ObservedDomain, UnprovenRead } from '../../core/model/observed.ts';
import type { Adoption, Change, Plan } from '../../core/model/plan.ts';
import { NO_PRIOR_DOMAIN, type Prior, type PriorDomain } from '../../core/model/prior.ts';
import { fail, succeed, type Result } from '../../core/model/result.ts';
import { managedState, SETTINGS } from '../../core/kinds/domain/fields.ts';
import type { ObservedAlias } from '../../core/kinds/alias/fields.ts';
import { signature } from '../../core/kinds/items.ts';
import { makePlan, type PlanInput } from '../../core/plan/plan.ts';
import { needsFreshRead, readsOfChangedDomains, type PlannedRead } from '../../core/plan/requests/reads.ts';
import { DOMAINS_AT_ONCE } from '../../core/plan/requests/requests.ts';
import { stopFor } from './ledger.ts';
import { createLossCheck, type LossCheck } from '../../core/plan/loss-check.ts';
import type { ApplyInput, ApplyPorts } from './ports.ts';
import { sideBySide } from './side-by-side.ts';
import { differingRows } from '../../core/fields/fields.ts';

/** The account as currently known: the latest read, the findings from answers, and what follows from both. */
export interface KnownAccount {
  /** Latest read, updated in place. */
  readonly observed: LatestRead;
  readonly findings: Findings;
  /**
   * Reads the domains that these changes are about again, or the list of all domains. Each domain keeps its sections.
   */
  readonly readChangedDomains: (changes: readonly Change[]) => Promise<Result<void, ApiError>>;
  /**
   * Reads the managed sections of these domains again and leaves out domains that the account does not have. A domain
   * that cannot be read becomes unproven. An error ends the run.
   */
  readonly reread: (names: Iterable<DomainName>) => Promise<Result<void, ApiError>>;
  /** Reads the same to verify what was written. Reads that a write waits for go first. */
  readonly verify: (names: Iterable<DomainName>) => Promise<Result<void, ApiError>>;
  /**
   * Remembers that the service creates a `*` to the account's own address in each new domain. Called before domains
   * are added, so that the next run knows it if this run is killed before it reads the aliases.
   */
  readonly expectAdded: (names: readonly DomainName[]) => Promise<void>;
  /**
   * Reads the aliases that the service made with a new domain, and remembers its `*`. After that the read ages like
   * any other.
   */
  readonly readAdded: (domain: DomainName) => Promise<Result<readonly ObservedAlias[], ApiError>>;
  /** See `needsFreshRead`. */
  readonly isStale: (domain: DomainName, late: readonly Change[]) => boolean;
  /**
   * Returns the changes that are still open in these domains by the latest read. Passwords are left out because they
   * cannot be read.
   */
  readonly planAgain: (names: Iterable<DomainName>, prior?: Prior) => Plan;
  readonly newLosses: LossCheck;
}

/** The account, with each domain as last read. */
export interface LatestRead {
  readonly account: Account;
  readonly domains: Map<DomainName, ObservedDomain>;
  readonly unproven: Map<DomainName, UnprovenRead>;
}

/** Facts from the answers of this run that no later read shows. */
export interface Findings {
  /** Domains that this run added, as described by the answer if it came. */
  readonly added: Map<DomainName, ObservedDomain | null>;
  /** Domains whose settings this run wrote, as they were right before, unmanaged settings included. */
  readonly rewritten: Map<DomainName, ObservedDomain>;
  /** Signatures of the destinations that the service gave the `*` of domains that this run added. */
  readonly givenCatchAlls: Map<DomainName, string>;
  /** Rules that the service gave another id than was sent. Their entries mean those rules from then on. */
  readonly renamedRules: Adoption[];
  /** Decimal digits that the service keeps of a rank. null until it shows that it does not keep all. */
  rankDigits: number | null;
}

export function openKnownAccount(
  input: ApplyInput,
  { client, clock, state }: Pick<ApplyPorts, 'client' | 'clock' | 'state'>,
): KnownAccount {
  const { plan, desired, observed, prior: priorAtStart } = input;
  const { account } = observed;
  const latest = { account, domains: new Map(observed.domains), unproven: new Map(observed.unproven) };
  const { domains } = latest;
  const findings = noFindings();
  const inputOf = (names: Iterable<DomainName>, read: Observed, prior = priorAtStart): PlanInput => ({
    ...planInput(input, findings, { client, clock }),
    desired: narrow(desired, names),
    observed: read,
    prior: withCatchAlls(withRenamedRules(prior, findings.renamedRules), findings.givenCatchAlls),
  });
  const rememberGiven = openGivenMemory(input, findings, state);
  return {
    observed: latest,
    findings,
    readChangedDomains: (changes) =>
      readDomains(readsOfChangedDomains(changes, { observed, version: client.version }), latest, client),
    reread: (names) => reread(names, latest, { client, clock, desired }),
    async verify(names) {
      const all = [...names];
      for (const name of all) {
        const made = findings.added.get(name) ?? null;
        if (made !== null && !domains.has(name)) domains.set(name, made);
      }
      return reread(all, latest, { client: client.withUrgency('verification'), clock, desired });
    },
    expectAdded: (names) => rememberGiven(names, [normaliseDestination(observed.account.email)]),
    async readAdded(domain) {
      const aliases = await client.items('alias').list(domain);
      const made = findings.added.get(domain);
      if (!aliases.ok || made === undefined) return aliases;
      if (made !== null) domains.set(domain, { ...made, aliases: aliases.value, readAt: clock.monotonic() });
      const catchAll = aliases.value.find(({ name }) => name === '*');
      if (catchAll === undefined) findings.givenCatchAlls.delete(domain);
      else await rememberGiven([domain], catchAll.forward);
      return aliases;
    },
    isStale: (domain, late) => needsFreshRead(late, domains.get(domain)?.readAt ?? null, clock.monotonic()),
    planAgain: (names, prior) => makePlan(inputOf(names, latest, prior)),
    newLosses: createLossCheck(plan.changes, {
      latest: (domain) => inputOf([domain], latest),
      first: () => inputOf(desired.domains.keys(), observed),
    }),
  };
}

/** Returns the input that is the same in every plan of a run. */
function planInput(
  { manifestSize, policy }: ApplyInput,
  { rankDigits }: Findings,
  { client, clock }: Pick<ApplyPorts, 'client' | 'clock'>,
): Omit<PlanInput, 'desired' | 'observed' | 'prior'> {
  return {
    manifestSize,
    policy: { ...policy, rotate: [] },
    now: clock.now(),
    api: { url: client.url, version: client.version },
    ...(rankDigits === null ? {} : { rankDigits }),
  };
}

function noFindings(): Findings {
  return {
    added: new Map(),
    rewritten: new Map(),
    givenCatchAlls: new Map(),
    renamedRules: [],
    rankDigits: null,
  };
}

/**
 * Remembers at once what the service gives the `*` of new domains, so that the next run knows it if this one is
 * killed.
 */
function openGivenMemory(
  { desired, prior }: ApplyInput,
  findings: Findings,
  state: ApplyPorts['state'],
): (names: readonly DomainName[], forward: readonly Destination[]) => Promise<void> {
  return async (names, forward) => {
    if (names.length === 0) return;
    const given = signature({ kind: 'alias', state: { forward } }, desired.references);
    const memories = new Map<DomainName, PriorDomain>();
    for (const name of names) {
      findings.givenCatchAlls.set(name, given);
      memories.set(name, withCatchAll(prior.domains.get(name), given));
    }
    await state.remember({ domains: memories, manifest: null });
  };
}

function withCatchAll(prior: PriorDomain | undefined, givenCatchAll: string): PriorDomain {
  // The domain left in place under that name was another one.
  const { inSyncDigest: _, ...known } = prior ?? NO_PRIOR_DOMAIN;
  return { ...known, givenCatchAll };
}

async function relist(
  { domains, unproven }: LatestRead,
  client: ApplyPorts['client'],
): Promise<Result<void, ApiError>> {
  const listed = await client.listDomains();
  if (!listed.ok) return listed;
  const before = new Map(domains);
  domains.clear();
  for (const row of listed.value) domains.set(row.domain, withSections(row, before.get(row.domain)));
  // A domain that is certainly missing cannot be read, but it is not unproven.
  for (const name of unproven.keys()) if (!domains.has(name)) unproven.delete(name);
  return succeed(undefined);
}

/** Reads domains again, or lists all of them, because only a list shows that one is missing. */
async function readDomains(
  reads: readonly PlannedRead[],
  latest: LatestRead,
  client: ApplyPorts['client'],
): Promise<Result<void, ApiError>> {
  const { domains } = latest;
  const names = reads.flatMap(({ domain }) => domain ?? []);
  if (names.length < reads.length) return relist(latest, client);
  for (const read of await Promise.all(names.map((name) => client.getDomain(name)))) {
    if (!read.ok) return read.error.kind === 'not-found' ? relist(latest, client) : read;
    domains.set(read.value.domain, withSections(read.value, domains.get(read.value.domain)));
  }
  return succeed(undefined);
}

async function reread(
  names: Iterable<DomainName>,
  { domains, unproven }: LatestRead,
  { client, clock, desired }: Pick<ApplyPorts, 'client' | 'clock'> & Pick<ApplyInput, 'desired'>,
): Promise<Result<void, ApiError>> {
  let fatal: ApiError | null = null;
  await sideBySide(names, DOMAINS_AT_ONCE, async (name) => {
    const live = domains.get(name);
    const entry = desired.domains.get(name);
    if (live === undefined || entry === undefined || fatal !== null) return;
    const sections = await observeSections(client, name, managedSections(entry));
    if (sections.ok) {
      domains.set(name, { ...live, ...sections.value, readAt: clock.monotonic() });
      unproven.delete(name);
      return;
    }
    if (stopFor(sections.error) !== null) fatal ??= sections.error;
    unproven.set(name, { reason: errorText(sections.error) });
  });
  return fatal === null ? succeed(undefined) : fail(fatal);
}

/**
 * Returns notes on unmanaged settings that now differ. They were sent back unchanged, so they were changed outside
 * this run meanwhile.
 */
export function foreignSettings(
  { observed, findings }: Pick<KnownAccount, 'observed' | 'findings'>,
  desired: Desired,
): readonly string[] {
  return [...findings.rewritten].flatMap(([domain, before]) => {
    const live = observed.domains.get(domain);
    const entry = desired.domains.get(domain);
    if (live === undefined || entry?.state !== 'present') return [];
    const managed = managedState(entry);
    return differingRows(SETTINGS, before, live)
      .filter((field) => !(field in managed))
      .map(
        (field) =>
          `${field} of ${domain} is not managed and changed while this run wrote the other settings: ` +
          'check that it has the value that was intended',
      );
  });
}

function withCatchAlls(prior: Prior, given: Findings['givenCatchAlls']): Prior {
  if (given.size === 0) return prior;
  const domains = new Map(prior.domains);
  for (const [domain, givenCatchAll] of given) {
    domains.set(domain, { ...(domains.get(domain) ?? NO_PRIOR_DOMAIN), givenCatchAll });
  }
  return { ...prior, domains };
}

function withRenamedRules(prior: Prior, renamed: readonly Adoption[]): Prior {
  if (renamed.length === 0) return prior;
  const domains = new Map(prior.domains);
  for (const { domain, name, id } of renamed) {
    const known = domains.get(domain) ?? NO_PRIOR_DOMAIN;
    domains.set(domain, { ...known, ruleIds: new Map(known.ruleIds).set(name, id) });
  }
  return { ...prior, domains };
}

function narrow(desired: Desired, names: Iterable<DomainName>): Desired {
  const domains = Iterator.from(names).flatMap((name) => {
    const entry = desired.domains.get(name);
    return entry === undefined ? [] : [[name, entry] as const];
  });
  return { ...desired, domains: new Map(domains) };
}

function withSections(domain: ObservedDomain, before: ObservedDomain | undefined): ObservedDomain {
  const known = before ?? domain;
  const read = SECTIONS.filter((section) => known[section] !== undefined);
  return {
    ...domain,
    readAt: known.readAt,
    ...Object.fromEntries(read.map((section) => [section, known[section]])),
  };
}
