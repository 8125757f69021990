import type { Place } from '../read/text.ts';

/** The reason why an address, or one of its destinations, is not in the manifest. docs/import.md explains each. */
export const LEFT_OUT_REASONS = [
  'capture',
  'destination',
  'disabled',
  'duplicate',
  'file',
  'include',
  'label',
  'limit',
  'loop',
  'mailbox',
  'member',
  'name',
  'order',
  'owner',
  'pattern',
  'program',
  'refused',
  'syntax',
  'worker',
] as const;

export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** A line, row or rule of a source, from `offset` to `end`. */
export interface Span extends Place {
  readonly end: number;
}

/** One result of a lookup. Valid domains are in lower-case ASCII. */
export type Target =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'webhook'; readonly url: string }
  /** An address with the same local part in another domain. */
  | { readonly kind: 'same-name'; readonly domain: string }
  /** An address with `$1` to `$9` for the groups of a pattern. */
  | { readonly kind: 'template'; readonly text: string }
  | { readonly kind: 'discard' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'lost'; readonly reason: LeftOutReason };

/** A source's entry for one key. */
export interface ForwardEntry {
  readonly span: Span;
  readonly targets: readonly Target[];
}

/** A regular expression for local parts, ignoring case, in a syntax that both systems share. */
export interface LocalPattern {
  /** RE2 syntax, for the whole local part, without anchors. */
  readonly text: string;
  readonly groups: number;
  /** The local parts that it matches, in lower case; null if there are many. */
  readonly words: readonly string[] | null;
  /** True if it matches every local part. */
  readonly isTotal: boolean;
  /** The group that holds the whole local part; null if there is none. */
  readonly wholeGroup: number | null;
  /** Groups that may be empty. */
  readonly emptyGroups: ReadonlySet<number>;
}

export interface PatternEntry extends ForwardEntry {
  readonly domain: string;
  readonly pattern: LocalPattern;
  /** The pattern as the source writes it, for people. */
  readonly shown: string;
  /** True if the pattern also matches addresses of this other domain. */
  readonly matchesDomain: (domain: string) => boolean;
  /** True if the source removes labels before it tries the pattern. */
  readonly ignoresLabels: boolean;
}

/** A pattern that is not understood. Mail that it may match is left out. */
export interface OpaquePattern {
  readonly span: Span;
  readonly shown: string;
  /** False if the pattern certainly does not match an address. */
  readonly mayMatch: (address: string) => boolean;
}

/**
 * One source of lookups. Keys of names are in lower case: `local@domain`, `@domain` for every other address, and
 * `local` for the domains of local names.
 */
export type Lookup =
  | { readonly kind: 'names'; readonly entries: ReadonlyMap<string, ForwardEntry> }
  /** The first pattern that matches wins. */
  | { readonly kind: 'patterns'; readonly entries: readonly (PatternEntry | OpaquePattern)[] }
  /** All matching names and patterns add up; one that refuses or discards wins. Labels are ignored. */
  | {
      readonly kind: 'records';
      readonly names: ReadonlyMap<string, readonly ForwardEntry[]>;
      readonly patterns: readonly PatternEntry[];
    };

/** A line that is left out, regardless of all other lines. */
export interface LeftOutLine {
  readonly span: Span;
  /** The address or pattern of the line; null if it has none. */
  readonly address: string | null;
  readonly reason: LeftOutReason;
  /** The domain that a pattern names; absent if the address shows it. */
  readonly domain?: string;
}

/** The content of one file. */
export interface ParsedSource {
  readonly lookups: readonly Lookup[];
  readonly leftOut: readonly LeftOutLine[];
  /** Domains that are declared without addresses. */
  readonly domains: readonly string[];
}

export function isUnderstood(entry: PatternEntry | OpaquePattern): entry is PatternEntry {
  return !('mayMatch' in entry);
}
