import type { DomainName } from '../../core/model/names.ts';
import type { Change } from '../../core/model/plan.ts';
import { resolveConditional } from '../../core/kinds/alias/diff-catch-all.ts';
import { DOMAINS_AT_ONCE, type StageRequests } from '../../core/plan/requests/requests.ts';
import { changesOfRequests } from '../../core/plan/requests/verification-order.ts';
import { recordSkips, stopOn, whyStopped, type Ledger } from './ledger.ts';
import type { KnownAccount } from './known-account.ts';
import { sideBySide } from './side-by-side.ts';

/** Work of a round, which depends on the domains being added. */
export interface RoundWork {
  /** Returns the changes that are left in a domain once it exists. */
  readonly settle: (domain: DomainName) => Promise<Left>;
  /** Returns the changes that are left in all domains, including those not settled yet. */
  readonly left: () => Promise<Left>;
}

export type Left = readonly Change[] | 'as-planned';

export function openRoundWork(
  stages: readonly StageRequests[],
  parts: { readonly ledger: Ledger; readonly account: KnownAccount },
): RoundWork {
  const changes = new Set(stages.flatMap(({ domains }) => domains.flatMap(changesOfRequests)));
  const rest = [...changes].filter(({ kind, action }) => kind !== 'domain' || action !== 'add');
  const planned = Map.groupBy(rest, ({ domain }) => domain);
  const settled = new Map<DomainName, Left>();
  const settle = async (domain: DomainName): Promise<Left> => {
    const left = await settleDomain(domain, planned.get(domain) ?? [], parts);
    settled.set(domain, left);
    return left;
  };
  return {
    settle,
    async left() {
      const others = [...planned.keys()].filter((domain) => !settled.has(domain));
      await sideBySide(others, DOMAINS_AT_ONCE, async (domain) => void (await settle(domain)));
      if (settled.values().every((left) => left === 'as-planned')) return 'as-planned';
      return [...settled].flatMap(([domain, left]) =>
        left === 'as-planned' ? (planned.get(domain) ?? []) : left,
      );
    },
  };
}

/** Resolves the conditional changes of a domain that was just added. If it could not be added, skips all its changes. */
async function settleDomain(
  domain: DomainName,
  changes: readonly Change[],
  { ledger, account }: { readonly ledger: Ledger; readonly account: KnownAccount },
): Promise<Left> {
  const stopped = whyStopped(ledger);
  if (isNotAdded(ledger, domain)) {
    recordSkips(ledger, changes, stopped ?? `${domain} was not added`);
    return [];
  }
  const conditional = changes.filter((change) => change.conditional);
  if (conditional.length === 0) return 'as-planned';
  const certain = changes.filter((change) => !change.conditional);
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

/** True if the domain was to be added and was not. */
export function isNotAdded({ undone }: Ledger, domain: DomainName): boolean {
  const changes = undone.get(domain)?.values() ?? [];
  return Iterator.from(changes).some(({ kind, action }) => kind === 'domain' && action === 'add');
}
