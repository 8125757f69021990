import type { Destination } from '../model/destinations.ts';
import type { DesiredDomain } from '../model/desired.ts';
import { nameKey } from '../model/names.ts';
import type { ObservedSections } from '../model/observed.ts';
import type { DesiredAlias, ObservedAlias, PresentAlias, Rows } from '../model/resources.ts';
import type { Sections } from './observe-sections.ts';

/**
 * What was read of a domain, in little room: of an alias that is as the manifest says no more than its id is kept beside the
 * entry, and the others as one text. An account of which a manifest says the same is not in memory twice.
 */
export function packSections(sections: Sections, desired: DesiredDomain | undefined): ObservedSections {
  if (sections.aliases === undefined) return sections;
  const entries = desired?.state === 'present' ? desired.aliases?.entries : undefined;
  return { ...sections, aliases: packAliases(sections.aliases, entries ?? NO_ENTRIES) };
}

type Entries = ReadonlyMap<string, DesiredAlias>;

const NO_ENTRIES: Entries = new Map();

/** The id of an alias that is as its entry says, or all of one that is not. */
type Packed = string | readonly [id: string, name: string, ...forward: Destination[]];

function packAliases(aliases: readonly ObservedAlias[], entries: Entries): Rows<ObservedAlias> {
  const same: PresentAlias[] = [];
  const packed = aliases.map((alias): Packed => {
    const entry = entries.get(nameKey(alias.name));
    if (!isAsWritten(alias, entry)) return [alias.id, alias.name, ...alias.forward];
    same.push(entry);
    return alias.id;
  });
  const text = JSON.stringify(packed);
  return {
    length: aliases.length,
    *[Symbol.iterator]() {
      const entriesInOrder = same.values();
      for (const row of JSON.parse(text) as readonly Packed[]) yield unpack(row, entriesInOrder);
    },
  };
}

function unpack(row: Packed, same: Iterator<PresentAlias>): ObservedAlias {
  if (typeof row !== 'string') {
    const [id, name, ...forward] = row;
    return { id, name, forward };
  }
  const { name, forward } = same.next().value as PresentAlias;
  return { id: row, name, forward: asListed(forward) };
}

function isAsWritten(
  { name, forward }: ObservedAlias,
  entry: DesiredAlias | undefined,
): entry is PresentAlias {
  if (entry?.state !== 'present' || entry.name !== name || entry.forward.length !== forward.length)
    return false;
  return asListed(entry.forward).every((destination, index) => destination === forward[index]);
}

/** In the order of `decodeForward`. */
function asListed(forward: readonly Destination[]): readonly Destination[] {
  return forward.length < 2 ? forward : forward.toSorted();
}
