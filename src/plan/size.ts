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
