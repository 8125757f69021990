import type { Destination } from '../model/destinations.ts';
import { presentEntries, type DesiredDomain } from '../model/desired.ts';
import type { Section } from '../model/kinds.ts';
import { SECTIONS } from './registry.ts';

/**
 * Returns the sections that the manifest manages in a domain: none if it does not name the domain, all if the domain
 * is a tombstone.
 */
export function managedSections(desired: DesiredDomain | undefined): readonly Section[] {
  if (desired === undefined) return [];
  return desired.state === 'absent' ? SECTIONS : SECTIONS.filter((section) => desired[section] !== undefined);
}

/** Yields the destination lists of a domain's desired entries; some repeat. */
export function* forwardsOf(domain: DesiredDomain): Generator<readonly Destination[]> {
  if (domain.state === 'absent') return;
  for (const entry of SECTIONS.flatMap((section) => presentEntries(domain[section]))) {
    if ('forward' in entry) yield entry.forward;
  }
}
