import type { DomainName } from '../../core/model/names.ts';
import type { KnownAccount } from './known-account.ts';
import { stopOn, whyStopped, type Ledger } from './ledger.ts';

/** The reads of a round that verify its domains while others are still being written, because reads have a separate budget. */
export interface FirstPass {
  /** Reads a domain after its last change. */
  readonly verify: (domain: DomainName) => void;
  /** A read for another reason showed the domain after its last change. */
  readonly saw: (domain: DomainName) => void;
  /** Waits for all reads, and returns the domains that were read after their last change. */
  readonly seen: () => Promise<ReadonlySet<DomainName>>;
}

export function openFirstPass({
  ledger,
  account,
}: {
  readonly ledger: Ledger;
  readonly account: KnownAccount;
}): FirstPass {
  const seen = new Set<DomainName>();
  const reads: Promise<void>[] = [];
  const read = async (domain: DomainName): Promise<void> => {
    const verified = await account.verify([domain]);
    if (!verified.ok) stopOn(ledger, verified.error);
  };
  return {
    verify(domain) {
      if (whyStopped(ledger) !== null) return;
      seen.add(domain);
      reads.push(read(domain));
    },
    saw: (domain) => void seen.add(domain),
    async seen() {
      await Promise.all(reads);
      return seen;
    },
  };
}
