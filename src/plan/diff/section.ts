import type { Origin } from '../../model/desired.ts';
import { quote, type DomainName } from '../../model/names.ts';
import { matchesGlob } from '../../routing/glob.ts';
import type { Adoption, Change, Warning } from '../../model/plan.ts';
import type { Problem } from '../../model/problem.ts';
import type { Section } from '../../model/kinds.ts';
import type { Result } from '../../model/result.ts';
import type { ItemMemory } from './signature.ts';

/** What the difference of one section of one domain is worked out from, besides both of its sides. */
export interface SectionContext extends ItemMemory {
  readonly domain: DomainName;
}

/** The difference of one section, and the numbers that guards and counts need. */
export interface SectionPlan {
  readonly section: Section;
  readonly changes: readonly Change[];
  readonly unchanged: number;
  /** Live items that the manifest does not manage, ignored ones included. */
  readonly unmanaged: number;
  /** Live items, ignored ones not: the `n` of the delete guards. */
  readonly live: number;
  /** Live items that the manifest manages: named, or in reach of pruning. */
  readonly managed: number;
  /** Changes of what the service made by itself: they count in no guard. */
  readonly serviceOwn: readonly Change[];
  readonly warnings: readonly Warning[];
  readonly problems: readonly Problem[];
  readonly adoptions: readonly Adoption[];
}

/** Why nothing can be planned in a domain. */
export interface Withholding {
  readonly cause: 'unproven' | 'manifest';
  readonly reason: string;
  readonly problems: readonly Problem[];
}

export type SectionResult = Result<SectionPlan, Withholding>;

/** A section that is being worked out. */
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

/** Two live items for one name: which of them is meant cannot be known. */
export function ambiguous(kind: string, name: string, ids: readonly [string, string]): Withholding {
  return {
    cause: 'unproven',
    reason: `two live ${kind} answer to ${quote(name)}: ids ${ids[0]} and ${ids[1]}; delete one of them`,
    problems: [],
  };
}

export function isIgnored(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, name));
}

/** Where an entry stands, as a change carries it. */
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
    message: `${kind} ${quote(entry.name)} of ${domain}: the service accepted this entry and keeps another value`,
    hint: 'it is sent again when the entry, or what the service shows, changes',
    source: entry.source,
  };
}
