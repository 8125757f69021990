import { createReach, follow, type DomainRouting, type Hop } from './follow.ts';
import { isOneWay, type Mail, type Route, type RoutedAlias, type Routes } from './route.ts';

/** Like `DomainRouting`, but with all possible routes of a message. */
export type DomainRoutes<A, R> = ((mail: Mail) => Routes<A, R> | 'unknown') | 'outside' | 'unknown';

/** A possible path of a message, hop by hop. */
export interface Way<A, R> {
  readonly hops: readonly Hop<A, R>[];
  /** The route taken at each address on the way, and all possible routes there. */
  readonly choices: ReadonlyMap<string, Choice<A, R>>;
}

interface Choice<A, R> {
  readonly taken: Route<A, R>;
  readonly among: Routes<A, R>;
}

/** Maximum number of paths to follow. A message has more than one only if patterns overlap. */
export const MOST_WAYS = 64;

/** Follows a message to its ends on every possible path, the most likely first. */
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
  // The list grows during this loop.
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
 * Returns a function that is true if mail to an address may pass an address whose possible routes have different
 * destinations. It caches results, like `createReach`.
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
      // A webhook is always an end.
      return { ...route, forward: route.forward.filter((to) => !to.includes('://')) };
    };
  });
}
