import { SECTIONS } from '../model/kinds.ts';
import { errorText, type ApiError } from '../api/errors.ts';
import { readSections } from '../api/observe-sections.ts';
import { managedSections, type Desired } from '../model/desired.ts';
import type { DomainName } from '../model/names.ts';
import type { ObservedDomain } from '../model/observed.ts';
import type { Adoption, Change, Plan } from '../model/plan.ts';
import { NO_PRIOR_DOMAIN, type Prior } from '../model/prior.ts';
import { fail, succeed, type Result } from '../model/result.ts';
import { makePlan } from '../plan/plan.ts';
import { managedState, observedState } from '../plan/diff/settings.ts';
import { hasSettings } from './send/senders.ts';
import { stopFor } from './ledger.ts';
import type { LatestRead, Run } from './run.ts';
import { sideBySide } from './side-by-side.ts';

const READERS = 16;

/**
 * Reads the domains that `changes` touch again, but those that were read after their last change, the list of domains too
 * where one of them was itself changed, and keeps what it finds in `run.observed`. A domain that cannot be read becomes unproven; an error is one of the run.
 */
export async function lookAgain(run: Run, changes: readonly Change[]): Promise<Result<void, ApiError>> {
  if (changes.some(({ kind }) => kind === 'domain')) {
    const listed = await run.ports.client.listDomains();
    if (!listed.ok) return listed;
    relist(run.observed, listed.value);
    noteUnmanaged(run);
  }
  const names = new Set(changes.map(({ domain }) => domain));
  return rereadDomains(run, [...names.difference(run.seen)]);
}

/** Reads the managed sections of these domains again, those that the account does not have left out. */
export async function rereadDomains(run: Run, names: readonly DomainName[]): Promise<Result<void, ApiError>> {
  const { domains, unproven } = run.observed;
  let fatal: ApiError | null = null;
  await sideBySide(names, READERS, async (name) => {
    const live = domains.get(name);
    const desired = run.input.desired.domains.get(name);
    if (live === undefined || desired === undefined || fatal !== null) return;
    const sections = await readSections(run.ports.client, name, managedSections(desired));
    if (sections.ok) {
      domains.set(name, { ...live, ...sections.value, readAt: run.ports.clock.monotonic() });
      unproven.delete(name);
      return;
    }
    if (stopFor(sections.error) !== null) fatal ??= sections.error;
    unproven.set(name, { reason: errorText(sections.error) });
  });
  return fatal === null ? succeed(undefined) : fail(fatal);
}

/** What is still to be done in these domains by the latest reading; passwords, which nobody can read, left out. */
export function planAgain(run: Run, names: Iterable<DomainName>, prior: Prior = run.input.prior): Plan {
  const { client, clock } = run.ports;
  return makePlan({
    desired: narrow(run.input.desired, names),
    manifestSize: run.input.manifestSize,
    observed: run.observed,
    policy: { ...run.input.policy, rotate: [] },
    prior: withCatchAlls(withRenamedRules(prior, run.renamedRules), run.givenCatchAlls),
    now: clock.now(),
    api: { url: client.url, version: client.version },
    ...(run.rankDigits === null ? {} : { rankDigits: run.rankDigits }),
  });
}

function withCatchAlls(prior: Prior, given: Run['givenCatchAlls']): Prior {
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

/** The account's domains as they are listed now, each with what was read of it before. */
function relist({ domains }: LatestRead, listed: readonly ObservedDomain[]): void {
  const before = new Map(domains);
  domains.clear();
  for (const domain of listed) domains.set(domain.domain, withSections(domain, before.get(domain.domain)));
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

/** Settings that are not managed were sent back as they were: where they differ now, somebody changed them meanwhile. */
function noteUnmanaged({ input, observed, rewritten, ledger }: Run): void {
  for (const [domain, before] of rewritten) {
    const live = observed.domains.get(domain);
    const entry = input.desired.domains.get(domain);
    if (live === undefined || entry?.state !== 'present') continue;
    const managed = managedState(entry);
    for (const [field, value] of Object.entries(observedState(before))) {
      if (field in managed || hasSettings(live, { [field]: value })) continue;
      ledger.notes.add(
        `${field} of ${domain} is not managed and changed while this run wrote the other settings: ` +
          'check that it has the value that was intended',
      );
    }
  }
}
