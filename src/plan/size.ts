import { countEntries, type Desired } from '../model/desired.ts';
import type { DomainName } from '../model/names.ts';
import type { ManifestSize } from '../model/prior.ts';
import { SECTIONS } from '../model/kinds.ts';

export function manifestSize({ domains }: Pick<Desired, 'domains'>): ManifestSize {
  const managed = new Set<DomainName>();
  let entries = 0;
  for (const desired of domains.values()) {
    if (desired.state === 'absent') continue;
    managed.add(desired.domain);
    for (const section of SECTIONS) entries += countEntries(desired[section]);
  }
  return { domains: managed, entries };
}

/** Whether a manifest deletes what it does not name. One that does not, such as a snapshot, deletes nothing by being shorter. */
export function prunesAnything({ domains }: Pick<Desired, 'domains'>): boolean {
  return [...domains.values()].some(
    (desired) => desired.state === 'present' && SECTIONS.some((section) => desired[section]?.prune === true),
  );
}

/** The manifest that a later one follows: the one whose domains are most alike, the first of equals; null: none shares a domain. */
export function predecessorOf(size: ManifestSize, known: readonly ManifestSize[]): ManifestSize | null {
  let best: { readonly size: ManifestSize; readonly likeness: number } | null = null;
  for (const before of known) {
    const likeness = likenessOf(size, before);
    if (likeness > (best?.likeness ?? 0)) best = { size: before, likeness };
  }
  return best?.size ?? null;
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
