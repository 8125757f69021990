import { NO_PRIOR_DOMAIN } from '../model/prior.ts';
import type { DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import type { ObservedAlias } from '../model/resources.ts';
import { resolveConditional } from '../plan/diff/catch-all.ts';
import { signature } from '../plan/diff/signature.ts';
import { recordSkips, stopOn, whyStopped, type Ledger } from './ledger.ts';
import type { KnownAccount } from './known-account.ts';
import type { ApplyInput, ApplyPorts } from './ports.ts';
import { sideBySide } from './side-by-side.ts';

const DOMAINS_AT_ONCE = 16;

export interface NewDomains extends Pick<ApplyInput, 'desired' | 'prior'>, Pick<ApplyPorts, 'state'> {
  readonly ledger: Ledger;
  readonly account: KnownAccount;
}

/**
 * Resolves the conditional changes of the domains that were just added; what belongs to one that was not is skipped. The very
 * same list where nothing of it depended on that.
 */
export async function resolveNewDomains(
  changes: readonly Change[],
  parts: NewDomains,
): Promise<readonly Change[]> {
  const { ledger } = parts;
  const missing = domainsNotAdded(ledger);
  const isOpen = (change: Change): boolean => change.conditional || missing.has(change.domain);
  if (!changes.some(isOpen)) return changes;
  const resolved = new Map(Map.groupBy(changes, ({ domain }) => domain));
  await sideBySide([...resolved], DOMAINS_AT_ONCE, async ([domain, ours]) => {
    if (missing.has(domain)) {
      recordSkips(ledger, ours, whyStopped(ledger) ?? `${domain} was not added`);
      resolved.delete(domain);
    } else if (ours.some(({ conditional }) => conditional)) {
      resolved.set(domain, [...(await resolveNewDomain(domain, ours, parts))]);
    }
  });
  return [...resolved.values()].flat();
}

function domainsNotAdded({ failed, skipped }: Ledger): ReadonlySet<DomainName> {
  const entries = [...failed.values(), ...skipped.values()];
  const additions = entries.filter(({ change }) => change.kind === 'domain' && change.action === 'add');
  return new Set(additions.map(({ change }) => change.domain));
}

async function resolveNewDomain(
  domain: DomainName,
  changes: readonly Change[],
  parts: NewDomains,
): Promise<readonly Change[]> {
  const { ledger, account } = parts;
  const conditional = changes.filter((change) => change.conditional);
  const certain = changes.filter((change) => !change.conditional);
  const stopped = whyStopped(ledger);
  if (stopped !== null) {
    recordSkips(ledger, conditional, stopped);
    return certain;
  }
  const live = await account.readAdded(domain);
  if (live.ok) {
    await keepCatchAll(domain, live.value, parts);
    return resolveConditional(changes, domain, live.value);
  }
  stopOn(ledger, live.error);
  recordSkips(ledger, conditional, `its aliases could not be read after it was added: ${live.error.message}`);
  return certain;
}

/** At once: a run that is killed leaves the next one what tells the service's own `*` from anybody's. */
async function keepCatchAll(
  domain: DomainName,
  aliases: readonly ObservedAlias[],
  { account, desired, prior, state }: NewDomains,
): Promise<void> {
  const made = aliases.find(({ name }) => name === '*');
  if (made === undefined || !account.findings.added.has(domain)) return;
  const givenCatchAll = signature({ kind: 'alias', state: made }, desired.references);
  account.findings.givenCatchAlls.set(domain, givenCatchAll);
  // It was another domain of that name that was left in place.
  const { settled: _, ...known } = prior.domains.get(domain) ?? NO_PRIOR_DOMAIN;
  await state.remember({ domains: new Map([[domain, { ...known, givenCatchAll }]]), manifest: null });
}
