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
 * One section of the manifest language, to and fro. Its entries, rows and documents are those of its kind: each language takes and
 * makes its own, and no other.
 */
export interface SectionLanguage {
  /** Reads entries before they are of any domain. */
  read(section: Node, loading: Loading): ReadEntries<unknown>;
  /** What a domain's entries are with those that its templates bring; `own`: null where it has no such section. */
  merge(own: unknown, brought: readonly Brought<unknown>[], domain: DomainName, log: ProblemLog): unknown;
  /** What counts of its entries in the digest of the manifest. */
  digest(entries: unknown): unknown;
  /** What the account has of it as a manifest writes it; what no manifest can say goes to the comments. */
  export(live: readonly unknown[], comments: string[], showForward: ShowForward): unknown;
  /** What changes find of it, as a manifest writes that; null where there is nothing to write. */
  before(
    changes: readonly Change[],
    live: ObservedDomain,
    comments: string[],
    showForward: ShowForward,
  ): unknown;
  /** Edits it where the plan would change the account. */
  update(editing: DomainEditing, changes: readonly Change[]): void;
  /** Says that an item is to be as the history has it, or why that cannot be said; `fields`: null means that it was not there. */
  entryOf(item: ItemName, fields: Fields | null, source: Source): Result<SectionEntry, string>;
}

/** What the account or the history names an item by. */
export interface ItemName {
  readonly name: string;
  readonly id: string | null;
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
