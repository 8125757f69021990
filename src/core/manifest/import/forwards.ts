import type { Place } from '../read/text.ts';

/** Why an address, or one of its destinations, is not in the manifest. docs/import.md explains each. */
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

/** One result of a look-up. Addresses have their domain in lower-case ASCII where it is a domain. */
export type Target =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'webhook'; readonly url: string }
  /** An address that has the local part at another domain. */
  | { readonly kind: 'same-name'; readonly domain: string }
  /** An address with `$1` to `$9` for what the groups of a pattern hold. */
  | { readonly kind: 'template'; readonly text: string }
  | { readonly kind: 'discard' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'lost'; readonly reason: LeftOutReason };

/** A source's entry for one key. */
export interface ForwardEntry {
  readonly span: Span;
  readonly targets: readonly Target[];
}

/** A regular expression for local parts in any case, in the syntax of both sides. */
export interface LocalPattern {
  /** RE2 syntax, for the whole local part, without anchors. */
  readonly text: string;
  readonly groups: number;
  /** The local parts that it matches, in lower case, where these are few; else null. */
  readonly words: readonly string[] | null;
  /** True if it matches every local part. */
  readonly isTotal: boolean;
  /** The group that holds the whole local part; null if there is none. */
  readonly wholeGroup: number | null;
  /** Groups that may hold nothing. */
  readonly emptyGroups: ReadonlySet<number>;
}

export interface PatternEntry extends ForwardEntry {
  readonly domain: string;
  readonly pattern: LocalPattern;
  /** The pattern as the source writes it, for people. */
  readonly shown: string;
  /** Tells whether the pattern matches addresses of another domain too. */
  readonly matchesDomain: (domain: string) => boolean;
  /** True if the source takes labels away before it asks the pattern. */
  readonly ignoresLabels: boolean;
}

/** A pattern that is not understood. Mail that it may match is left out. */
export interface OpaquePattern {
  readonly span: Span;
  readonly shown: string;
  /** False if it is sure that the pattern does not match an address. */
  readonly mayMatch: (address: string) => boolean;
}

/**
 * One source of look-ups. Keys of names are `local@domain`, `@domain` for every other address, and `local` for the domains of
 * local names; in lower case.
 */
export type Lookup =
  | { readonly kind: 'names'; readonly entries: ReadonlyMap<string, ForwardEntry> }
  /** The first pattern that matches wins. */
  | { readonly kind: 'patterns'; readonly entries: readonly (PatternEntry | OpaquePattern)[] }
  /** All names and patterns that match add up; one that refuses or discards wins. Labels are ignored. */
  | {
      readonly kind: 'records';
      readonly names: ReadonlyMap<string, readonly ForwardEntry[]>;
      readonly patterns: readonly PatternEntry[];
    };

/** A line that is left out, regardless of all other lines. */
export interface LeftOutLine {
  readonly span: Span;
  /** The address, or the pattern, that it is about; null where none can be named. */
  readonly address: string | null;
  readonly reason: LeftOutReason;
  /** The domain that a pattern names; absent where the address says it. */
  readonly domain?: string;
}

/** The content of one file. */
export interface ParsedSource {
  readonly lookups: readonly Lookup[];
  readonly leftOut: readonly LeftOutLine[];
  /** Domains that are only declared. */
  readonly domains: readonly string[];
}

export function isUnderstood(entry: PatternEntry | OpaquePattern): entry is PatternEntry {
  return !('mayMatch' in entry);
}
