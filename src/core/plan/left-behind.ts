import { presentEntries, type Desired, type PresentDomain } from '../model/desired.ts';
import { entryKey } from '../kinds/item-key.ts';
import { idKey } from '../model/item-key.ts';
import { KINDS, SECTION_KINDS } from '../kinds/registry.ts';
import type { SectionKind, Section } from '../model/kinds.ts';
import { nameKey, quote } from '../model/names.ts';
import type { Observed, ObservedDomain } from '../model/observed.ts';
import type { Warning } from '../model/plan.ts';
import { isSameManifest, type ManifestSize, type Prior } from '../model/prior.ts';
import { matchesGlob } from '../routing/glob.ts';
import type { ItemMemory } from './diff/item-memory.ts';
import { signature, type RowName } from '../kinds/items.ts';

export const NO_LONGER_MANAGED = 'no-longer-managed';

/** An entry that an earlier run applied, that the manifest no longer names, and that nothing deletes. */
export interface LeftBehind {
  /** The entry's key in the state directory; see `entryKey`. */
  readonly key: string;
  readonly kind: SectionKind;
  readonly name: string;
}

/**
 * Returns a domain's entries that were applied earlier and are left behind. Entries of unread sections are assumed to
 * exist.
 */
export function leftBehind(
  desired: PresentDomain,
  live: ObservedDomain,
  memory: ItemMemory,
): readonly LeftBehind[] {
  if (memory.prior === null) return [];
  const named = namedKeys(desired);
  const nameOf = liveNames(desired, live);
  return [...memory.prior.applied].flatMap(([key, applied]) => {
    if (named.has(key)) return [];
    const kind = SECTION_KINDS.find((candidate) => key.startsWith(`${candidate}:`));
    if (kind === undefined || desired[KINDS[kind].section]?.prune === true) return [];
    const written = key.slice(kind.length + 1);
    const name =
      KINDS[kind].identity === 'id'
        ? unnamedItem({ kind, written, applied }, { desired, live, memory })
        : nameOf(kind, written);
    return name === null ? [] : [{ key, kind, name }];
  });
}

export function leftBehindWarnings(
  desired: PresentDomain,
  live: ObservedDomain,
  memory: ItemMemory,
): readonly Warning[] {
  return leftBehind(desired, live, memory).map(({ kind, name }) => ({
    code: NO_LONGER_MANAGED,
    ...leftBehindWords(kind, name, desired.domain),
    source: desired.source,
    subject: { entries: [name] },
  }));
}

/**
 * Warns of each domain that an earlier run applied, that the account still has, and that the manifest no longer names.
 * If only some domains were read, nothing is known of the others. A domain of another manifest for this account
 * belongs to that manifest.
 */
export function domainsLeftBehind(
  {
    desired,
    observed,
    prior,
  }: { readonly desired: Desired; readonly observed: Observed; readonly prior: Prior },
  size: ManifestSize,
): readonly Warning[] {
  if (observed.partial === true) return [];
  const others = prior.manifests.filter((known) => !isSameManifest(known, size));
  return [...prior.domains]
    .filter(([domain, { applied }]) => applied.size > 0 && observed.domains.has(domain))
    .filter(([domain]) => !size.domains.has(domain) && !desired.domains.has(domain))
    .filter(([domain]) => !others.some(({ domains }) => domains.has(domain)))
    .map(([domain]) => ({
      code: NO_LONGER_MANAGED,
      message: `domain ${domain} is no longer in the manifest: it stays as it is and is no longer managed`,
      hint: 'name it again; or delete it: write `state: absent` for it',
      source: null,
      subject: { domain, entries: [domain] },
    }));
}

/** Returns the message and hint for an entry that is left behind. */
export function leftBehindWords(
  kind: SectionKind,
  name: string,
  domain: string,
): { readonly message: string; readonly hint: string } {
  return {
    message: `${kind} ${quote(name)} of ${domain} is no longer in the manifest: it stays as it is and is no longer managed`,
    hint: 'name it again; or delete it: write `state: absent` for it, or `prune` its section',
  };
}

function namedKeys(desired: PresentDomain): ReadonlySet<string> {
  const keys = SECTION_KINDS.flatMap((kind) =>
    [...(desired[KINDS[kind].section]?.entries.values() ?? [])].flatMap(({ name }) =>
      name === undefined ? [] : [entryKey(kind, name)],
    ),
  );
  return new Set(keys);
}

/** Returns a lookup of a name as the account spells it; null means that it is gone or ignored. */
function liveNames(
  desired: PresentDomain,
  live: ObservedDomain,
): (kind: SectionKind, written: string) => string | null {
  const found = new Map<SectionKind, ReadonlyMap<string, string>>();
  return (kind, written) => {
    const { section } = KINDS[kind];
    const ignore = desired[section]?.ignore ?? [];
    if (ignore.some((pattern) => matchesGlob(pattern, written))) return null;
    const rows = live[section];
    if (rows === undefined) return written;
    const named: Iterable<RowName> = rows;
    const names =
      found.get(kind) ?? new Map(Array.from(named, ({ name = '' }) => [nameKey(name), name] as const));
    found.set(kind, names);
    return names.get(written) ?? null;
  };
}

interface AppliedItem {
  readonly kind: SectionKind;
  readonly written: string;
  /** The signature of the applied state. */
  readonly applied: string;
}

/**
 * Returns a rule that is left behind, or null. Rules have no names in the account: the rule still exists if a live
 * rule has the applied state and belongs to no entry.
 */
function unnamedItem(
  { kind, written, applied }: AppliedItem,
  {
    desired,
    live,
    memory,
  }: { readonly desired: PresentDomain; readonly live: ObservedDomain; readonly memory: ItemMemory },
): string | null {
  const { section } = KINDS[kind];
  const rows: Iterable<RowName> | undefined = live[section];
  if (rows === undefined) return written;
  const isApplied = (state: object): boolean => signature({ kind, state }, memory.references) === applied;
  const isAdopted = presentEntries(desired[section]).some(isApplied);
  const meant = meantIds(desired[section], memory);
  const isThere = Iterator.from(rows).some((row) => !meant.has(idKey(row.id ?? '')) && isApplied(row));
  return isThere && !isAdopted ? written : null;
}

/** The properties of an entry that identify its live item. */
interface Meaning {
  readonly name?: string;
  readonly id?: string;
  readonly derivedIds?: readonly string[];
}

/**
 * Returns the ids of live items that the manifest names or ignores, as far as the manifest or the state directory
 * shows them.
 */
function meantIds(section: PresentDomain[Section], { prior }: ItemMemory): ReadonlySet<string> {
  const entries: Iterable<Meaning> = section?.entries.values() ?? [];
  const ids = Array.from(entries).flatMap(({ name = '', id = '', derivedIds = [] }) => [
    id,
    prior?.ruleIds.get(name) ?? '',
    ...derivedIds,
  ]);
  return new Set([...ids, ...(section?.ignore ?? [])].map(idKey));
}
