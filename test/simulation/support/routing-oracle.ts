import { routeMail } from '../../../src/emulator/delivery/delivery-routing.ts';
import type { Rule } from '../../../src/emulator/account/model.ts';
import type { State } from '../../../src/emulator/account/state.ts';
import { decodeForward } from '../../../src/core/model/destinations.ts';
import type { Probe } from './probes.ts';

/** Route of each probe at one moment, for each engine, as text. */
export interface Moment {
  /** The last write that was executed. */
  readonly after: string;
  readonly routes: readonly string[];
  /** Conditions and destinations of the active rules, by domain. */
  readonly rules: ReadonlyMap<string, ReadonlySet<string>>;
}

const ENGINES = ['alias', 'rules'] as const;
export const NOWHERE = 'nowhere';

/** Follows all probes through the emulator's delivery, without sending mail. */
export function lookAtRoutes(state: State, probes: readonly Probe[], after: string): Moment {
  const byDomain = Map.groupBy(probes, ({ domain }) => domain);
  const routes = [...byDomain].flatMap(([domain, mails]) => routesIn(state, domain, mails));
  const rules = new Map(
    [...state.domains.values()].map(({ name, rules: table }) => [
      name,
      new Set([...table.values()].filter(({ active }) => active).map(signature)),
    ]),
  );
  return { after, routes, rules };
}

/** Cache of the last routes by domain, because the runs of a scenario pass through the same states repeatedly. */
const seen = new Map<string, readonly string[]>();
const MOST_SEEN = 2_000;

function routesIn(state: State, name: string, mails: readonly Probe[]): readonly string[] {
  const domain = state.domains.get(name);
  const aliases = [...(domain?.aliases.values() ?? [])].map(({ alias, forward }) => [alias, forward]);
  const rules = (domain?.rules.inOrder('rank') ?? []).map(({ config, active }) => [config, active]);
  const fallback = domain?.fields.rules_fallback_email ?? null;
  const key = JSON.stringify([domain === undefined, state.switches, fallback, aliases, rules, mails]);
  const known = seen.get(key);
  if (known !== undefined) return known;
  const routes = mails.flatMap((probe) => ENGINES.map((engine) => routeOf(state, probe, engine)));
  if (seen.size >= MOST_SEEN) seen.clear();
  seen.set(key, routes);
  return routes;
}

function routeOf(state: State, probe: Probe, engine: (typeof ENGINES)[number]): string {
  const domain = state.domains.get(probe.domain);
  if (domain === undefined) return NOWHERE;
  const record = {
    ...domain,
    fields: { ...domain.fields, routing_engine: engine, forwarding_ready: true, banned: false },
  };
  const route = routeMail(state, record, probe);
  switch (route.kind) {
    case 'alias':
      return decodeForward(route.forward).join();
    case 'rule':
      return signature(route.rule);
    case 'fallback':
    case 'refused':
      return NOWHERE;
  }
}

function signature({ config }: Rule): string {
  const { forward, ...condition } = config;
  return `${JSON.stringify(condition)} -> ${decodeForward(forward).join()}`;
}

/**
 * Returns the breaches of promise 1 as sentences. At every moment each mail goes to its destination before or after the run, or
 * to a matching rule that was or will be active. It is lost only if it is lost before or after the run. If more than one
 * manifest is applied, `ends` are the moments when each of them was in place, including the start.
 */
export function routingBreaches(
  moments: readonly Moment[],
  probes: readonly Probe[],
  ends: readonly Moment[] = [...moments.slice(0, 1), ...moments.slice(-1)],
): readonly string[] {
  const breaches: string[] = [];
  for (const { routes, after } of moments) {
    for (const [index, now] of routes.entries()) {
      const probe = probes[Math.floor(index / ENGINES.length)] as Probe;
      const rightly = ends.map((end) => end.routes[index] ?? '');
      if (rightly.some((route) => now === route || target(now) === target(route))) continue;
      if (ends.some(({ rules }) => rules.get(probe.domain)?.has(now) === true)) continue;
      breaches.push(
        `${probe.recipient} (subject ${JSON.stringify(probe.subject)}, from ${probe.sender}) goes to ${now} after ${after}; ` +
          `rightly ${rightly.join(', or ')}`,
      );
    }
  }
  return breaches;
}

function target(route: string): string {
  return route.slice(route.lastIndexOf('-> ') + (route.includes('-> ') ? 3 : 0));
}
