import type { DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import { resolveConditional } from '../plan/diff/catch-all.ts';
import { DOMAINS_AT_ONCE } from '../plan/requests/requests.ts';
import { recordSkips, stopOn, whyStopped, type Ledger } from './ledger.ts';
import type { KnownAccount } from './known-account.ts';
import { sideBySide } from './side-by-side.ts';

/**
 * Resolves the conditional changes of the domains that were just added; what belongs to one that was not is skipped. The very
 * same list where nothing of it depended on that.
 */
export async function resolveNewDomains(
  changes: readonly Change[],
  ledger: Ledger,
  account: KnownAccount,
): Promise<readonly Change[]> {
  const missing = domainsNotAdded(ledger);
  const isOpen = (change: Change): boolean => change.conditional || missing.has(change.domain);
  if (!changes.some(isOpen)) return changes;
  const resolved = new Map(Map.groupBy(changes, ({ domain }) => domain));
  await sideBySide([...resolved], DOMAINS_AT_ONCE, async ([domain, ours]) => {
    if (missing.has(domain)) {
      recordSkips(ledger, ours, whyStopped(ledger) ?? `${domain} was not added`);
      resolved.delete(domain);
    } else if (ours.some(({ conditional }) => conditional)) {
      resolved.set(domain, [...(await resolveNewDomain(domain, ours, { ledger, account }))]);
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
  { ledger, account }: { readonly ledger: Ledger; readonly account: KnownAccount },
): Promise<readonly Change[]> {
  const conditional = changes.filter((change) => change.conditional);
  const certain = changes.filter((change) => !change.conditional);
  const stopped = whyStopped(ledger);
  if (stopped !== null) {
    recordSkips(ledger, conditional, stopped);
    return certain;
  }
  const live = await account.readAdded(domain);
  if (live.ok) return resolveConditional(changes, domain, live.value);
  stopOn(ledger, live.error);
  recordSkips(ledger, conditional, `its aliases could not be read after it was added: ${live.error.message}`);
  return certain;
}
