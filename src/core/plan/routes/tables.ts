import type { Desired, DesiredDomain } from '../../model/desired.ts';
import { DISCARD, normaliseDestination, type Destination } from '../../model/destinations.ts';
import type { Observed, ObservedDomain } from '../../model/observed.ts';
import type { Change } from '../../model/plan.ts';
import type { RuleMatch } from '../../model/resources.ts';
import { createRouter, type Anchoring, type RoutingTable } from '../../routing/route.ts';
import type { DomainPlan } from '../diff/section.ts';
import { compareRanks } from '../sorting.ts';
import {
  finalAliases,
  liveAliases,
  type FinalAliases,
  type LiveAliases,
  type RoutedItem,
} from './aliases.ts';
import { keepLatest, TABLES_KEPT } from './latest.ts';

/** A rule that takes mail; `key` is unique within a domain. */
export interface RankedItem extends RoutedItem {
  readonly key: string;
  readonly match: RuleMatch;
  readonly active: boolean;
  readonly rank: number;
}

export type PlanTable = RoutingTable<RoutedItem, RankedItem> & { readonly aliases: FinalAliases };
export type PlanRouter = ReturnType<typeof createRouter<RoutedItem, RankedItem>>;

/** One way in which the service may route mail, as far as the account and the API's documents leave it open. */
export interface Reading {
  /** The engine that decides if the account does not show it. */
  readonly engine: RoutingTable<RoutedItem, RankedItem>['mode'];
  readonly anchoring: Anchoring;
  /** The fallback of mail that no rule takes, if the account does not show it. */
  readonly fallback: 'account' | 'nowhere';
  /** True if domains whose routing was not read refuse all mail; otherwise they count as delivering it. */
  readonly refusesUnread?: true;
}

const READINGS: readonly Reading[] = [
  { engine: 'aliases', anchoring: 'anywhere', fallback: 'account' },
  { engine: 'rules', anchoring: 'anywhere', fallback: 'account' },
  { engine: 'rules', anchoring: 'whole', fallback: 'account' },
  { engine: 'rules', anchoring: 'anywhere', fallback: 'nowhere' },
  { engine: 'rules', anchoring: 'whole', fallback: 'nowhere' },
];

/** Returns all possible readings of a live domain; empty if its routing was not read. */
export function readingsOf(live: ObservedDomain): readonly Reading[] {
  return READINGS.filter((reading) => {
    if (reading.engine !== engineOf(live, reading) || !isKnown(live, reading)) return false;
    return reading.fallback === 'account' || live.rulesFallbackEmail === undefined;
  });
}

/**
 * The readings for following mail through several domains. Their engines may differ: rules of one domain lead to
 * aliases of another.
 */
export const READINGS_OF_ALL: readonly Reading[] = (['rules-then-aliases', 'aliases', 'rules'] as const).map(
  (engine) => ({ engine, anchoring: 'anywhere', fallback: 'account' }),
);

/** The account of the tables, and their reading. */
export interface RouterContext {
  readonly accountEmail: string;
  readonly reading: Reading;
}

/** Creates the router of one domain's mail as it is now. */
export function liveRouter(live: ObservedDomain, context: RouterContext): PlanRouter {
  return finalRouter(live, NONE, context);
}

const NONE: ReadonlySet<Change> = new Set();

/** Creates the router of one domain's mail after the changes. */
export function finalRouter(
  live: ObservedDomain | undefined,
  changes: Iterable<Change>,
  context: RouterContext,
): PlanRouter {
  return createRouter(finalTable(live, liveAliases(live), changes, context));
}

export function finalTable(
  live: ObservedDomain | undefined,
  aliases: LiveAliases,
  changes: Iterable<Change>,
  { accountEmail, reading }: RouterContext,
): PlanTable {
  const isUnsaid = live?.rulesFallbackEmail === undefined;
  return {
    aliases: finalAliases(aliases, changes),
    rules: [...finalRules(live, changes).values()].sort((a, b) => compareRanks(a.rank, b.rank)),
    mode: engineOf(live, reading),
    fallback: isUnsaid && reading.fallback === 'nowhere' ? DISCARD : fallbackOf(live, accountEmail),
  };
}

/**
 * Returns a lookup of the managed domains' routers after the changes; null if a domain's routing is unknown. Routers
 * are created on demand.
 */
export function finalRouters(
  input: {
    readonly desired: Desired;
    readonly observed: Observed;
    readonly domains: readonly DomainPlan[];
  },
  reading: Reading,
): (domain: string) => PlanRouter | null {
  const plans = new Map<string, DomainPlan>(input.domains.map((plan) => [plan.domain, plan]));
  function make(domain: string): PlanRouter | null {
    const plan = plans.get(domain);
    if (plan === undefined) return null;
    // Every planned domain is desired, present or absent.
    const { state } = input.desired.domains.get(plan.domain) as DesiredDomain;
    if (state === 'absent') return null;
    const live = input.observed.domains.get(plan.domain);
    if (live !== undefined && !isKnown(live, reading)) return null;
    return finalRouter(live, plan.changes, { accountEmail: input.observed.account.email, reading });
  }
  return keepLatest(TABLES_KEPT, make);
}

/** True if the section that decides about the domain's mail was read. */
export function isKnown(live: ObservedDomain, reading: Reading): boolean {
  return (engineOf(live, reading) === 'rules' ? live.rules : live.aliases) !== undefined;
}

/** Returns the engine of a domain; that of the reading if the account does not show it. */
export function engineOf(live: ObservedDomain | undefined, reading: Reading): Reading['engine'] {
  const engine = live?.routingEngine;
  if (engine === 'rules') return 'rules';
  return engine === 'alias' ? 'aliases' : reading.engine;
}

/**
 * Returns the destination of mail that no rule takes. The account's address is the default; null accepts the mail and
 * drops it.
 */
export function fallbackOf(live: ObservedDomain | undefined, accountEmail: string): Destination {
  if (live?.rulesFallbackEmail === undefined) return normaliseDestination(accountEmail);
  return live.rulesFallbackEmail === null ? DISCARD : normaliseDestination(live.rulesFallbackEmail);
}

function liveRules(live: ObservedDomain | undefined): Map<string | null, RankedItem> {
  const rules = new Map<string | null, RankedItem>();
  if (live?.rules === undefined) return rules;
  for (const { id, ...state } of live.rules) rules.set(id, { ...state, key: `rule ${id}`, name: id });
  return rules;
}

function finalRules(
  live: ObservedDomain | undefined,
  changes: Iterable<Change>,
): ReadonlyMap<string | null, RankedItem> {
  const rules = liveRules(live);
  for (const change of changes) {
    if (change.kind !== 'rule') continue;
    const { id, name, desired } = change;
    if (desired === null) rules.delete(id);
    else rules.set(id, { ...desired, key: `rule ${id}`, name });
  }
  return rules;
}
