import { DISCARD } from '../../../../src/core/model/destinations.ts';
import type { PlannedRoute } from '../../../../src/core/model/plan.ts';
import { planRoutes } from '../../../../src/core/plan/routes/routes.ts';
import type { Planned } from '../../../../src/engine/plan-once.ts';
import { isLost, type Deliveries } from './deliveries.ts';

/** The parts of a plan that the person who allows it sees. */
export interface ShownRoutes {
  readonly routes: readonly PlannedRoute[];
  /** Addresses that need an allowance, or have one. */
  readonly unrouted: ReadonlySet<string>;
}

export function shownBy({ plan, input }: Planned): ShownRoutes {
  const asked = plan.guards.flatMap(({ allowance }) =>
    allowance?.kind === 'unrouted' ? [allowance.address] : [],
  );
  return { routes: planRoutes({ ...input, ...plan }), unrouted: new Set(asked) };
}

/** Returns the changes of mail that the plan does not show, as sentences: it lists neither the address nor one that the mail passes. */
export function unshownChanges(shown: ShownRoutes, before: Deliveries, after: Deliveries): readonly string[] {
  return [...before.ways].flatMap(([address, { ends, passed }]) => {
    const then = after.ways.get(address);
    if (then === undefined || ends.join() === then.ends.join()) return [];
    const lost = isLost(after, address) && !isLost(before, address);
    const isShown = [...passed, ...then.passed].some((one) => isListed(one, shown, lost));
    return isShown
      ? []
      : [`mail to ${address} goes to ${then.ends.join() || 'nobody'}, not to ${ends.join()}`];
  });
}

/** True if a plan lists an address, or a part of its domain's mail that may contain it. `lost` means listed as lost mail. */
function isListed(address: string, { routes, unrouted }: ShownRoutes, lost: boolean): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const isAsked = (one: string): boolean =>
    one === address || (one.endsWith(`@${domain}`) && /[*(]/.test(one));
  if ([...unrouted].some(isAsked)) return true;
  return routes.some((route) => {
    // Mail to the old name of a renamed alias is refused afterwards.
    if (route.was === address) return true;
    const isIt = route.domain === domain && (route.address === address || !isOneAddress(route));
    const ends = [route, ...(route.otherwise === null ? [] : [route.otherwise])];
    return isIt && (!lost || ends.some(({ to, undecided }) => isNowhere(to) || undecided !== undefined));
  });
}

/** True if mail is refused or discarded, or it is not known where it ends. */
function isNowhere(to: PlannedRoute['to']): boolean {
  return to === null || to.every((destination) => destination === DISCARD);
}

/** False for a pattern, a condition, and every other address. */
function isOneAddress({ address, knownBy }: PlannedRoute): boolean {
  return address !== null && knownBy !== 'pattern';
}
