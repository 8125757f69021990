import { DISCARD, normaliseDestination, type Destination } from '../../model/destinations.ts';
import { domainPartOf, localPartOf } from '../../model/names.ts';
import {
  becomes,
  becomesOneOf,
  createDomainSteps,
  isTemplate,
  patternOfAlias,
  patternOfRule,
  type DomainSteps,
  type LeadingDomain,
  type MailStep,
} from './domain-steps.ts';
import type { RoutedAlias, RoutedRule } from '../route.ts';

/** `perhaps`: that depends on the mail, or on what is not known of the service. */
export type Certainty = 'always' | 'perhaps' | 'never';

/**
 * Says whether a destination as it is written is wanted. `pattern`: the regular expression that `$1` in it is a group of; null
 * means that there is none.
 */
export type WantedTest = (destination: string, pattern: string | null) => Certainty;

export interface Lead {
  readonly leads: Certainty;
  /** True if the mail may end elsewhere, too. */
  readonly endsElsewhere: boolean;
}

/** An address of the account that mail passes on its way, and the entries that lead on from there. */
export interface Passed<E> {
  readonly address: string;
  readonly entries: readonly E[];
}

export interface Leads<E> {
  /** Returns whether destinations lead to a wanted one. */
  readonly leadOf: (forward: readonly Destination[], pattern: string | null) => Lead;
  /** Returns the addresses on the ways from destinations to a wanted one, the nearest first. */
  readonly passedFrom: (forward: readonly Destination[], pattern: string | null) => readonly Passed<E>[];
}

/** An address that mail may pass, and what is known of it so far. */
interface Stop<E> {
  readonly address: string;
  readonly steps: readonly MailStep<E>[];
  /** True if its domain is another one for each mail. */
  readonly isAnywhere: boolean;
  lead: Lead;
}

type Stops<E> = ReadonlyMap<string, Stop<E>>;

/** Captures and labels make addresses that are written nowhere, in a circle without end. */
const MOST_STOPS_MADE = 10_000;

/**
 * Follows destinations through the domains to every possible end of their mail: for each routing engine that a domain may
 * have, and for any content of the mail. Each address is followed once, also in a loop.
 */
export function createLeads<A extends RoutedAlias, R extends RoutedRule>(
  domains: ReadonlyMap<string, LeadingDomain<A, R>>,
  starts: Iterable<Destination>,
  wanted: WantedTest,
): Leads<A | R> {
  const stops = findStops(domains, starts, wanted);
  settle(stops, wanted);
  return {
    leadOf: (forward, pattern) => leadOfAll({ forward, pattern }, stops, wanted),
    passedFrom: (forward, pattern) => passedFrom({ forward, pattern }, stops, wanted),
  };
}

function findStops<A extends RoutedAlias, R extends RoutedRule>(
  domains: ReadonlyMap<string, LeadingDomain<A, R>>,
  starts: Iterable<Destination>,
  wanted: WantedTest,
): Stops<A | R> {
  const stops = new Map<string, Stop<A | R>>();
  const stepsAt = stepFinder(domains);
  const open: MailStep<A | R>[] = [];
  const visit = (destination: Destination, pattern: string | null): void => {
    const key = stopKey(destination, pattern);
    if (stops.has(key) || wanted(destination, pattern) === 'always') return;
    const steps = stepsAt(destination, pattern);
    if (steps === null) return;
    const isAnywhere = isTemplate(domainPartOf(destination), pattern);
    const lead: Lead = { leads: 'never', endsElsewhere: false };
    stops.set(key, { address: destination, steps, isAnywhere, lead });
    open.push(...steps);
  };
  for (const destination of starts) visit(destination, null);
  for (const { forward, pattern } of entriesIn(domains)) {
    for (const destination of forward) visit(destination, pattern);
  }
  const most = stops.size + MOST_STOPS_MADE;
  // Grows while it is gone through.
  for (const { forward, pattern } of open) {
    for (const destination of forward) if (stops.size < most) visit(destination, pattern);
  }
  return stops;
}

function* entriesIn(
  domains: ReadonlyMap<string, LeadingDomain<RoutedAlias, RoutedRule>>,
): Generator<Forwarding> {
  for (const { aliases, rules, fallback } of domains.values()) {
    for (const alias of aliases) yield { forward: alias.forward, pattern: patternOfAlias(alias) };
    for (const rule of rules) yield { forward: rule.forward, pattern: patternOfRule(rule) };
    if (fallback !== null) yield { forward: [fallback], pattern: null };
  }
}

/** Returns a function that finds what the domains do with mail to a destination; null means that none of them routes it. */
function stepFinder<A extends RoutedAlias, R extends RoutedRule>(
  domains: ReadonlyMap<string, LeadingDomain<A, R>>,
): (destination: Destination, pattern: string | null) => readonly MailStep<A | R>[] | null {
  const known = new Map<string, DomainSteps<A | R>>();
  const stepsOf = (name: string, domain: LeadingDomain<A, R>): DomainSteps<A | R> => {
    const steps = known.get(name) ?? createDomainSteps(domain);
    known.set(name, steps);
    return steps;
  };
  return (destination, pattern) => {
    const words = oneOf(destination, pattern);
    if (words !== null) return words.map((word) => ({ entry: null, forward: [word], pattern: null }));
    if (destination === DISCARD || destination.includes('://')) return null;
    const host = domainPartOf(destination);
    if (pattern === null || !isTemplate(destination, pattern)) {
      const domain = domains.get(host);
      return domain === undefined ? null : stepsOf(host, domain).at(destination);
    }
    const hosts = [...domains].filter(([name]) => becomes(host, pattern)(name));
    if (hosts.length === 0) return null;
    const isMeant = becomes(localPartOf(destination), pattern);
    return hosts.flatMap(([name, domain]) => stepsOf(name, domain).atAll(isMeant));
  };
}

/** Returns the destinations that one with a capture stands for, where these can be written out; else null. */
function oneOf(destination: Destination, pattern: string | null): readonly Destination[] | null {
  if (pattern === null || !isTemplate(destination, pattern)) return null;
  return becomesOneOf(destination, pattern)?.map(normaliseDestination) ?? null;
}

/** Goes through all addresses until nothing new is learnt: what is learnt is never taken back. */
function settle<E>(stops: Stops<E>, wanted: WantedTest): void {
  for (let isOpen = true; isOpen;) {
    isOpen = false;
    for (const stop of stops.values()) {
      const { leads, endsElsewhere } = leadOfStop(stop, stops, wanted);
      if (leads === stop.lead.leads && endsElsewhere === stop.lead.endsElsewhere) continue;
      stop.lead = { leads, endsElsewhere };
      isOpen = true;
    }
  }
}

function leadOfStop<E>({ steps, isAnywhere }: Stop<E>, stops: Stops<E>, wanted: WantedTest): Lead {
  const leads = steps.map((step) => leadOfAll(step, stops, wanted));
  const isCertain = !isAnywhere && leads.length > 0 && leads.every((lead) => lead.leads === 'always');
  const isPossible = leads.some((lead) => lead.leads !== 'never');
  return {
    leads: isCertain ? 'always' : isPossible ? 'perhaps' : 'never',
    endsElsewhere: isAnywhere || leads.some((lead) => lead.endsElsewhere),
  };
}

type Forwarding = Pick<MailStep<unknown>, 'forward' | 'pattern'>;

function leadOfAll<E>({ forward, pattern }: Forwarding, stops: Stops<E>, wanted: WantedTest): Lead {
  const leads = forward.map((destination) => leadOfOne(destination, pattern, stops, wanted));
  const found = new Set(leads.map((lead) => lead.leads));
  return {
    leads: found.has('always') ? 'always' : found.has('perhaps') ? 'perhaps' : 'never',
    endsElsewhere: leads.some((lead) => lead.endsElsewhere),
  };
}

function leadOfOne<E>(
  destination: Destination,
  pattern: string | null,
  stops: Stops<E>,
  wanted: WantedTest,
): Lead {
  const own = wanted(destination, pattern);
  if (own === 'always') return { leads: own, endsElsewhere: false };
  const stop = stops.get(stopKey(destination, pattern));
  if (stop === undefined) return { leads: own, endsElsewhere: destination !== DISCARD };
  return own === 'perhaps' && stop.lead.leads === 'never' ? { ...stop.lead, leads: own } : stop.lead;
}

function passedFrom<E>(start: Forwarding, stops: Stops<E>, wanted: WantedTest): readonly Passed<E>[] {
  const open: Forwarding[] = [start];
  const found = new Map<Stop<E>, readonly MailStep<E>[]>();
  // Grows while it is gone through.
  for (const { forward, pattern } of open) {
    for (const destination of forward) {
      const stop = stops.get(stopKey(destination, pattern));
      if (stop === undefined || stop.lead.leads === 'never' || found.has(stop)) continue;
      const leading = stop.steps.filter((step) => leadOfAll(step, stops, wanted).leads !== 'never');
      found.set(stop, leading);
      open.push(...leading);
    }
  }
  return Array.from(found, ([{ address }, steps]) => {
    return { address, entries: steps.flatMap(({ entry }) => entry ?? []) };
  });
}

function stopKey(destination: string, pattern: string | null): string {
  return isTemplate(destination, pattern) ? `${destination}\n${pattern}` : destination;
}
