/** An entry that forwards; `name` is its local part, or `*`. */
export interface GroupedEntry<Part> {
  readonly name: string;
  readonly forward: readonly Part[];
}

const LEAST_DESTINATIONS = 2;
const LEAST_ENTRIES = 3;

/** Groups for sets of destinations that several entries share. */
export interface FoundGroups<Part> {
  /** The destinations of each group, in the order of the entry that named it. */
  readonly groups: ReadonlyMap<string, readonly Part[]>;
  /** Returns the name of the group with these destinations; undefined if there is none. */
  readonly nameOf: (forward: readonly Part[]) => string | undefined;
}

/** Finds sets of two or more destinations that three or more entries share, and names each after its first entry. */
export function findGroups<Part>(entries: Iterable<GroupedEntry<Part>>): FoundGroups<Part> {
  const sets = new Map<string, { readonly first: GroupedEntry<Part>; count: number }>();
  for (const entry of entries) {
    if (entry.forward.length < LEAST_DESTINATIONS) continue;
    const key = keyOf(entry.forward);
    const known = sets.get(key);
    if (known === undefined) sets.set(key, { first: entry, count: 1 });
    else known.count += 1;
  }
  const names = new Map<string, string>();
  const groups = new Map<string, readonly Part[]>();
  for (const [key, { first, count }] of sets) {
    if (count < LEAST_ENTRIES) continue;
    const name = freeName(first.name, groups);
    groups.set(name, first.forward);
    names.set(key, name);
  }
  return { groups, nameOf: (forward) => names.get(keyOf(forward)) };
}

function keyOf(forward: readonly unknown[]): string {
  return forward
    .map((part) => JSON.stringify(part))
    .sort()
    .join();
}

/** Returns an unused name for a group that the language accepts. */
function freeName(local: string, groups: ReadonlyMap<string, unknown>): string {
  const base = local === '*' ? 'everyone' : local.replace(/[@,\s]+|:\/\//g, '-');
  const isFree = (name: string): boolean => !groups.has(name) && !/^(?:discard|refused|null)$/i.test(name);
  if (isFree(base)) return base;
  let count = 2;
  while (!isFree(`${base}-${count}`)) count += 1;
  return `${base}-${count}`;
}
