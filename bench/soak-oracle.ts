import type { Emulator } from '../src/emulator/http/server.ts';
import { routesOf } from '../test/golden/support/routes.ts';

/** Destination of mail to each address. Mail to a missing address must be refused. */
export type WantedRoutes = ReadonlyMap<string, string>;

/** Watches the destinations of mail while manifests follow each other; each one may be applied or skipped. */
export interface RouteOracle {
  /** Adds the next manifest. Call it before the manifest can be read. */
  wants(routes: WantedRoutes): void;
  /** Routes a mail to every address with the emulator's routing. */
  check(): void;
  /** Number of routed mails. */
  mails(): number;
  /** Mails with a destination that neither the earlier manifest nor a later one has. */
  strays(): readonly string[];
}

/**
 * Returns the violations. A route may only change from the destination of one manifest to that of a later one. An address that
 * every manifest names must always have a route, and no address may get an earlier or a wrong destination.
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
