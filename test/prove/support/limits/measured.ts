import { leastWork, requestsOf } from './least.ts';
import { leastMakespan } from './schedule.ts';
import { shapeOf, WINDOW_SECONDS, type Shape } from './shapes.ts';
import { runShape, TRAVEL_MS, type VirtualRun } from './virtual-run.ts';

/** Requests and seconds of a run with one shape, and the least possible. */
export interface Measured {
  readonly about: string;
  readonly shape: Shape;
  readonly run: VirtualRun;
  readonly least: { readonly requests: number; readonly reading: number; readonly total: number };
}

export const SHAPES = 30;
/** Maximum number of requests of one endpoint at the same time, also in the theory. */
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
 * Divides one time by the other. Returns null if the other is shorter than a window, because then the first requests, which learn
 * the limits, dominate.
 */
export function timeRatio(seconds: number, other: number): number | null {
  return other < WINDOW_SECONDS ? null : seconds / other;
}
