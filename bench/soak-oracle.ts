import type { Emulator } from '../src/emulator/http/server.ts';
import { routesOf } from '../test/golden/support/routes.ts';

/** Where mail to each address should go; one that is missing should go nowhere. */
export type WantedRoutes = ReadonlyMap<string, string>;

/** Watches where mail goes while manifests follow each other, each of which may be applied or skipped. */
export interface RouteOracle {
  /** The next manifest. Call it before anybody can read it. */
  wants(routes: WantedRoutes): void;
  /** Sends a mail to every address, by the emulator's own routing. */
  check(): void;
  /** How many mails were routed. */
  mails(): number;
  /** Mails that went where no manifest from then on wanted them: neither as before nor as a later one says. */
  strays(): readonly string[];
}

/**
 * Routes may only go forward: from what one manifest wants to what it, or a later one, wants. So an address that every
 * manifest names must never be without a route, and none may fall back to, or take, another destination.
 */
export function createRouteOracle(emulator: Emulator, addresses: readonly string[]): RouteOracle {
  const probes = addresses.map((to) => ({ to }));
  const manifests: WantedRoutes[] = [];
  const reached = new Map<string, number>();
  const strays: string[] = [];
  let mails = 0;
  const follow = (address: string, route: string | null): void => {
    const from = reached.get(address) ?? 0;
    const at = manifests.findIndex(
      (wanted, index) => index >= from && (wanted.get(address) ?? null) === route,
    );
    if (at >= 0) reached.set(address, at);
    else strays.push(`${address} goes to ${route ?? 'nobody'}`);
  };
  return {
    wants: (routes) => void manifests.push(routes),
    check() {
      const routes = routesOf(emulator, probes);
      addresses.forEach((address, index) => follow(address, routes[index] ?? null));
      mails += addresses.length;
    },
    mails: () => mails,
    strays: () => strays,
  };
}
