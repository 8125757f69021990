import { itemKey } from '../model/item-key.ts';
import type { DomainName } from '../model/names.ts';
import type { Change } from '../model/plan.ts';
import type { DomainRequests, StageRequests } from '../plan/requests/requests.ts';
import type { Dependencies } from './gate.ts';
import type { KnownAccount } from './known-account.ts';
import { stopOn, whyStopped, type Ledger } from './ledger.ts';

/**
 * Reads each domain of a round again as soon as its last change is in, while others are still being written: reads have a
 * budget of their own. A domain that is read later anyway, before another one loses what it forwarded to, waits for that.
 */
export interface FirstPass {
  /** What a part of the round, counted from 0, has for a domain has ended. */
  readonly ended: (domain: DomainName, part: number) => void;
  /** These domains were read right before a part. */
  readonly sawBefore: (part: number, domains: Iterable<DomainName>) => void;
  /** Waits for all reads: the domains that were read after their last change. */
  readonly seen: () => Promise<ReadonlySet<DomainName>>;
}

export function openFirstPass(
  parts: readonly StageRequests[],
  dependencies: Dependencies,
  { ledger, account }: { readonly ledger: Ledger; readonly account: KnownAccount },
): FirstPass {
  const lastChanged = new Map<DomainName, number>();
  const lastRead = new Map<DomainName, number>();
  const deleted = new Set<DomainName>();
  for (const [part, { stage, domains }] of parts.entries()) {
    for (const change of domains.flatMap(changesOf)) {
      if (change.kind === 'domain' && change.action === 'delete') deleted.add(change.domain);
      const forwarders = stage === 2 ? dependencies.get(itemKey(change)) : undefined;
      for (const name of forwarders ?? []) lastRead.set(name, part);
    }
    for (const { domain } of domains) lastChanged.set(domain, part);
  }
  const seen = new Set<DomainName>();
  const reads: Promise<void>[] = [];
  const read = async (domain: DomainName): Promise<void> => {
    const verified = await account.verify([domain]);
    if (!verified.ok) stopOn(ledger, verified.error);
  };
  return {
    ended(domain, part) {
      const isLast = lastChanged.get(domain) === part && (lastRead.get(domain) ?? -1) <= part;
      if (!isLast || deleted.has(domain) || whyStopped(ledger) !== null) return;
      seen.add(domain);
      reads.push(read(domain));
    },
    sawBefore(part, domains) {
      for (const domain of domains) if ((lastChanged.get(domain) ?? -1) < part) seen.add(domain);
    },
    async seen() {
      await Promise.all(reads);
      return seen;
    },
  };
}

function changesOf({ requests }: DomainRequests): readonly Change[] {
  return requests.flatMap(({ items }) => items.map(({ change }) => change));
}
