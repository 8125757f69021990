import { expect, test } from 'vitest';
import { IS_FULL, seededScenarios } from './support/explore.ts';
import { endsDone } from './support/judge.ts';
import { simulate } from './support/simulate.ts';

// After an account is in sync, later runs write nothing.

const IDLE_RUNS = IS_FULL ? 100 : 4;

test.each(seededScenarios())('$name', { timeout: 600_000 }, async (scenario) => {
  const short = await simulate(scenario, { strokes: new Map() });
  if (!endsDone(short)) return;
  const long = await simulate(scenario, { strokes: new Map(), idleRuns: IDLE_RUNS });
  expect(long.endings.length).toBe(short.endings.length - 1 + IDLE_RUNS);
  expect(long.end).toEqual(short.end);
});
