import { countEntries, type Desired, type DesiredDomain, type PresentDomain } from '../model/desired.ts';
import type { DomainName } from '../model/names.ts';
import type { ManifestSize } from '../model/prior.ts';
import { SECTIONS } from '../kinds/registry.ts';
import type { Section } from '../model/kinds.ts';

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

/** The sections of a domain; a tombstone has none. */
type Sections = Pick<PresentDomain, Section> & Pick<DesiredDomain, 'state'>;

/**
 * True if a manifest deletes entries that it does not name. Otherwise, as with a snapshot, a shorter manifest deletes
 * nothing.
 */
export function prunesAnything({ domains }: Pick<Desired, 'domains'>): boolean {
  return [...domains.values()].some((desired: Sections) =>
    SECTIONS.some((section) => desired[section]?.prune === true),
  );
}
