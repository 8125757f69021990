import type { Section } from '../../model/kinds.ts';
import { nameKey, quote, type DomainName, type NameFault, type NameKey } from '../../model/names.ts';
import type { ShowForward } from '../../model/manifest/manifest-document.ts';
import type { Change } from '../../model/plan.ts';
import type { Source } from '../../model/manifest/problem.ts';
import type { SectionTypes } from '../../model/kinds.ts';
import type { DomainEditing } from '../update/entries.ts';
import type { Result } from '../../model/result.ts';
import type { ProblemLog } from '../problems.ts';
import { entriesOf, textOf, valueOf, type Entry, type MapNode, type Node } from '../read/node.ts';
import type { Loading } from '../resolve/context.ts';
import { createNameReader } from '../resolve/values/names.ts';

/** One section of the manifest language, to and fro; `Written`: its entries before they are of any domain. */
export interface SectionLanguage<S extends Section, Written> {
  readonly read: (section: Node, loading: Loading) => ReadEntries<Written>;
  /** What a domain's entries are with those that its templates bring; `own`: null where it has no such section. */
  readonly merge: (
    own: Written | null,
    brought: readonly Brought<Written>[],
    domain: DomainName,
    log: ProblemLog,
  ) => SectionTypes[S]['desired'];
  /** What counts of its entries in the digest of the manifest. */
  readonly digest: (entries: SectionTypes[S]['desired']) => unknown;
  /** What the account has of it as a manifest writes it; what no manifest can say goes to the comments. */
  readonly export: (
    live: readonly SectionTypes[S]['observed'][],
    comments: string[],
    showForward: ShowForward,
  ) => SectionTypes[S]['document'];
  /** Edits it where the plan would change the account. */
  readonly update: (editing: DomainEditing, changes: readonly Change[]) => void;
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
  if (own !== null && brought.length === 0) return own;
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

/** Entries by name for the digest: their order says nothing. Texts alone are sorted much faster than entries. */
export function digestNamed<T>(entries: ReadonlyMap<NameKey, T>, show: (entry: T) => unknown): unknown {
  return [...entries.keys()].sort().map((key) => show(entries.get(key) as T));
}

/** Live items by name. A manifest cannot distinguish several of one name: none of them is managed. */
export function exportNamed<T extends { readonly name: string }, Document>(
  kind: string,
  live: readonly T[],
  comments: string[],
  write: (row: T) => Document,
): ReadonlyMap<string, Document> {
  const counts = new Map<string, number>();
  for (const { name } of live) counts.set(nameKey(name), (counts.get(nameKey(name)) ?? 0) + 1);
  const distinct = live.filter(({ name }) => {
    if (counts.get(nameKey(name)) === 1) return true;
    comments.push(`${kind} ${quote(name)} is not managed: another one differs only in case or Unicode form`);
    return false;
  });
  return new Map(distinct.sort((a, b) => (a.name < b.name ? -1 : 1)).map((row) => [row.name, write(row)]));
}
