import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import type { DomainRequests, StageRequests } from './requests.ts';

/** The times at which each domain of a round is read again to verify it, by the parts of the round, counted from 0. */
export interface VerificationOrder {
  /** True if a domain is read again as soon as its changes of this part have ended. */
  readonly isDueAfter: (part: number, domain: DomainName) => boolean;
  /** True if a read of a domain right before this part shows it after its last change. */
  readonly isSeenBefore: (part: number, domain: DomainName) => boolean;
}

/**
 * Returns the verification order. A domain is verified after its last change, while others are still being written. If
 * it is read later anyway, before another domain loses a route that it forwarded to, it waits for that read;
 * `forwardersOf` returns these domains for a change of stage 2. A deleted domain is not read again.
 */
export function verificationOrder(
  parts: readonly StageRequests[],
  forwardersOf: (change: Change) => ReadonlySet<DomainName> | undefined,
): VerificationOrder {
  const lastChanged = new Map<DomainName, number>();
  const lastRead = new Map<DomainName, number>();
  const deleted = new Set<DomainName>();
  for (const [part, { stage, domains }] of parts.entries()) {
    for (const change of domains.flatMap(changesOfRequests)) {
      if (change.kind === 'domain' && change.action === 'delete') deleted.add(change.domain);
      const forwarders = stage === 2 ? forwardersOf(change) : undefined;
      for (const name of forwarders ?? []) lastRead.set(name, part);
    }
    for (const { domain } of domains) lastChanged.set(domain, part);
  }
  return {
    isDueAfter(part, domain) {
      const isRead = (lastRead.get(domain) ?? -1) > part;
      return lastChanged.get(domain) === part && !isRead && !deleted.has(domain);
    },
    isSeenBefore: (part, domain) => (lastChanged.get(domain) ?? -1) < part,
  };
}

/** Returns the changes of a domain's requests. A rule that moves and changes is in two requests. */
export function changesOfRequests({ requests }: DomainRequests): readonly Change[] {
  return [...new Set(requests.flatMap(({ items }) => items.map(({ change }) => change)))];
}
