import type { Desired, DesiredDomain } from '../../model/desired.ts';
import { nameKey } from '../../model/names.ts';
import type { Observed, ObservedDomain } from '../../model/observed.ts';
import type { Change } from '../../model/plan.ts';
import type { RuleMatch } from '../../model/resources.ts';
import { createRouter, type RoutingTable } from '../../routing/route.ts';
import type { DomainPlan } from '../domain.ts';
import { compareRanks } from '../order.ts';

/** What takes mail in a domain; `key` tells items of a domain apart. */
export interface RoutedItem {
  readonly key: string;
  readonly name: string;
  readonly forward: string;
}

export interface RoutedRule extends RoutedItem {
  readonly match: RuleMatch;
  readonly active: boolean;
  readonly rank: number;
}

export type DomainRouter = ReturnType<typeof createRouter<RoutedItem, RoutedRule>>;

/** How mail to one domain is routed at the moment. */
export function liveRouter(live: ObservedDomain, accountEmail: string): DomainRouter {
  return createRouter(tableOf(live, liveAliases(live), liveRules(live), accountEmail));
}

/** How it will be routed once the changes were made. */
export function finalRouter(
  live: ObservedDomain | undefined,
  changes: readonly Change[],
  accountEmail: string,
): DomainRouter {
  return createRouter(finalTable(live, changes, accountEmail));
}

export function finalTable(
  live: ObservedDomain | undefined,
  changes: readonly Change[],
  accountEmail: string,
): RoutingTable<RoutedItem, RoutedRule> {
  return tableOf(live, finalAliases(live, changes), finalRules(live, changes), accountEmail);
}

/** The routers of the managed domains as they will be; null of a domain whose routing is not known. Made when asked for. */
export function finalRouters(input: {
  readonly desired: Desired;
  readonly observed: Observed;
  readonly domains: readonly DomainPlan[];
}): (domain: string) => DomainRouter | null {
  const plans = new Map<string, DomainPlan>(input.domains.map((plan) => [plan.domain, plan]));
  const routers = new Map<string, DomainRouter | null>();
  function make(domain: string): DomainRouter | null {
    const plan = plans.get(domain);
    if (plan === undefined) return null;
    // What is planned is desired, if only to be absent.
    const { state } = input.desired.domains.get(plan.domain) as DesiredDomain;
    if (state === 'absent') return null;
    const live = input.observed.domains.get(plan.domain);
    if (live !== undefined && !isKnown(live)) return null;
    return finalRouter(live, plan.changes, input.observed.account.email);
  }
  return (domain) => {
    const known = routers.get(domain);
    if (known !== undefined) return known;
    const made = make(domain);
    routers.set(domain, made);
    return made;
  };
}

/** Whether what decides about mail to the domain was read. */
export function isKnown(live: ObservedDomain): boolean {
  return live.routingEngine === 'rules' ? live.rules !== undefined : live.aliases !== undefined;
}

function tableOf(
  live: ObservedDomain | undefined,
  aliases: ReadonlyMap<string, RoutedItem>,
  rules: ReadonlyMap<string | null, RoutedRule>,
  accountEmail: string,
): RoutingTable<RoutedItem, RoutedRule> {
  const engine = live?.routingEngine;
  const mode = engine === 'alias' ? 'aliases' : engine === 'rules' ? 'rules' : 'rules-then-aliases';
  // The account's address is the default; null drops.
  const fallback = live?.rulesFallbackEmail === undefined ? accountEmail : live.rulesFallbackEmail;
  const sorted = [...rules.values()].sort((a, b) => compareRanks(a.rank, b.rank));
  return { aliases: [...aliases.values()], rules: sorted, mode, fallback };
}

function liveAliases(live: ObservedDomain | undefined): Map<string, RoutedItem> {
  const aliases = new Map<string, RoutedItem>();
  if (live?.aliases === undefined) return aliases;
  for (const { name, forward } of live.aliases) {
    aliases.set(nameKey(name), { key: `alias ${nameKey(name)}`, name, forward });
  }
  return aliases;
}

function finalAliases(
  live: ObservedDomain | undefined,
  changes: readonly Change[],
): ReadonlyMap<string, RoutedItem> {
  const aliases = liveAliases(live);
  for (const change of changes) {
    if (change.kind !== 'alias') continue;
    const key = nameKey(change.name);
    if (change.desired === null) aliases.delete(key);
    else aliases.set(key, { key: `alias ${key}`, name: change.name, forward: change.desired.forward });
  }
  return aliases;
}

function liveRules(live: ObservedDomain | undefined): Map<string | null, RoutedRule> {
  const rules = new Map<string | null, RoutedRule>();
  if (live?.rules === undefined) return rules;
  for (const { id, ...state } of live.rules) rules.set(id, { ...state, key: `rule ${id}`, name: id });
  return rules;
}

function finalRules(
  live: ObservedDomain | undefined,
  changes: readonly Change[],
): ReadonlyMap<string | null, RoutedRule> {
  const rules = liveRules(live);
  for (const change of changes) {
    if (change.kind !== 'rule') continue;
    const { id, name, desired } = change;
    if (desired === null) rules.delete(id);
    else rules.set(id, { ...desired, key: `rule ${id}`, name });
  }
  return rules;
}
