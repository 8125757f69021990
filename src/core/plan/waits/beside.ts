import { nameKey, takesOthers } from '../../model/names.ts';
import type { AliasChange, Change } from '../../model/plan.ts';
import { matcherOf } from '../../routing/name-match.ts';

/** Changes of the same domain that come before each change. */
export type Beside = ReadonlyMap<Change, ReadonlySet<Change>>;

/** Returns, for each alias of a domain, the added aliases whose mail it matches while they are missing. */
export function addedBeside(changes: readonly Change[]): Beside {
  const aliases = changes.filter((change) => change.kind === 'alias');
  const added = aliases.filter(({ action }) => action === 'add');
  const labelled = added.filter(({ name }) => name.includes('+'));
  return pairs(
    aliases.filter(({ action }) => action !== 'delete'),
    ({ name }) => (isWide(name) ? added : labelled),
  );
}

/** Returns, for each of these aliases of a domain, those of `others` that would match its mail if it were missing. */
export function matchedBeside(aliases: readonly AliasChange[], others: readonly AliasChange[]): Beside {
  const found = new Map<Change, Set<Change>>();
  const labelled = aliases.filter(({ name }) => name.includes('+'));
  for (const other of others) {
    const candidates = isWide(other.name) ? aliases : labelled;
    if (candidates.length === 0) continue;
    const matches = matchesMissing(other.name);
    for (const change of candidates) {
      if (matches(change.name)) found.set(change, (found.get(change) ?? new Set()).add(other));
    }
  }
  return found;
}

function pairs(
  changes: readonly AliasChange[],
  candidatesFor: (change: AliasChange) => readonly AliasChange[],
): Beside {
  const found = new Map<Change, ReadonlySet<Change>>();
  for (const change of changes) {
    const candidates = candidatesFor(change);
    if (candidates.length === 0) continue;
    const matches = matchesMissing(change.name);
    const firsts = candidates.filter(({ name }) => matches(name));
    if (firsts.length > 0) found.set(change, new Set(firsts));
  }
  return found;
}

/**
 * Returns a function that is true if an alias matches mail to a missing name. The service asks the alias later than an
 * alias of that name.
 */
export function matchesMissing(name: string): (missing: string) => boolean {
  const own = nameKey(name);
  const isAnother = (missing: string): boolean => missing !== '*' && nameKey(missing) !== own;
  if (!isWide(name)) return (missing) => nameKey(missing).startsWith(`${own}+`);
  const match = matcherOf(name);
  // The mail that two patterns share is not computed.
  return (missing) => isAnother(missing) && (isWide(missing) || match(missing) !== null);
}

/** True if an alias may match mail to other addresses. A plus alone only begins a label. */
export function isWide(name: string): boolean {
  return takesOthers(name.replaceAll('+', ''));
}
