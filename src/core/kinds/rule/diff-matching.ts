import { idKey } from '../../model/item-key.ts';
import { presentEntries, type RuleSection } from '../../model/desired.ts';
import { sameDestinations } from '../../model/destinations.ts';
import { quote } from '../../model/names.ts';
import { fail, succeed, type Result } from '../../model/result.ts';
import type { AbsentRule, DesiredRule, PresentRule, ObservedRule } from './fields.ts';
import { compareRanks, compareText } from '../../plan/sorting.ts';
import { ambiguous, type SectionContext, type Withholding } from '../../plan/diff/section.ts';
import { matchParts } from '../../fields/condition.ts';

/** The live rule of each entry. No live rule is in two of these. */
export interface RuleMatching {
  readonly matched: ReadonlyMap<PresentRule, ObservedRule>;
  /** Matched rules that were recognised only by their content. */
  readonly adopted: ReadonlyMap<PresentRule, ObservedRule>;
  /** Live rules that a tombstone removes. */
  readonly unwanted: ReadonlyMap<ObservedRule, AbsentRule>;
  /** Live rules with an entry's name and another type. They are deleted after the entry's own rule exists. */
  readonly replaced: ReadonlyMap<ObservedRule, PresentRule>;
  /** Entries that replace a live rule. */
  readonly replacing: ReadonlySet<PresentRule>;
}

/** The domain of the rules, and its remembered state. */
type Known = Pick<SectionContext, 'domain' | 'prior'>;

interface Matcher {
  readonly context: Known;
  /** Ids of rules that are never touched. */
  readonly ignored: ReadonlySet<string>;
  readonly live: ReadonlyMap<string, ObservedRule>;
  readonly claimed: Set<ObservedRule>;
  readonly matched: Map<PresentRule, ObservedRule>;
}

/**
 * Matches entries with live rules: by the written id, by the id derived from the name, by the remembered id, then by
 * equal content among the rest, lowest rank first.
 */
export function matchRules(
  section: RuleSection,
  live: readonly ObservedRule[],
  context: Known,
): Result<RuleMatching, Withholding> {
  const present = presentEntries(section);
  const matcher: Matcher = {
    context,
    ignored: new Set(section.ignore.map(idKey)),
    live: new Map(live.map((rule) => [idKey(rule.id), rule])),
    claimed: new Set(),
    matched: new Map(),
  };
  const fault = matchById(present, matcher);
  if (fault !== null) return fail(fault);
  const unwanted = matchAbsent(section, matcher);
  const replaced = matchReplaced(present, matcher);
  const adopted = matchByContent(present, live, matcher);
  const replacing = new Set(replaced.values());
  return succeed({ matched: matcher.matched, adopted, unwanted, replaced, replacing });
}

function matchById(present: readonly PresentRule[], matcher: Matcher): Withholding | null {
  const writtenFirst = present.toSorted((a, b) => Number(b.idIsWritten) - Number(a.idIsWritten));
  for (const entry of writtenFirst) {
    const rule = unclaimed(entry.id, matcher);
    if (rule === null) continue;
    if (rule.match.type !== entry.match.type) return typeFixed(entry, rule, matcher.context);
    claim(entry, rule, matcher);
  }
  for (const entry of present) {
    if (entry.idIsWritten && matcher.matched.has(entry)) continue;
    const rule = rememberedFor(entry, matcher);
    if (rule === null || rule.match.type !== entry.match.type) continue;
    const twin = matcher.matched.get(entry);
    if (twin !== undefined) return ambiguous('rules', entry.name, [twin.id, rule.id]);
    claim(entry, rule, matcher);
  }
  return null;
}

function matchAbsent(section: RuleSection, matcher: Matcher): ReadonlyMap<ObservedRule, AbsentRule> {
  const unwanted = new Map<ObservedRule, AbsentRule>();
  for (const entry of section.entries) {
    if (entry.state !== 'absent') continue;
    for (const rule of rulesKnownAs(entry, matcher)) {
      matcher.claimed.add(rule);
      unwanted.set(rule, entry);
    }
  }
  return unwanted;
}

function matchReplaced(
  present: readonly PresentRule[],
  matcher: Matcher,
): ReadonlyMap<ObservedRule, PresentRule> {
  const replaced = new Map<ObservedRule, PresentRule>();
  for (const entry of present) {
    if (entry.idIsWritten) continue;
    for (const rule of rulesKnownAs(entry, matcher)) {
      if (rule.match.type === entry.match.type) continue;
      matcher.claimed.add(rule);
      replaced.set(rule, entry);
    }
  }
  return replaced;
}

function matchByContent(
  present: readonly PresentRule[],
  live: readonly ObservedRule[],
  matcher: Matcher,
): ReadonlyMap<PresentRule, ObservedRule> {
  const adopted = new Map<PresentRule, ObservedRule>();
  const candidates = live
    .filter((rule) => !matcher.claimed.has(rule) && !matcher.ignored.has(idKey(rule.id)))
    .sort((a, b) => compareRanks(a.rank, b.rank) || compareText(a.id, b.id));
  const byCondition = Map.groupBy(candidates, ({ match }) => JSON.stringify(matchParts(match)));
  for (const entry of present) {
    if (entry.idIsWritten || matcher.matched.has(entry)) continue;
    const rule = byCondition
      .get(JSON.stringify(matchParts(entry.match)))
      ?.find(
        (candidate) => !matcher.claimed.has(candidate) && sameDestinations(candidate.forward, entry.forward),
      );
    if (rule === undefined) continue;
    claim(entry, rule, matcher);
    adopted.set(entry, rule);
  }
  return adopted;
}

/** Returns the unclaimed live rules that a name, or a written id, may stand for. */
function rulesKnownAs(entry: DesiredRule, matcher: Matcher): readonly ObservedRule[] {
  const ids = [entry.id, ...entry.derivedIds].filter((id) => id !== undefined);
  const rules = ids.flatMap((id) => [unclaimed(id, matcher), remembered(idKey(id), matcher)]);
  if (entry.name !== undefined) rules.push(remembered(entry.name, matcher));
  return [...new Set(rules)].filter((rule) => rule !== null);
}

function rememberedFor({ id, idIsWritten, name }: PresentRule, matcher: Matcher): ObservedRule | null {
  return remembered(idKey(id), matcher) ?? (idIsWritten ? null : remembered(name, matcher));
}

function remembered(nameOrId: string, matcher: Matcher): ObservedRule | null {
  const id = matcher.context.prior?.ruleIds.get(nameOrId);
  return id === undefined ? null : unclaimed(id, matcher);
}

function unclaimed(id: string, { live, claimed, ignored }: Matcher): ObservedRule | null {
  const rule = live.get(idKey(id));
  if (rule === undefined || claimed.has(rule) || ignored.has(idKey(id))) return null;
  return rule;
}

function claim(entry: PresentRule, rule: ObservedRule, matcher: Matcher): void {
  matcher.matched.set(entry, rule);
  matcher.claimed.add(rule);
}

function typeFixed(entry: PresentRule, rule: ObservedRule, { domain }: Known): Withholding {
  const message = `rule ${quote(entry.name)} of ${domain}: ${rule.id} is a live rule of type ${rule.match.type}, and the type of a rule cannot change to ${entry.match.type}`;
  const hint = entry.idIsWritten
    ? 'remove the id: a new rule is added, and the old one is deleted if rules are pruned'
    : 'give the rule another name';
  const problem = {
    severity: 'error',
    code: 'rule-type-fixed',
    message,
    hint,
    source: entry.source,
  } as const;
  return { cause: 'manifest', reason: message, problems: [problem] };
}
