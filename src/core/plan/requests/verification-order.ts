import type { DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import type { DomainRequests, StageRequests } from './requests.ts';

/** When each domain of a round is read again to verify it, by the parts of the round, counted from 0. */
export interface VerificationOrder {
  /** Whether a domain is read again as soon as what this part has for it has ended. */
  readonly isDueAfter: (part: number, domain: DomainName) => boolean;
  /** Whether what is read of a domain right before this part shows it after its last change. */
  readonly isSeenBefore: (part: number, domain: DomainName) => boolean;
}

/**
 * A domain is verified after its last change, while others are still being written. One that is read later anyway, before
 * another one loses what it forwarded to, waits for that; `forwardersOf` says of a change of stage 2 which domains these are.
 * Of a domain that is deleted there is nothing left to read.
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

/** What the requests of a domain change; a rule that moves and changes stands in two of them. */
export function changesOfRequests({ requests }: DomainRequests): readonly Change[] {
  return [...new Set(requests.flatMap(({ items }) => items.map(({ change }) => change)))];
}
