import { nameKey, quote, type DomainName, type NameKey } from '../../model/names.ts';
import { matchesGlob } from '../../routing/glob.ts';
import type { Adoption, Change, Warning, Withheld } from '../../model/plan.ts';
import type { Problem } from '../../model/manifest/problem.ts';
import type { Section } from '../../model/kinds.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { Origin } from '../../model/resources.ts';
import type { ItemMemory } from './item-memory.ts';

/** The inputs of one section's plan, apart from the desired and live entries. */
export interface SectionContext extends PlanMemory {
  readonly domain: DomainName;
}

/** The inputs that the plans of all domains share. */
export interface PlanMemory extends ItemMemory {
  /** User names whose password is sent again because of `--rotate`. */
  readonly rotate: ReadonlySet<NameKey>;
  /** User names whose password differs from the one last sent. */
  readonly changedPasswords: ReadonlySet<NameKey>;
  /** Decimal digits that the service keeps of a rank; null means all, as far as is known. */
  readonly rankDigits: number | null;
}

/** The plan of one section, and the numbers that guards and counts need. */
export interface SectionPlan {
  readonly section: Section;
  readonly changes: readonly Change[];
  readonly unchanged: number;
  /** Live items that the manifest does not manage, including ignored ones. */
  readonly unmanaged: number;
  /** Live items without ignored ones: the `n` of the delete guards. */
  readonly live: number;
  /** Live items that the manifest manages: named, or in reach of pruning. */
  readonly managed: number;
  /** Changes of items that the service itself created. No guard counts them. */
  readonly serviceOwn: readonly Change[];
  readonly warnings: readonly Warning[];
  readonly problems: readonly Problem[];
  readonly adoptions: readonly Adoption[];
}

/** The plan of one domain, and the numbers that the guards need. */
export interface DomainPlan {
  readonly domain: DomainName;
  readonly changes: readonly Change[];
  readonly sections: readonly SectionPlan[];
  readonly unchanged: number;
  readonly unmanaged: number;
  readonly withheld: readonly Withheld[];
  readonly warnings: readonly Warning[];
  readonly problems: readonly Problem[];
  readonly adoptions: readonly Adoption[];
}

/** The reason why nothing can be planned in a domain. */
export interface Withholding {
  readonly cause: 'unproven' | 'manifest';
  readonly reason: string;
  readonly problems: readonly Problem[];
}

export type SectionResult = Result<SectionPlan, Withholding>;

/** A section plan in progress. */
export interface SectionDraft {
  readonly section: Section;
  readonly changes: Change[];
  unchanged: number;
  unmanaged: number;
  live: number;
  managed: number;
  readonly serviceOwn: Change[];
  readonly warnings: Warning[];
  readonly problems: Problem[];
  readonly adoptions: Adoption[];
}

export function draftSection(section: Section): SectionDraft {
  return {
    section,
    changes: [],
    unchanged: 0,
    unmanaged: 0,
    live: 0,
    managed: 0,
    serviceOwn: [],
    warnings: [],
    problems: [],
    adoptions: [],
  };
}

/** The live items of a section by name, and the names of those that stay as they are. */
export interface LiveItems<Row> {
  readonly live: Map<NameKey, Row>;
  /** Names of unmanaged items: ignored, or neither named nor pruned. */
  readonly carried: ReadonlySet<NameKey>;
}

/** Counts live items in the draft and separates managed items from the others, which no plan may delete. */
export function readLive<Row extends { readonly name: string; readonly id?: string }>(
  { prune, ignore, entries }: Managed,
  observed: Iterable<Row>,
  draft: SectionDraft,
): Result<LiveItems<Row>, Withholding> {
  const live = new Map<NameKey, Row>();
  const carried = new Set<NameKey>();
  for (const row of observed) {
    const key = nameKey(row.name);
    const twin = live.get(key);
    if (twin !== undefined) {
      return fail(ambiguous(draft.section, row.name, [twin.id ?? twin.name, row.id ?? row.name]));
    }
    live.set(key, row);
    const ignored = ignore.some((pattern) => matchesGlob(pattern, row.name));
    if (!ignored) draft.live += 1;
    if (!ignored && (prune || entries.has(key))) draft.managed += 1;
    else carried.add(key);
  }
  draft.unmanaged = carried.size;
  return succeed({ live, carried });
}

/** A section whose entries have names. */
interface Managed {
  readonly prune: boolean;
  readonly ignore: readonly string[];
  readonly entries: ReadonlyMap<NameKey, unknown>;
}

/** Returns the withholding for two live items with one name, because it is unknown which one the manifest means. */
export function ambiguous(kind: string, name: string, ids: readonly [string, string]): Withholding {
  return {
    cause: 'unproven',
    reason: `two live ${kind} have the name ${quote(name)}: ids ${ids[0]} and ${ids[1]}; delete one of them`,
    problems: [],
  };
}

/** Returns the origin of an entry as a change carries it. */
export function origin({ source, via }: Origin): Origin {
  return via === undefined ? { source } : { source, via };
}

export function notKeptWarning(
  kind: string,
  entry: Origin & { readonly name: string },
  { domain }: Pick<SectionContext, 'domain'>,
): Warning {
  return {
    code: 'not-kept',
    subject: { entries: [entry.name] },
    message: `${kind} ${quote(entry.name)} of ${domain}: the service accepted this entry but keeps another value`,
    hint: 'it is sent again when the entry or the live value changes',
    source: entry.source,
  };
}
