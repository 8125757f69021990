import type { Client } from '../../../client/client.ts';
import { paceOf } from '../../../core/plan/requests/forecast.ts';
import { NO_REQUESTS, type Counts } from '../../../core/rate-limit/counts.ts';
import { stillToCome } from '../../../core/rate-limit/demand.ts';
import { durationOf, legsAfter, type Leg } from '../../../core/rate-limit/estimate.ts';
import type { Context } from '../../context.ts';
import type { Headway } from './run-progress.ts';

/** Whose requests are waited for. */
type Sender = Pick<Client, 'knownBudgets' | 'demands' | 'latencyMs' | 'waitsUntil'>;

interface Requested extends Pick<Headway, 'end'> {
  readonly label: string;
  readonly foreseen?: Counts | undefined;
}

/**
 * Estimates the time of the requests that a client was asked for and of those only `foreseen`, by endpoint. This
 * holds until the first request to an endpoint shows its real limit.
 */
export function requestsHeadway(
  context: Pick<Context, 'clock'>,
  sender: Sender,
  { label, end, foreseen = NO_REQUESTS }: Requested,
): Headway {
  const unbegun = (): Counts => {
    const demands = sender.demands();
    return new Map([...foreseen].filter(([endpoint]) => !demands.has(endpoint)));
  };
  return {
    label: () => label,
    end,
    left: () => requestsLeft(context, sender, unbegun()),
    waitsUntil: () => waitsUntil(context, sender),
  };
}

export interface PlannedHeadway {
  readonly label: () => string;
  /** The run from now on. */
  readonly legs: readonly Leg[];
}

/** Returns the headway of a plan that is being applied: the time of its forecast, less what was sent since. */
export function planHeadway(
  context: Pick<Context, 'clock'>,
  sender: Sender,
  { label, legs }: PlannedHeadway,
): Headway {
  const before = new Map(sender.demands());
  const sent = (): Counts => {
    const ended = sender.demands().entries();
    return new Map(
      ended.map(([endpoint, demand]) => [endpoint, demand.ended - (before.get(endpoint)?.ended ?? 0)]),
    );
  };
  return {
    label,
    left() {
      const planned = timeOf(context, sender, legsAfter(legs, sent()));
      // Requests beyond the plan count too, once they are asked for.
      return Math.max(planned, requestsLeft(context, sender, NO_REQUESTS));
    },
    waitsUntil: () => waitsUntil(context, sender),
  };
}

/** Returns the headway of requests to one endpoint, of which the caller knows how many are left. */
export function endpointHeadway(
  context: Pick<Context, 'clock'>,
  sender: Sender,
  {
    label,
    endpoint,
    left,
  }: { readonly label: string; readonly endpoint: string; readonly left: () => number },
): Headway {
  return {
    label: () => label,
    left: () => timeOf(context, sender, [{ steps: [new Map([[endpoint, left()]])], trips: 0 }]),
    waitsUntil: () => waitsUntil(context, sender),
  };
}

function requestsLeft(context: Pick<Context, 'clock'>, sender: Sender, foreseen: Counts): number {
  const steps = [stillToCome(sender.demands(), foreseen)];
  return timeOf(context, sender, [{ steps, trips: 0 }]);
}

function timeOf({ clock }: Pick<Context, 'clock'>, sender: Sender, legs: readonly Leg[]): number {
  const learnt = { budgets: sender.knownBudgets(), latency: sender.latencyMs() };
  return durationOf(legs, paceOf({ ...learnt, batches: 'allowed' }), clock.monotonic());
}

/** Returns the end of the wait by the system clock. */
function waitsUntil({ clock }: Pick<Context, 'clock'>, sender: Sender): number | null {
  const moment = sender.waitsUntil();
  return moment === null ? null : clock.now() + moment - clock.monotonic();
}
