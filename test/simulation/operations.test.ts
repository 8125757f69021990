import { expect, test } from 'vitest';
import { unmanagedPart } from '../golden/support/unmanaged.ts';
import { createExplorer, everyNth, IS_FULL, SEED, type Trial } from './support/explore.ts';
import { judge } from './support/judge.ts';
import { OPERATIONS, sequenceOf, STATES } from './support/operations.ts';
import { shortfalls } from './support/satisfaction.ts';
import { randomOf } from './support/world.ts';
import type { Simulation } from './support/simulate.ts';
import type { Stroke } from './support/wire.ts';

// Every operation from every state and every sequence of up to three operations; then each again with a kill at each of its writes.

const { faultless, explore } = createExplorer('operations');
const NAMES = Object.keys(OPERATIONS);
/** Percentage of the sequences of two and three operations that run without SIMULATION=full. */
const EVERYDAY_PERCENT = 0.15;

/** Expects that the account matches the manifest at the end, and that unmanaged items are unchanged. */
async function tryOut(state: string, operations: readonly string[]): Promise<Simulation> {
  const scenario = sequenceOf(state, operations);
  const whole = await faultless(scenario);
  const about = `${scenario.name}, seed ${SEED}`;
  expect(judge(whole, whole), about).toEqual([]);
  expect(shortfalls(whole.end, scenario.desired), about).toEqual([]);
  const [end, start] = [whole.end, whole.start].map((dump) =>
    unmanagedPart(dump, scenario.desired, new Set()),
  );
  expect(JSON.stringify(end), about).toBe(JSON.stringify(start));
  return whole;
}

/** Every ninth case, which covers each state. */
const SINGLES = Object.keys(STATES).flatMap((state) => NAMES.map((name) => [state, name] as const));

test.each(everyNth(9, SINGLES))(
  '%s: %s, killed at every write',
  { timeout: 600_000 },
  async (state, name) => {
    const whole = await tryOut(state, [name]);
    await explore(whole.scenario, whole, kills(whole));
  },
);

test.each(Object.keys(STATES))(
  '%s: sequences of two and three operations',
  { timeout: 3_600_000 },
  async (state) => {
    const random = randomOf(SEED);
    for (const first of NAMES) {
      for (const second of NAMES) {
        for (const third of [null, ...NAMES]) {
          if (!IS_FULL && random() * 100 >= EVERYDAY_PERCENT) continue;
          await tryOut(state, third === null ? [first, second] : [first, second, third]);
        }
      }
    }
  },
);

function* kills({ exchanges }: Simulation): Generator<Trial> {
  for (const [index, { method }] of exchanges.entries()) {
    if (method === 'GET') continue;
    for (const moment of IS_FULL ? (['before', 'during', 'after'] as const) : (['during'] as const)) {
      const stroke: Stroke = { kind: 'kill', moment };
      yield {
        about: `killed ${moment} request ${index + 1}`,
        script: { strokes: new Map([[index + 1, stroke]]) },
      };
    }
  }
}
