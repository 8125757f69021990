import { KINDS } from '../../kinds/registry.ts';
import type { Destination } from '../../model/destinations.ts';
import { type DomainName, domainPartOf } from '../../model/names.ts';
import { presentEntries, type DesiredDomain } from '../../model/desired.ts';
import type { Adoption, Decider, PlannedRoute, RouteEnds, RouteKind } from '../../model/plan.ts';
import { compareText } from '../sorting.ts';
import { knownMail, routedDomains } from './candidates.ts';
import {
  canFollow,
  isNowhere,
  isTaken,
  outcomesOf,
  sameOutcome,
  type RouteOutcomes,
  type RouteOutcome,
  type RouteSubject,
} from './outcomes.ts';
import { joinRenamed } from './renamed.ts';
import { decidingSection, readSides, type RoutesInput, type Sides } from './sides.ts';

/**
 * Returns the mail that ends elsewhere after the changes: of every known address, of mail that a condition describes,
 * and of every other address of a domain. Destinations in domains that are planned or were read are followed to their
 * ends. Routes are ordered by domain, then addresses, patterns, conditions and all others. If the account does not
 * show the engine, aliases are assumed.
 */
export function planRoutes(input: RoutesInput): readonly PlannedRoute[] {
  if (!input.changes.some(({ kind }) => KINDS[kind].routesMail)) return [];
  const { listed, otherwise } = readSides(input);
  const known = knownMail(input);
  const moved = new Set(known.destinations.filter((address) => isMoved(address, [listed, otherwise])));
  const report = reporter(input, { listed, otherwise });
  const own = Map.groupBy(input.changes, (change) => change.domain);
  return routedDomains(input)
    .toSorted(compareText)
    .flatMap((domain) => {
      const routes = known.subjectsOf(domain, moved).flatMap((subject) => report(subject) ?? []);
      const mayBeRenamed = listed.after(domain).engine === 'aliases';
      return mayBeRenamed ? joinRenamed(routes, domain, own.get(domain) ?? []) : routes;
    });
}

function isMoved(address: Destination, readings: readonly (Sides | null)[]): boolean {
  const domain = domainPartOf(address) as DomainName;
  const subject = { kind: 'address', domain, address, knownBy: 'destination' } as const;
  return readings.some((sides) => sides !== null && isDifferent(compare(subject, sides)));
}

interface Comparison {
  readonly before: RouteOutcome;
  readonly after: RouteOutcome;
  /** Names of the entries that may each take the mail; empty means that its way is certain. */
  readonly undecided: readonly string[];
}

/** Compares the usual outcomes. If they are equal, looks for possible outcomes that differ. */
function compare(subject: RouteSubject, sides: Sides): Comparison {
  const before = outcomesOf(subject, sides.before);
  const after = outcomesOf(subject, sides.after);
  const usual = [before[0], after[0]] as const;
  const other = sameOutcome(...usual) ? findDifferent(before, after) : null;
  const [one, then] = other ?? usual;
  const isOpen = [before, after].some(([first, ...others]) => others.some((way) => !sameOutcome(first, way)));
  return { before: one, after: then, undecided: isOpen ? undecidedIn([one, then]) : [] };
}

function findDifferent(
  before: RouteOutcomes,
  after: RouteOutcomes,
): readonly [RouteOutcome, RouteOutcome] | null {
  for (const one of before) {
    const then = after.find((way) => !sameOutcome(one, way) && canFollow(one, way));
    if (then !== undefined) return [one, then];
  }
  return null;
}

function undecidedIn(outcomes: readonly RouteOutcome[]): readonly string[] {
  return [...new Set(outcomes.flatMap(({ undecided }) => undecided))].sort(compareText);
}

function isDifferent({ before, after }: Comparison): boolean {
  return !sameOutcome(before, after);
}

type Readings = Pick<ReturnType<typeof readSides>, 'listed' | 'otherwise'>;

/** Returns a function that describes the change of a route; null if the mail goes on as before. */
function reporter(
  input: RoutesInput,
  { listed, otherwise }: Readings,
): (subject: RouteSubject) => PlannedRoute | null {
  const names = ruleNames(input);
  return (subject) => {
    const compared = compare(subject, listed);
    const byRules = otherwise === null ? compared : compare(subject, otherwise);
    const concerns =
      (isDifferent(compared) && isTaken(subject, listed)) ||
      (otherwise !== null && isDifferent(byRules) && isTaken(subject, otherwise));
    if (!concerns) return null;
    const describe = (comparison: Comparison): RouteEnds =>
      nameRules(endsOf(comparison, input), subject.domain, names);
    return {
      ...describe(compared),
      kind: kindOf(isDifferent(compared) ? compared : byRules),
      domain: subject.domain,
      ...subjectOf(subject, names),
      was: null,
      via: isNowhere(compared.after) ? compared.before.via : compared.after.via,
      otherwise: sameComparison(compared, byRules) ? null : describe(byRules),
    };
  };
}

function sameComparison(a: Comparison, b: Comparison): boolean {
  return sameOutcome(a.before, b.before) && sameOutcome(a.after, b.after);
}

function subjectOf(
  subject: RouteSubject,
  names: RuleNames,
): Pick<PlannedRoute, 'address' | 'knownBy' | 'rule'> {
  const { domain } = subject;
  switch (subject.kind) {
    case 'address':
      return { address: subject.address, knownBy: subject.knownBy, rule: null };
    case 'others':
      return { address: null, knownBy: 'name', rule: null };
    case 'pattern':
      return { address: `${subject.name}@${domain}`, knownBy: 'pattern', rule: null };
    case 'condition': {
      const name = names.get(`${domain} ${subject.rule}`) ?? subject.rule;
      return { address: null, knownBy: 'name', rule: { name, match: subject.match } };
    }
  }
}

function endsOf(compared: Comparison, input: RoutesInput): RouteEnds {
  const { before, after, undecided } = compared;
  const open = [...before.open, ...after.open].map((address) =>
    decidingSection(input, domainPartOf(address)),
  );
  return {
    kind: kindOf(compared),
    from: before.open.length > 0 ? null : before.to,
    to: after.open.length > 0 ? null : after.to,
    by: { before: before.by, after: after.by },
    unknown: [...new Set(open)].sort(compareText),
    ...(undecided.length === 0 ? {} : { undecided }),
  };
}

function kindOf({ before, after }: Comparison): RouteKind {
  if (before.open.length + after.open.length > 0) return 'reroute';
  if (isNowhere(before)) return isNowhere(after) ? 'reroute' : 'new';
  return isNowhere(after) ? 'lost' : 'reroute';
}

/** `domain id` -> the manifest's name of a live rule. */
type RuleNames = ReadonlyMap<string, string>;

function ruleNames({ desired, changes, adoptions }: RoutesInput): RuleNames {
  const renamed = changes.filter((change) => change.kind === 'rule');
  const named = [...adoptions, ...desired.domains.values().flatMap(rulesOf), ...renamed];
  return new Map(named.map(({ domain, id, name }) => [`${domain} ${id}`, name]));
}

function rulesOf(wanted: DesiredDomain): readonly Adoption[] {
  const { domain } = wanted;
  const rules = wanted.state === 'present' ? presentEntries(wanted.rules) : [];
  return rules.map(({ id, name }) => ({ domain, id, name }));
}

function nameRules(ends: RouteEnds, domain: DomainName, names: RuleNames): RouteEnds {
  const nameOf = (by: Decider | null): Decider | null => {
    if (by?.kind !== 'rule') return by;
    return { ...by, name: names.get(`${domain} ${by.name}`) ?? by.name };
  };
  return { ...ends, by: { before: nameOf(ends.by.before), after: nameOf(ends.by.after) } };
}
