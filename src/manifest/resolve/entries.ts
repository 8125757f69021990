import type { PresentDomain } from '../../model/desired.ts';
import type { Section } from '../../model/kinds.ts';
import { quote, type DomainName, type NameFault, type NameKey } from '../../model/names.ts';
import type { Source } from '../../model/problem.ts';
import type { Result } from '../../model/result.ts';
import type { ProblemLog } from '../problems.ts';
import { entriesOf, textOf, valueOf, type Entry, type MapNode, type Node } from '../read/node.ts';
import type { Loading } from './context.ts';
import { createNameReader } from './values/names.ts';

/** How one section of a domain or template is read; `Written`: its entries before they are of any domain. */
export interface SectionReader<S extends Section, Written> {
  readonly read: (section: Node, loading: Loading) => ReadEntries<Written>;
  /** What a domain's entries are with those that its templates bring; `own`: null where it has no such section. */
  readonly merge: (
    own: Written | null,
    brought: readonly Brought<Written>[],
    domain: DomainName,
    log: ProblemLog,
  ) => NonNullable<PresentDomain[S]>['entries'];
}

/** Entries of one section as written, and whether all of them could be read. */
export interface ReadEntries<Written> {
  readonly entries: Written;
  readonly failed: boolean;
}

/** What one used template brings to a section, and where the domain says that it uses it. */
export interface Brought<Written> {
  readonly entries: Written;
  readonly via: Source;
}

interface Mergeable {
  readonly name: string | null;
  readonly id?: string | null;
  readonly source: Source;
}

/** Reads entries by name. Those with an error are left out: it is reported. */
export function readNamed<Name extends string, T>(
  section: Node,
  loading: Loading,
  parse: (text: string) => Result<Name, NameFault>,
  read: (entry: Entry, name: Name, loading: Loading) => T | null,
): ReadEntries<ReadonlyMap<NameKey, T>> {
  const names = createNameReader(parse, loading.log);
  const entries = new Map<NameKey, T>();
  let failed = false;
  for (const entry of entriesOf(section)) {
    const named = names.read(entry.key);
    const value = named === null ? null : read(entry, named.name, loading);
    if (named === null || value === null) failed = true;
    else entries.set(named.key, value);
  }
  return { entries, failed };
}

/** Whether a value is `{ state: absent }`, alone. */
export function isAbsent(value: Node): value is MapNode {
  return value.kind === 'map' && value.entries.size === 1 && textOf(valueOf(value, 'state')) === 'absent';
}

/** Entries by name: those of the templates, replaced by the domain's own. */
export function mergeNamed<T extends Mergeable>(
  own: ReadonlyMap<NameKey, T> | null,
  brought: readonly Brought<ReadonlyMap<NameKey, T>>[],
  same: (a: T, b: T) => boolean,
  log: ProblemLog,
): ReadonlyMap<NameKey, T> {
  const merged = new Map<NameKey, T>();
  const others = mergeBrought(own ?? merged, brought, same, log);
  for (const [key, { entry, via }] of others) merged.set(key, { ...entry, via });
  for (const [key, entry] of own ?? []) merged.set(key, entry);
  return merged;
}

/** What templates bring to a domain that does not define it itself: of two equal entries, the first. */
export function mergeBrought<Key, T extends Mergeable>(
  own: { readonly has: (key: Key) => boolean },
  brought: readonly Brought<Iterable<readonly [Key, T]>>[],
  same: (a: T, b: T) => boolean,
  log: ProblemLog,
): ReadonlyMap<Key, { readonly entry: T; readonly via: Source }> {
  const merged = new Map<Key, { entry: T; via: Source }>();
  for (const { entries, via } of brought) {
    for (const [key, entry] of entries) {
      if (own.has(key)) continue;
      const first = merged.get(key)?.entry;
      if (first === undefined) merged.set(key, { entry, via });
      else if (!same(entry, first)) reportConflict(first, entry, via, log);
    }
  }
  return merged;
}

function reportConflict(first: Mergeable, second: Mergeable, via: Source, log: ProblemLog): void {
  const places = [first, second].map(({ source: { file, line } }) => `${file}:${line}`).join(' and ');
  log.report('template-conflict', via, {
    message: `two used templates differ on ${quote(second.name ?? second.id ?? '')}: ${places}`,
    hint: 'define it in the domain itself',
    related: first.source,
  });
}
