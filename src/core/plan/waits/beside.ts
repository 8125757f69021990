import { nameKey, takesOthers } from '../../model/names.ts';
import type { AliasChange, Change } from '../../model/plan.ts';
import { matcherOf } from '../../routing/name-match.ts';

/** By change, those of the same domain that come before it. */
export type Beside = ReadonlyMap<Change, ReadonlySet<Change>>;

/** Returns for each alias of a domain the aliases that are added beside it, whose mail it matches as long as they are missing. */
export function addedBeside(changes: readonly Change[]): Beside {
  const aliases = changes.filter((change) => change.kind === 'alias');
  const added = aliases.filter(({ action }) => action === 'add');
  const labelled = added.filter(({ name }) => name.includes('+'));
  return pairs(
    aliases.filter(({ action }) => action !== 'delete'),
    ({ name }) => (isWide(name) ? added : labelled),
  );
}

/** Returns for each of these aliases of a domain those of `others` that would match its mail if it were missing. */
export function matchedBeside(aliases: readonly AliasChange[], others: readonly AliasChange[]): Beside {
  const found = new Map<Change, Set<Change>>();
  if (aliases.length === 0) return found;
  for (const other of others.filter(({ name }) => isWide(name))) {
    const matches = matchesMissing(other.name);
    for (const change of aliases) {
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
 * Returns a function that tells whether an alias matches mail to the name of another one as long as that is missing: of the aliases
 * that match a mail, it is asked later.
 */
export function matchesMissing(name: string): (missing: string) => boolean {
  const own = nameKey(name);
  const isAnother = (missing: string): boolean => missing !== '*' && nameKey(missing) !== own;
  if (name === '*') return isAnother;
  if (!isWide(name)) return (missing) => nameKey(missing).startsWith(`${own}+`);
  const match = matcherOf(name);
  // Which mail two patterns have in common is not worked out.
  return (missing) => isAnother(missing) && (isWide(missing) || match(missing) !== null);
}

/** True if an alias may match mail to others than its own address; a plus alone begins a label. */
export function isWide(name: string): boolean {
  return takesOthers(name.replaceAll('+', ''));
}
