import type { DomainName, NameKey } from './names.ts';
import type { Section } from './kinds.ts';

/** What the state directory remembers of earlier runs; an aid, never the truth. Empty is always valid. */
export interface Prior {
  readonly domains: ReadonlyMap<DomainName, PriorDomain>;
  /** Sizes of the manifests that were applied to this account, the latest first. */
  readonly manifests: readonly ManifestSize[];
}

/** How much a manifest manages. */
export interface ManifestSize {
  /** The domains that it manages, tombstones aside: what it is recognised by, wherever its files lie. */
  readonly domains: ReadonlySet<DomainName>;
  /** Entries of the sections of these domains. */
  readonly entries: number;
}

export interface PriorDomain {
  /** Live items that the last complete reading found, by section. */
  readonly live: Readonly<Partial<Record<Section, number>>>;
  /** Item key -> signature of the desired state that was last applied and found in place. */
  readonly applied: ReadonlyMap<string, string>;
  /** Rule name, or the id that was sent, -> live id: for rules taken over by content, or given another id by the service. */
  readonly ruleIds: ReadonlyMap<string, string>;
  /** Item key -> a difference that the service makes of what it accepts. */
  readonly keptOtherwise: ReadonlyMap<string, KeptOtherwise>;
  /** User name -> salted fingerprint of the password that was last sent. */
  readonly passwords: ReadonlyMap<NameKey, string>;
  /**
   * Signature of the destinations that the service gave the `*` of this domain, which fwdsync added and no run has left in
   * place since; absent: a `*` of it is an alias like any other.
   */
  readonly givenCatchAll?: string;
  /** Digest of all that the manifest wanted of the domain when a run left it in place; absent: something was open. */
  readonly inSyncDigest?: string;
  /** When the service was last asked about its DNS, and how long the next time waits; absent: never. */
  readonly verified?: Verified;
}

/** Signatures of a desired state that the service accepted and of what it showed from then on. */
export interface KeptOtherwise {
  readonly sent: string;
  readonly shown: string;
}

/** Epoch milliseconds, and milliseconds after it. */
export interface Verified {
  readonly at: number;
  readonly waitMs: number;
}

export const NO_PRIOR_DOMAIN: PriorDomain = {
  live: {},
  applied: new Map(),
  ruleIds: new Map(),
  keptOtherwise: new Map(),
  passwords: new Map(),
};

export const NO_PRIOR: Prior = { domains: new Map(), manifests: [] };

/** The manifest that a later one follows: the one whose domains are most alike, the first of equals; null: none shares a domain. */
export function predecessorOf(size: ManifestSize, known: readonly ManifestSize[]): ManifestSize | null {
  let best: { readonly size: ManifestSize; readonly likeness: number } | null = null;
  for (const before of known) {
    const likeness = likenessOf(size, before);
    if (likeness > (best?.likeness ?? 0)) best = { size: before, likeness };
  }
  return best?.size ?? null;
}

const KEPT_MANIFESTS = 50;

/** The sizes that are kept once this one is the latest, in place of what the same manifest was before. */
export function latestManifests(known: readonly ManifestSize[], size: ManifestSize): readonly ManifestSize[] {
  return [size, ...known.filter((other) => !isSameManifest(other, size))].slice(0, KEPT_MANIFESTS);
}

/** Whether two sizes are of one manifest at different times rather than of two manifests for one account. */
export function isSameManifest(a: ManifestSize, b: ManifestSize): boolean {
  return likenessOf(a, b) > 0.5;
}

/** The share of domains that both have among those that one has: 1 where they have the same, 0 where they share none. */
function likenessOf({ domains: a }: ManifestSize, { domains: b }: ManifestSize): number {
  const shared = a.intersection(b).size;
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}
