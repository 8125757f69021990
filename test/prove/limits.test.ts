import { expect, test } from 'vitest';
import { measureShape, SHAPES, timeRatio } from './support/limits/measured.ts';
import { PROVE_SEED, runs } from '../support/share.ts';

/** `npm run prove` uses large shapes; other runs use small ones. */
const size = runs(1, 0) === 1 ? 'large' : 'small';
const seeds = Array.from({ length: runs(2 * SHAPES, 4) }, (_, index) => PROVE_SEED - 1 + index * runs(1, 4));

test.each(seeds)(
  'shape %i: as few requests as possible, none refused, all of them forecast, in as little time',
  async (seed) => {
    const { about, run, least } = await measureShape(seed, size);
    expect.soft(run.outcome, about).toMatch(/^(converged|unchanged)$/);
    expect.soft(run.requests, about).toBe(least.requests);
    expect.soft(run.refused, about).toBe(0);
    expect.soft(run.forecast?.requests ?? run.afterPlan, about).toBe(run.afterPlan);
    expect.soft(timeRatio(run.reading, least.reading) ?? 1, about).toBeLessThanOrEqual(1.06);
    expect.soft(timeRatio(run.total, least.total) ?? 1, about).toBeLessThanOrEqual(1.06);
    const [foreseen, took] = [run.forecast?.seconds ?? 0, run.total - run.reading];
    expect.soft(Math.abs(foreseen - took), about).toBeLessThanOrEqual(Math.max(5, 0.3 * took));
  },
  300_000,
);
