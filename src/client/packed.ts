import type { Destination } from '../core/model/destinations.ts';
import type { DesiredDomain } from '../core/model/desired.ts';
import { nameKey } from '../core/model/names.ts';
import type { Observed, ObservedDomain, ObservedSections } from '../core/model/observed.ts';
import type { DesiredAlias, ObservedAlias, PresentAlias, Rows } from '../core/model/resources.ts';
import type { Sections } from './observe-sections.ts';

/**
 * Stores the sections of a domain in little memory. An alias that equals its manifest entry is kept as the entry and an id;
 * all other aliases are one JSON text. So an account that equals its manifest is not in memory twice.
 */
export function packSections(sections: Sections, desired: DesiredDomain | undefined): ObservedSections {
  if (sections.aliases === undefined) return sections;
  const entries = desired?.state === 'present' ? desired.aliases?.entries : undefined;
  return { ...sections, aliases: packAliases(sections.aliases, entries ?? NO_ENTRIES) };
}

/** Packs the aliases embedded in a list of domains (v3). */
export function packEmbedded(listed: readonly ObservedDomain[]): NonNullable<Observed['embedded']> {
  return new Map(
    listed.flatMap(({ domain, aliases }) =>
      aliases === undefined ? [] : [[domain, packAliases(aliases, NO_ENTRIES)] as const],
    ),
  );
}

type Entries = ReadonlyMap<string, DesiredAlias>;

const NO_ENTRIES: Entries = new Map();

/** An alias that differs from the manifest, and its place in the listing. */
type Other = readonly [place: number, id: string, name: string, ...forward: Destination[]];

function packAliases(aliases: Rows<ObservedAlias>, entries: Entries): Rows<ObservedAlias> {
  const same: PresentAlias[] = [];
  const ids: string[] = [];
  const others: Other[] = [];
  let place = 0;
  for (const alias of aliases) {
    const entry = entries.get(nameKey(alias.name));
    if (isAsWritten(alias, entry)) {
      same.push(entry);
      ids.push(alias.id);
    } else others.push([place, alias.id, alias.name, ...alias.forward]);
    place += 1;
  }
  return createRows({
    length: aliases.length,
    same,
    ids: JSON.stringify(ids),
    others: JSON.stringify(others),
  });
}

/** Packed aliases. `ids` are the ids of `same`. `ids` and `others` are JSON. */
interface Packed {
  readonly length: number;
  readonly same: readonly PresentAlias[];
  readonly ids: string;
  readonly others: string;
}

/** Creates the rows. Their JSON form is short too: aliases that equal the manifest appear only by name. */
function createRows(packed: Packed): Rows<ObservedAlias> {
  const { length, same } = packed;
  return {
    length,
    [Symbol.iterator]: () => unpack(packed),
    toJSON: () => ({ ...packed, same: same.map(({ name }) => name) }),
  };
}

function* unpack({ length, same, ids, others }: Packed): Generator<ObservedAlias> {
  const idOf = idsIn(ids);
  const different = (JSON.parse(others) as readonly Other[]).values();
  let next = different.next();
  for (let place = 0, index = 0; place < length; place += 1) {
    if (next.done !== true && next.value[0] === place) {
      const [, id, name, ...forward] = next.value;
      yield { id, name, forward };
      next = different.next();
    } else {
      yield new WrittenAlias(same[index] as PresentAlias, index, idOf);
      index += 1;
    }
  }
}

/** Returns a function that parses the ids when one is first needed, which is rare for aliases that equal the manifest. */
function idsIn(text: string): (index: number) => string {
  let ids: readonly string[] | null = null;
  return (index) => {
    ids ??= JSON.parse(text) as readonly string[];
    return ids[index] as string;
  };
}

/** The row of an alias that equals its manifest entry. */
class WrittenAlias implements ObservedAlias {
  readonly name: string;
  readonly forward: readonly Destination[];
  readonly #index: number;
  readonly #idOf: (index: number) => string;

  constructor({ name, forward }: PresentAlias, index: number, idOf: (index: number) => string) {
    this.name = name;
    this.forward = asListed(forward);
    this.#index = index;
    this.#idOf = idOf;
  }

  get id(): string {
    return this.#idOf(this.#index);
  }
}

function isAsWritten(
  { name, forward }: ObservedAlias,
  entry: DesiredAlias | undefined,
): entry is PresentAlias {
  if (entry?.state !== 'present' || entry.name !== name || entry.forward.length !== forward.length)
    return false;
  return asListed(entry.forward).every((destination, index) => destination === forward[index]);
}

/** Returns destinations in the order of `decodeForward`. */
function asListed(forward: readonly Destination[]): readonly Destination[] {
  return forward.length < 2 ? forward : forward.toSorted();
}
