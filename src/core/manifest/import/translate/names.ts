import { nameKey } from '../../../model/names.ts';
import type { Span } from '../forwards.ts';
import { endsOfAddress } from '../resolve/ends.ts';
import { findEntry, type Forwards } from '../resolve/find.ts';
import type { Missing } from './missing.ts';

/** A local part that the manifest names, with its destinations. */
export interface PlannedName {
  readonly span: Span;
  readonly name: string;
  readonly forward: readonly string[];
}

interface NamesOfDomain {
  readonly names: Iterable<string>;
  readonly domain: string;
  readonly forwards: Forwards;
  /** True if an entry of the manifest can take mail to this name alone. */
  readonly canBeName: (name: string) => boolean;
}

/** Follows the mail of names; what cannot be said of them is added to `missing`. */
export function planNames(
  { names, domain, forwards, canBeName }: NamesOfDomain,
  missing: Missing[],
): readonly PlannedName[] {
  const planned: PlannedName[] = [];
  const taken = new Set<string>();
  for (const name of names) {
    const address = `${name}@${domain}`;
    const span = findEntry(address, forwards)?.entry.span;
    const ends = endsOfAddress(address, forwards);
    if (span === undefined || ends === null) continue;
    const isWritten = ends.forward.length > 0;
    const mail = { kind: isWritten ? 'none' : 'address' } as const;
    for (const reason of ends.lost) missing.push({ span, address, reason, mail });
    if (!isWritten && ends.lost.length === 0) missing.push({ span, address, reason: 'refused', mail });
    if (!isWritten) continue;
    const key = nameKey(name);
    if (taken.has(key) || !canBeName(name))
      missing.push({ span, address, reason: 'name', mail: { kind: 'address' } });
    else planned.push({ span, name, forward: ends.forward });
    taken.add(key);
  }
  return planned;
}
