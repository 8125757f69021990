/** An entry that forwards somewhere; `name` is its local part, or `*`. */
export interface GroupedEntry {
  readonly name: string;
  readonly forward: readonly string[];
}

const LEAST_DESTINATIONS = 2;
const LEAST_ENTRIES = 3;

/** Names of groups for sets of destinations that several entries share. */
export interface FoundGroups {
  /** The destinations of each group, in the order of the entry that it is named after. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** The name of the group that stands for these destinations; undefined if there is none. */
  readonly nameOf: (forward: readonly string[]) => string | undefined;
}

/** Finds sets of two or more destinations that three or more entries have, and names each after the first of these. */
export function findGroups(entries: Iterable<GroupedEntry>): FoundGroups {
  const sets = new Map<string, { readonly first: GroupedEntry; count: number }>();
  for (const entry of entries) {
    if (entry.forward.length < LEAST_DESTINATIONS) continue;
    const key = keyOf(entry.forward);
    const known = sets.get(key);
    if (known === undefined) sets.set(key, { first: entry, count: 1 });
    else known.count += 1;
  }
  const names = new Map<string, string>();
  const groups = new Map<string, readonly string[]>();
  for (const [key, { first, count }] of sets) {
    if (count < LEAST_ENTRIES) continue;
    const name = freeName(first.name, groups);
    groups.set(name, first.forward);
    names.set(key, name);
  }
  return { groups, nameOf: (forward) => names.get(keyOf(forward)) };
}

function keyOf(forward: readonly string[]): string {
  return forward.toSorted().join('\n');
}

/** A name for a group that no other has, and that the language does not reserve. */
function freeName(local: string, groups: ReadonlyMap<string, unknown>): string {
  const base = local === '*' ? 'everyone' : local;
  const isFree = (name: string): boolean => !groups.has(name) && !/^(?:discard|refused|null)$/i.test(name);
  if (isFree(base)) return base;
  let count = 2;
  while (!isFree(`${base}-${count}`)) count += 1;
  return `${base}-${count}`;
}
