import { leastWork, requestsOf } from './least.ts';
import { leastMakespan } from './schedule.ts';
import { shapeOf, WINDOW_SECONDS, type Shape } from './shapes.ts';
import { runShape, TRAVEL_MS, type VirtualRun } from './virtual-run.ts';

/** One shape: what a run sent and took, and the least that is possible. Seconds. */
export interface Measured {
  readonly about: string;
  readonly shape: Shape;
  readonly run: VirtualRun;
  readonly least: { readonly requests: number; readonly reading: number; readonly total: number };
}

export const SHAPES = 30;
/** Requests of one endpoint at the same time; the theory has as many. */
export const CONCURRENCY = 8;

export async function measureShape(seed: number, size: 'small' | 'large'): Promise<Measured> {
  const shape = shapeOf(seed, size);
  const run = await runShape(shape);
  const work = leastWork(shape);
  const span = leastMakespan(work, { ...shape, latency: 2 * TRAVEL_MS, concurrency: CONCURRENCY });
  const { limit, version, domains } = shape;
  return {
    about: `${shape.name}, ${domains.length} domains, ${version}, ${limit.limit} a ${limit.window} window, seed ${seed}`,
    shape,
    run,
    least: { requests: requestsOf(work), reading: span.reading / 1000, total: span.total / 1000 },
  };
}

/**
 * A time against another; null where that is under a window: then the first requests, which have to find out what the limits
 * are, weigh more than anything else.
 */
export function timeRatio(seconds: number, other: number): number | null {
  return other < WINDOW_SECONDS ? null : seconds / other;
}
