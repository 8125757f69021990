import { nameKey } from '../../../model/names.ts';
import type { Span } from '../forwards.ts';
import { endsOfAddress, type SourceEnds } from '../resolve/ends.ts';
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

/** Follows the mail of names; parts that cannot be expressed are added to `missing`. */
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
    missing.push(...missingEnds(ends, { span, address }));
    if (ends.forward.length === 0) continue;
    const key = nameKey(name);
    const isWritable = !taken.has(key) && canBeName(name);
    taken.add(key);
    if (isWritable) planned.push({ span, name, forward: ends.forward });
    else missing.push({ span, address, reason: 'name', mail: { kind: 'address' } });
  }
  return planned;
}

/** Lists the missing parts of an address: its lost destinations, or all of it. */
export function missingEnds(
  { forward, lost }: SourceEnds,
  place: Pick<Missing, 'span' | 'address'>,
): readonly Missing[] {
  const isPart = forward.length > 0;
  const mail = { kind: isPart ? 'none' : 'address' } as const;
  if (!isPart && lost.length === 0) return [{ ...place, reason: 'refused', mail }];
  return lost.map((reason) => ({ ...place, reason, mail, isPart }));
}
