import { createReach, follow, type DomainRouting, type Hop } from './follow.ts';
import { isOneWay, type Mail, type Route, type RoutedAlias, type Routes } from './route.ts';

/** As `DomainRouting`, with every route that a message may take. */
export type DomainRoutes<A, R> = ((mail: Mail) => Routes<A, R> | 'unknown') | 'outside' | 'unknown';

/** One way that a message may go, hop by hop. */
export interface Way<A, R> {
  readonly hops: readonly Hop<A, R>[];
  /** The route at each address that it passes, and all that it might take there. */
  readonly choices: ReadonlyMap<string, Choice<A, R>>;
}

interface Choice<A, R> {
  readonly taken: Route<A, R>;
  readonly among: Routes<A, R>;
}

/** More ways than this are not followed: a message has several only where patterns overlap. */
const MOST_WAYS = 64;

/** Follows a message to its ends on every way that it may take, the usual one first. */
export function waysOf<A extends RoutedAlias, R>(
  to: readonly string[],
  message: Omit<Mail, 'to'>,
  routesOf: (domain: string) => DomainRoutes<A, R>,
): readonly [Way<A, R>, ...Way<A, R>[]] {
  const open: ReadonlyMap<string, Route<A, R>>[] = [];
  function followBy(chosen: ReadonlyMap<string, Route<A, R>>): Way<A, R> {
    const way = followChosen(to, message, routesOf, chosen);
    const fixed = new Map(chosen);
    for (const [address, { taken, among }] of way.choices) {
      if (chosen.has(address)) continue;
      fixed.set(address, taken);
      if (isOneWay(among)) continue;
      for (const other of among.slice(1)) open.push(new Map([...fixed, [address, other]]));
    }
    return way;
  }
  const usual = followBy(new Map());
  const others: Way<A, R>[] = [];
  // Grows while it is gone through.
  for (const chosen of open) {
    if (others.length + 1 === MOST_WAYS) break;
    others.push(followBy(chosen));
  }
  return [usual, ...others];
}

function followChosen<A extends RoutedAlias, R>(
  to: readonly string[],
  message: Omit<Mail, 'to'>,
  routesOf: (domain: string) => DomainRoutes<A, R>,
  chosen: ReadonlyMap<string, Route<A, R>>,
): Way<A, R> {
  const choices = new Map<string, Choice<A, R>>();
  const hops = follow<A, R>(to, message, (domain): DomainRouting<A, R> => {
    const routing = routesOf(domain);
    if (typeof routing === 'string') return routing;
    return (mail) => {
      const among = routing(mail);
      if (among === 'unknown') return among;
      const taken = chosen.get(mail.to) ?? among[0];
      choices.set(mail.to, { taken, among });
      return taken;
    };
  });
  return { hops, choices };
}

/**
 * Returns a function that tells whether mail to an address may pass one at which several routes lead to different destinations.
 * It keeps what it found, as `createReach` does.
 */
export function createDoubt<A extends RoutedAlias, R>(
  message: Omit<Mail, 'to'>,
  routesOf: (domain: string) => DomainRoutes<A, R>,
): (address: string) => boolean {
  return createReach<A, R>(message, (domain) => {
    const routing = routesOf(domain);
    if (typeof routing === 'string') return () => ({ kind: 'refused' });
    return (mail) => {
      const routes = routing(mail);
      if (routes === 'unknown') return { kind: 'refused' };
      if (!isOneWay(routes)) return 'unknown';
      const [route] = routes;
      if (route.kind === 'refused') return route;
      // A webhook is an end without doubt.
      return { ...route, forward: route.forward.filter((to) => !to.includes('://')) };
    };
  });
}
