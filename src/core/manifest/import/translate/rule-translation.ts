import { isPatternName, mayBePattern } from '../../../model/names.ts';
import type { RuleMatch } from '../../../model/resources.ts';
import { compilePattern } from '../../../routing/regex.ts';
import type { SourceReading } from '../resolve/reading.ts';
import { endsOfAddress } from '../resolve/ends.ts';
import { ANY_LABEL, type Forwards } from '../resolve/find.ts';
import type { ImportedRule } from '../translated.ts';
import { createOverlaps, hasSameEnds, quotePattern, type Overlaps } from './conflicts.ts';
import { missingParts, placeOfPattern, type Missing, type TranslatedDomain } from './missing.ts';
import { labelEnds, missingRequests } from './labels.ts';
import { missingEnds, planNames, type PlannedName } from './planned-names.ts';
import { planPatterns } from './plan-patterns.ts';
import { planRest, planPattern, type PlannedPattern } from './planned.ts';

/** Translates the routing of a domain's mail into rules, in the order in which the sources are tried. */
export function translateToRules(
  domain: string,
  reading: SourceReading,
  forwards: Forwards,
): TranslatedDomain {
  const missing: Missing[] = [];
  const writing = { domain, forwards, book: createRuleBook(), missing };
  const names = planNames(
    { names: reading.names.keys(), domain, forwards, canBeName: canBeMatched },
    missing,
  );
  const exact = addNames(names, reading, writing);
  const plans = planPatterns(reading, forwards, missing);
  for (const [index, level] of reading.levels.entries()) {
    for (const plan of plans) if (plan.level === index) addPattern(plan, writing);
    // A pattern for every local part also takes labels.
    const labelled = level.total === null ? exact : [];
    for (const name of labelled) if (reading.names.get(name.name) === index) addLabels(name, writing);
  }
  missing.push(...missingRequests(names[0]?.span, domain, forwards));
  const rest = planRest(reading, forwards);
  if (rest !== null)
    addPlan(withoutCaptures(rest), { type: 'alias', alias: '*' }, 'everything else', writing);
  return { domain, aliases: [], rules: writing.book.rules, missing };
}

/** Adds a rule for each name. Returns the names whose rule takes no labels. */
function addNames(
  names: readonly PlannedName[],
  reading: SourceReading,
  { domain, forwards, book }: Writing,
): ReadonlySet<PlannedName> {
  const isLabelled = takesLabelsFirst(reading, forwards, createOverlaps('+'));
  const exact = new Set(names.filter((name) => isLabelled || needsExactRule(name, domain, forwards)));
  for (const name of exact) book.add(name, name.name, exactMatch(name.name, domain));
  for (const name of names) {
    if (!exact.has(name)) book.add(name, name.name, { type: 'alias', alias: name.name });
  }
  return exact;
}

interface RuleBook {
  readonly rules: readonly ImportedRule[];
  readonly add: (place: Pick<PlannedName, 'span' | 'forward'>, name: string, match: RuleMatch) => void;
}

/** Creates a book that gives each rule a name that is unique in its domain. */
function createRuleBook(): RuleBook {
  const rules: ImportedRule[] = [];
  const taken = new Set<string>();
  return {
    rules,
    add({ span, forward }, base, match) {
      let name = base;
      for (let count = 2; taken.has(name.toLowerCase()); count += 1) name = `${base} ${count}`;
      taken.add(name.toLowerCase());
      rules.push({ span, name, match, forward });
    },
  };
}

function canBeMatched(name: string): boolean {
  return /^[\x21-\x7e]+$/.test(name) || /^[^\s\p{C}]+$/u.test(name);
}

/** True if a pattern may be tried before a label is removed, and so before the name alone. */
function takesLabelsFirst({ levels }: SourceReading, forwards: Forwards, overlaps: Overlaps): boolean {
  return levels.some(({ patterns, total }) =>
    [...patterns, ...(total === null ? [] : [total])].some(
      (entry) => !entry.ignoresLabels && overlaps.mayTakeLabels(planPattern(entry, forwards), null),
    ),
  );
}

/** True if a name needs a rule for exactly itself. A rule for an alias also takes the name with any label. */
function needsExactRule({ name, forward }: PlannedName, domain: string, forwards: Forwards): boolean {
  if (forwards.delimiter !== '+' || name.includes('+') || isPatternName(name) || mayBePattern(name))
    return true;
  return !hasSameEnds(forward, labelEnds(name, domain, forwards));
}

function exactMatch(name: string, domain: string): RuleMatch {
  return recipientMatch(`(?i)^${quotePattern(name)}@${quotePattern(domain)}$`);
}

function recipientMatch(regex: string): RuleMatch {
  return { type: 'regex', regex, scopes: ['recipient'] };
}

interface Writing {
  readonly domain: string;
  readonly forwards: Forwards;
  readonly book: RuleBook;
  readonly missing: Missing[];
}

function addPattern(found: PlannedPattern, writing: Writing): void {
  const plan = withoutCaptures(found);
  const regex = `(?i)^(?:${plan.pattern.text})@${quotePattern(writing.domain)}$`;
  addPlan(plan, recipientMatch(regex), 'pattern', writing);
}

/** Removes destinations with captures, because rules have none. */
function withoutCaptures(plan: PlannedPattern): PlannedPattern {
  if (!plan.hasCaptures) return plan;
  const forward = plan.forward.filter((destination) => !destination.includes('$'));
  return { ...plan, forward, lost: [...plan.lost, 'capture'] };
}

function addPlan(plan: PlannedPattern, match: RuleMatch, name: string, { book, missing }: Writing): void {
  const isValid = match.type !== 'regex' || compilePattern(match.regex, { letterCase: 'exact' }).ok;
  if (!isValid) missing.push({ ...placeOfPattern(plan), reason: 'pattern', mail: { kind: 'pattern', plan } });
  else missing.push(...missingParts(plan, 'kept'));
  if (isValid && plan.forward.length > 0) book.add(plan, name, match);
}

/** Adds a rule for the labels of a name that has an exact rule. It comes after the patterns. */
function addLabels({ span, name }: PlannedName, { domain, forwards, book, missing }: Writing): void {
  const { delimiter } = forwards;
  if (delimiter === null || name.includes(delimiter)) return;
  const ends = endsOfAddress(`${name}${delimiter}${ANY_LABEL}@${domain}`, forwards);
  if (ends === null) return;
  missing.push(...missingEnds(ends, { span, address: `${name}${delimiter}*@${domain}` }));
  if (ends.forward.length === 0) return;
  const regex = `(?i)^${quotePattern(name + delimiter)}.*@${quotePattern(domain)}$`;
  book.add({ span, forward: ends.forward }, `${name} with a label`, recipientMatch(regex));
}
