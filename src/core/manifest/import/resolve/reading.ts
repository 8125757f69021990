import type { LeftOutReason, LocalPattern, PatternEntry, Span, Target } from '../forwards.ts';
import type { DomainKeys } from './domain-keys.ts';
import type { Forwards } from './find.ts';

/** The sources' entries for one domain, and for the domains that its mail is passed on to. */
export interface SourceReading {
  /** Named local parts, and their index in `levels`. */
  readonly names: ReadonlyMap<string, number>;
  /** The domain itself, then those that its mail is passed on to with the same local part. */
  readonly levels: readonly Level[];
  /** The entry for all other mail; null if there is none. */
  readonly rest: Rest | null;
}

export interface Level {
  readonly domain: string;
  /** Reachable patterns in their order. */
  readonly patterns: readonly PatternEntry[];
  /**
   * A pattern for every local part, which takes addresses with labels before the names without them are tried; null if
   * there is none.
   */
  readonly total: PatternEntry | null;
}

export interface Rest {
  readonly span: Span;
  readonly targets: readonly Target[];
  /** The key as written in the source. */
  readonly shown: string;
  /** A pattern for every local part. */
  readonly pattern: LocalPattern;
  readonly ignoresLabels: boolean;
  readonly lost: LeftOutReason | null;
}

/** Reads the way of a domain's mail through the sources. */
export function readDomainForwards(
  domain: string,
  keys: ReadonlyMap<string, DomainKeys>,
  forwards: Forwards,
): SourceReading {
  const names = new Map<string, number>();
  const levels: Level[] = [];
  for (let next = domain; ;) {
    const level = readLevel(next, keys.get(next));
    addMissing(names, keys.get(next)?.names ?? [], levels.length);
    levels.push(level);
    const rest = restOf(level, forwards);
    const passed = rest === null ? null : passedOn(rest, forwards);
    if (rest === null || passed === null) return { names, levels, rest };
    if (levels.some((each) => each.domain === passed)) {
      return { names, levels, rest: { ...rest, lost: passed === level.domain ? 'mailbox' : 'loop' } };
    }
    next = passed;
  }
}

function addMissing(names: Map<string, number>, found: Iterable<string>, level: number): void {
  for (const name of found) if (!names.has(name)) names.set(name, level);
}

function readLevel(domain: string, keys: DomainKeys | undefined): Level {
  const patterns = keys?.patterns ?? [];
  const end = patterns.findIndex(({ pattern }) => pattern.isTotal);
  return {
    domain,
    patterns: end < 0 ? patterns : patterns.slice(0, end),
    total: patterns[end] ?? null,
  };
}

function restOf({ domain, total }: Level, forwards: Forwards): Rest | null {
  if (total !== null) return { ...total, lost: null };
  for (const lookup of forwards.lookups) {
    const entry = lookup.kind === 'names' ? lookup.entries.get(`@${domain}`) : undefined;
    if (entry !== undefined)
      return { ...entry, shown: `*@${domain}`, pattern: EVERY_NAME, ignoresLabels: true, lost: null };
  }
  return null;
}

/**
 * Returns the source domain that all other mail is passed on to with the same local part; null if it goes elsewhere.
 */
function passedOn({ targets }: Rest, { domains }: Forwards): string | null {
  const [target] = targets;
  const isPassed = targets.length === 1 && target?.kind === 'same-name' && domains.has(target.domain);
  return isPassed ? target.domain : null;
}

const EVERY_NAME: LocalPattern = {
  text: '(.+)',
  groups: 1,
  words: null,
  isTotal: true,
  wholeGroup: 1,
  emptyGroups: new Set(),
};
