import type { SectionEntry } from '../../model/kinds.ts';
import type { ShowForward } from '../../model/manifest/manifest-document.ts';
import { quote, type DomainName } from '../../model/names.ts';
import type { Change } from '../../model/plan.ts';
import type { Source } from '../../model/manifest/problem.ts';
import type { Result } from '../../model/result.ts';
import type { Fields } from '../../fields/fields.ts';
import type { DomainEditing } from '../update/entries.ts';
import type { ProblemLog } from '../problems.ts';
import type { Node } from '../read/node.ts';
import type { Loading } from '../resolve/context.ts';
import type { ObservedDomain } from '../../model/observed.ts';

/**
 * The language of one section of a manifest, for reading and writing. Its entries, rows and documents are those of its
 * kind; each language takes and makes only its own.
 */
export interface SectionLanguage {
  /** Reads entries, which do not belong to a domain yet. */
  read(section: Node, loading: Loading): ReadEntries<unknown>;
  /** Merges a domain's entries with those of its templates; `own` is null if it has no such section. */
  merge(own: unknown, brought: readonly Brought<unknown>[], domain: DomainName, log: ProblemLog): unknown;
  /** Returns the entries' part of the manifest's digest. */
  digest(entries: unknown): unknown;
  /** Converts live items into the form of a manifest. Items that a manifest cannot express go to the comments. */
  export(live: readonly unknown[], comments: string[], showForward: ShowForward): unknown;
  /** Converts the state before changes into the form of a manifest; null if there is nothing to write. */
  before(
    changes: readonly Change[],
    live: ObservedDomain,
    comments: string[],
    showForward: ShowForward,
  ): unknown;
  /** Edits the section where the plan would change the account. */
  update(editing: DomainEditing, changes: readonly Change[]): void;
  /**
   * Returns the entry for an item as the history has it, or the reason why it cannot be written. `fields: null` means
   * that it did not exist.
   */
  entryOf(item: ItemName, fields: Fields | null, source: Source): Result<SectionEntry, string>;
}

/** The name and id of an item in the account or the history. */
export interface ItemName {
  readonly name: string;
  readonly id: string | null;
}

/** Entries of one section as written; `failed` is true if some could not be read. */
export interface ReadEntries<Written> {
  readonly entries: Written;
  readonly failed: boolean;
}

/** The entries that one used template adds to a section, and the place of the `use` in the domain. */
export interface Brought<Written> {
  readonly entries: Written;
  readonly via: Source;
}

interface Mergeable {
  readonly name: string | null;
  readonly id?: string | null;
  readonly source: Source;
}

/** Merges the entries of templates that the domain does not define itself; of two equal entries keeps the first. */
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
