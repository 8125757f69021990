import type { Desired } from '../model/desired.ts';

/** How much a manifest manages: domains, tombstones aside, and the entries of their sections. */
export interface ManifestSize {
  readonly domains: number;
  readonly entries: number;
}

export function manifestSize({ domains }: Pick<Desired, 'domains'>): ManifestSize {
  const size = { domains: 0, entries: 0 };
  for (const desired of domains.values()) {
    if (desired.state === 'absent') continue;
    size.domains += 1;
    size.entries += desired.aliases?.entries.size ?? 0;
    size.entries += desired.rules?.entries.length ?? 0;
    size.entries += desired.credentials?.entries.size ?? 0;
  }
  return size;
}
