import type { DomainName, NameKey } from './names.ts';
import type { Section } from './kinds.ts';

/** State of earlier runs from the state directory; an aid, never the truth. An empty state is always valid. */
export interface Prior {
  readonly domains: ReadonlyMap<DomainName, PriorDomain>;
  /** Sizes of the manifests that were applied to this account, latest first. */
  readonly manifests: readonly ManifestSize[];
}

/** The amount that a manifest manages. */
export interface ManifestSize {
  /** Domains that the manifest manages, without tombstones. They identify the manifest even if its files move. */
  readonly domains: ReadonlySet<DomainName>;
  /** Entries of the sections of these domains. */
  readonly entries: number;
}

export interface PriorDomain {
  /** Live items that the last complete reading found, by section. */
  readonly live: Readonly<Partial<Record<Section, number>>>;
  /** Item key -> signature of the desired state that was last applied and verified. */
  readonly applied: ReadonlyMap<string, string>;
  /**
   * Rule name, or the id that was sent, -> live id. For rules taken over by content, or given another id by the
   * service.
   */
  readonly ruleIds: ReadonlyMap<string, string>;
  /** Item key -> a difference between what was sent and what the service shows for it. */
  readonly keptOtherwise: ReadonlyMap<string, KeptOtherwise>;
  /** User name -> salted fingerprint of the password that was last sent. */
  readonly passwords: ReadonlyMap<NameKey, string>;
  /**
   * Signature of the destinations that the service gave the domain's `*`, after fwdsync added the domain and until a
   * run keeps it. Absent means that a `*` is an alias like any other.
   */
  readonly givenCatchAll?: string;
  /** Digest of the domain's desired state when a run left it in sync; absent means that something was open. */
  readonly inSyncDigest?: string;
  /** Time of the last DNS check by the service, and the wait before the next one; absent means never. */
  readonly verified?: Verified;
}

/** Signatures of a desired state that the service accepted, and of the state that it has shown since. */
export interface KeptOtherwise {
  readonly sent: string;
  readonly shown: string;
}

/** Epoch milliseconds of the check, and the wait after it in milliseconds. */
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

/**
 * Returns the known manifest that shares the most domains with this one; of equals the first. Returns null if none
 * shares a domain.
 */
export function predecessorOf(size: ManifestSize, known: readonly ManifestSize[]): ManifestSize | null {
  let best: { readonly size: ManifestSize; readonly likeness: number } | null = null;
  for (const before of known) {
    const likeness = likenessOf(size, before);
    if (likeness > (best?.likeness ?? 0)) best = { size: before, likeness };
  }
  return best?.size ?? null;
}

const KEPT_MANIFESTS = 50;

/** Returns the sizes to keep: this one first, in place of the same manifest's earlier size. */
export function latestManifests(known: readonly ManifestSize[], size: ManifestSize): readonly ManifestSize[] {
  return [size, ...known.filter((other) => !isSameManifest(other, size))].slice(0, KEPT_MANIFESTS);
}

/** True if two sizes belong to one manifest at different times rather than to two manifests for one account. */
export function isSameManifest(a: ManifestSize, b: ManifestSize): boolean {
  return likenessOf(a, b) > 0.5;
}

/**
 * Returns the share of common domains among all domains of both: 1 if they have the same domains, 0 if they share
 * none.
 */
function likenessOf({ domains: a }: ManifestSize, { domains: b }: ManifestSize): number {
  const shared = a.intersection(b).size;
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}
