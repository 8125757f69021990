import { isPatternName, mayBePattern, parseAliasName } from '../../../model/names.ts';
import { compilePattern } from '../../../routing/regex.ts';
import type { SourceReading } from '../resolve/reading.ts';
import { endsOfAddress } from '../resolve/ends.ts';
import { ANY_LABEL, findEntry, type Forwards } from '../resolve/find.ts';
import type { ImportedAlias } from '../translated.ts';
import { createOverlaps, hasSameEnds, quotePattern, type Overlaps } from './conflicts.ts';
import { missingParts, placeOfPattern, type Missing, type TranslatedDomain } from './missing.ts';
import { missingLabels, missingRequests } from './labels.ts';
import { planPatterns } from './plan-patterns.ts';
import { planNames } from './planned-names.ts';
import { planPattern, planRest, type PlannedPattern } from './planned.ts';

/** Translates the routing of a domain's mail into aliases: names first, then patterns in any order, then `*`. */
export function translateToAliases(
  domain: string,
  reading: SourceReading,
  forwards: Forwards,
): TranslatedDomain {
  const missing: Missing[] = [];
  const overlaps = createOverlaps(forwards.delimiter ?? '+');
  const rest = planRest(reading, forwards);
  const patterns = [
    ...planPatterns(reading, forwards, missing),
    ...(rest?.hasCaptures === true ? [rest] : []),
  ];
  const conflicts = findConflicts(patterns, overlaps);
  const words = [...conflicts.asNames].flatMap(({ pattern }) => pattern.words ?? []);
  const names = planNames(
    { names: new Set([...reading.names.keys(), ...words]), domain, forwards, canBeName },
    missing,
  );
  const labels = labelPatterns(reading, domain, forwards);
  const clashing = labels.filter((plan) => patterns.some((other) => clash(plan, other, overlaps)));
  const unordered = new Set([...conflicts.unordered, ...clashing]);
  const open = [...patterns, ...labels].filter((plan) => !conflicts.asNames.has(plan));
  for (const plan of open) missing.push(...missingParts(plan, unordered.has(plan) ? 'lost' : 'kept'));
  const kept = open.filter((plan) => !unordered.has(plan) && plan.forward.length > 0);
  missing.push(...missingLabels({ domain, reading, forwards, overlaps, names, kept }));
  missing.push(...missingRequests(labels[0]?.span, domain, forwards));
  const catchAll = rest === null || rest.hasCaptures ? [] : writeCatchAll(rest, missing);
  const aliases = [...names, ...writePatterns(kept, missing), ...catchAll];
  return { domain, aliases, rules: [], missing };
}

function writePatterns(kept: readonly PlannedPattern[], missing: Missing[]): readonly ImportedAlias[] {
  return kept.flatMap((plan) => {
    const name = patternName(plan);
    if (name !== null) return [{ span: plan.span, name, forward: plan.forward }];
    missing.push({ ...placeOfPattern(plan), reason: 'pattern', mail: { kind: 'pattern', plan } });
    return [];
  });
}

function writeCatchAll(rest: PlannedPattern, missing: Missing[]): readonly ImportedAlias[] {
  missing.push(...missingParts(rest, 'kept'));
  return rest.forward.length === 0 ? [] : [{ span: rest.span, name: '*', forward: rest.forward }];
}

interface Conflicts {
  /** Patterns whose order would matter. */
  readonly unordered: ReadonlySet<PlannedPattern>;
  /** Patterns of few words that are written as names, which come before all patterns. */
  readonly asNames: ReadonlySet<PlannedPattern>;
}

function findConflicts(patterns: readonly PlannedPattern[], overlaps: Overlaps): Conflicts {
  const unordered = new Set<PlannedPattern>();
  const asNames = new Set<PlannedPattern>();
  for (const [index, second] of patterns.entries()) {
    for (const first of patterns.slice(0, index)) {
      if (!clash(first, second, overlaps)) continue;
      if (first.pattern.words !== null) asNames.add(first);
      else if (second.pattern.words !== null) asNames.add(second);
      else unordered.add(first).add(second);
    }
  }
  return { unordered, asNames };
}

/** True if two patterns may match the same mail and send it to different destinations. */
function clash(a: PlannedPattern, b: PlannedPattern, { mayShare }: Overlaps): boolean {
  if (a.forward.length === 0 || b.forward.length === 0) return false;
  const isSame = !a.hasCaptures && !b.hasCaptures && hasSameEnds(a.forward, b.forward);
  return !isSame && mayShare(a, b);
}

/**
 * Returns patterns for labels. The service only knows labels after a `+`; for another sign each name gets a pattern.
 */
function labelPatterns(
  { names }: SourceReading,
  domain: string,
  forwards: Forwards,
): readonly PlannedPattern[] {
  const { delimiter } = forwards;
  if (delimiter === null || delimiter === '+') return [];
  return [...names.keys()].flatMap((name) => {
    const labelled = `${name}${delimiter}${ANY_LABEL}@${domain}`;
    const span = findEntry(labelled, forwards)?.entry.span;
    const ends = endsOfAddress(labelled, forwards);
    if (span === undefined || ends === null || name.includes(delimiter) || ends.forward.length === 0)
      return [];
    const text = `(?:${quotePattern(name + delimiter)}.*)`;
    const pattern = {
      text,
      groups: 0,
      words: null,
      isTotal: false,
      wholeGroup: null,
      emptyGroups: new Set<number>(),
    };
    const targets = ends.forward.map((address) =>
      address === 'discard' ? ({ kind: 'discard' } as const) : ({ kind: 'webhook', url: address } as const),
    );
    return [planPattern({ span, shown: `${name}${delimiter}*@${domain}`, pattern, targets }, forwards)];
  });
}

/** Returns the name of the alias for a pattern; null if the service does not allow it. */
function patternName({ text }: PlannedPattern): string | null {
  const name = isPatternName(text) ? text : `(${text})`;
  return parseAliasName(name).ok && compilePattern(name, { letterCase: 'any' }).ok ? name : null;
}

/** True if the service reads a name literally. */
function canBeName(name: string): boolean {
  return parseAliasName(name).ok && name !== '*' && !isPatternName(name) && !mayBePattern(name);
}
