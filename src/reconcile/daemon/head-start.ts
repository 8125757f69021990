import { entryKey } from '../../model/item-key.ts';
import { wantedItems } from '../../apply/memory/memory.ts';
import type { Desired, DesiredDomain } from '../../model/desired.ts';
import type { DomainName } from '../../model/names.ts';
import type { PriorDomain } from '../../model/prior.ts';
import { signature } from '../../plan/diff/signature.ts';
import type { RunPorts } from './account-run.ts';

/**
 * The domains that changed while nobody ran: those whose desired state differs from what was applied last, as far as the state
 * directory knows. At the start of a large account they need not wait for the sweep. Nothing is known: none.
 */
export async function changedSinceApplied(
  desired: Desired,
  ports: Pick<RunPorts, 'access'>,
): Promise<readonly DomainName[]> {
  const access = await ports.access(desired);
  if (!access.ok) return [];
  const account = await access.value.client.getAccount();
  if (!account.ok) return [];
  const { prior } = await access.value.openState(account.value.email).prior();
  if (prior.domains.size === 0) return [];
  return [...desired.domains]
    .filter(([name, domain]) => !isAsApplied(domain, prior.domains.get(name), desired.references))
    .map(([name]) => name);
}

function isAsApplied(
  domain: DesiredDomain,
  prior: PriorDomain | undefined,
  references: Desired['references'],
): boolean {
  if (domain.state === 'absent') return true;
  const items = wantedItems(domain);
  return (
    prior?.applied.size === items.length &&
    items.every(
      ({ name, wanted }) => prior.applied.get(entryKey(wanted.kind, name)) === signature(wanted, references),
    )
  );
}
