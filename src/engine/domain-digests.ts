import { digestOf } from '../core/manifest/digest.ts';
import type { Desired } from '../core/model/desired.ts';
import type { DomainName } from '../core/model/names.ts';
import type { Prior } from '../core/model/prior.ts';

/** Desired state of each domain as one short text. */
export type DomainDigests = ReadonlyMap<DomainName, string>;

const NO_GUARDS = { maxDeletes: 0, maxDeletePercent: 0, allow: [] };

export function digestDomains({ domains }: Pick<Desired, 'domains'>): DomainDigests {
  return new Map(
    [...domains].map(([name, domain]) => [
      name,
      digestOf({ api: {}, guards: NO_GUARDS, domains: new Map([[name, domain]]) }),
    ]),
  );
}

/**
 * Returns digests that are safe to store. Without the key, a digest cannot be used to guess the values behind
 * references.
 */
export function keyedDigests(
  desired: Pick<Desired, 'domains'>,
  hmac: (text: string) => string,
): DomainDigests {
  return new Map([...digestDomains(desired)].map(([name, text]) => [name, `sha256:${hmac(text)}`]));
}

/**
 * Returns the domains whose desired state changed, new ones included. Domains missing from `after` are no longer
 * managed.
 */
export function changedSince(before: DomainDigests, after: DomainDigests): readonly DomainName[] {
  return [...after.keys()].filter((name) => before.get(name) !== after.get(name));
}

/** Returns the domains that no earlier run left in sync with their current desired state. */
export function pendingDomains(
  desired: Desired,
  prior: Prior,
  hmac: (text: string) => string,
): readonly DomainName[] {
  const digests = keyedDigests(desired, hmac);
  return [...digests.keys()].filter((name) => prior.domains.get(name)?.inSyncDigest !== digests.get(name));
}

/** Returns a manifest with only these domains. */
export function keepDomains(desired: Desired, isKept: (name: DomainName) => boolean): Desired {
  return { ...desired, domains: new Map([...desired.domains].filter(([name]) => isKept(name))) };
}
