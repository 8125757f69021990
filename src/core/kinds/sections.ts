import type { Destination } from '../model/destinations.ts';
import { presentEntries, type DesiredDomain } from '../model/desired.ts';
import type { Section } from '../model/kinds.ts';
import { SECTIONS } from './registry.ts';

/** The sections that the manifest manages in a domain: none of one that it does not name, all of one that is to be deleted. */
export function managedSections(desired: DesiredDomain | undefined): readonly Section[] {
  if (desired === undefined) return [];
  return desired.state === 'absent' ? SECTIONS : SECTIONS.filter((section) => desired[section] !== undefined);
}

/** The destinations of what a domain should have, some of them more than once. */
export function* forwardsOf(domain: DesiredDomain): Generator<readonly Destination[]> {
  if (domain.state === 'absent') return;
  for (const entry of SECTIONS.flatMap((section) => presentEntries(domain[section]))) {
    if ('forward' in entry) yield entry.forward;
  }
}
