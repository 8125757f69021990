import type { DomainName } from '../model/names.ts';
import type { VerificationOrder } from '../plan/requests/verification-order.ts';
import type { KnownAccount } from './known-account.ts';
import { stopOn, whyStopped, type Ledger } from './ledger.ts';

/** The reads of a round that verify its domains while others are still being written: reads have a budget of their own. */
export interface FirstPass {
  /** What a part of the round has for a domain has ended. */
  readonly ended: (domain: DomainName, part: number) => void;
  /** These domains were read right before a part. */
  readonly readBefore: (part: number, domains: Iterable<DomainName>) => void;
  /** Waits for all reads: the domains that were read after their last change. */
  readonly seen: () => Promise<ReadonlySet<DomainName>>;
}

export function openFirstPass(
  order: VerificationOrder,
  { ledger, account }: { readonly ledger: Ledger; readonly account: KnownAccount },
): FirstPass {
  const seen = new Set<DomainName>();
  const reads: Promise<void>[] = [];
  const read = async (domain: DomainName): Promise<void> => {
    const verified = await account.verify([domain]);
    if (!verified.ok) stopOn(ledger, verified.error);
  };
  return {
    ended(domain, part) {
      if (!order.isDueAfter(part, domain) || whyStopped(ledger) !== null) return;
      seen.add(domain);
      reads.push(read(domain));
    },
    readBefore(part, domains) {
      for (const domain of domains) if (order.isSeenBefore(part, domain)) seen.add(domain);
    },
    async seen() {
      await Promise.all(reads);
      return seen;
    },
  };
}
