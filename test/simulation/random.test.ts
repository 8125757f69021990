import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { approvalDigest } from '../../src/core/plan/document/digest.ts';
import { unmanagedPart } from '../golden/support/unmanaged.ts';
import { IS_FULL, SEED } from './support/explore.ts';
import { endsDone, judge } from './support/judge.ts';
import { accountOf, manifestOf, randomWorld, type RandomWorld } from './support/random-accounts.ts';
import { shortfalls } from './support/satisfaction.ts';
import { scenarioOf } from './support/scenario.ts';
import { randomOf } from './support/world.ts';
import { simulate, type Simulation } from './support/simulate.ts';
import type { Stroke } from './support/wire.ts';

// Random manifests on random accounts. A failure prints the seed and the smallest world that fails.

const RUNS = IS_FULL ? 5_000 : 4;
const count = { worlds: 0, kills: 0 };
afterAll(() => console.info(`random: ${count.worlds} worlds, ${count.kills} of them killed, seed ${SEED}`));

function worldScenario(world: RandomWorld, order: 'as-made' | 'reversed') {
  const domains = accountOf(world);
  const account = order === 'as-made' ? domains : domains.toReversed();
  return scenarioOf(
    'a random world',
    manifestOf(world, order),
    { domains: account },
    { flags: { allowDeletes: 0 } },
  );
}

function digestOf({ endings }: Simulation): string | null {
  const [first] = endings;
  if (first?.kind !== 'ended' || !('planned' in first.once)) return null;
  return approvalDigest(first.once.planned, (text) => createHash('sha256').update(text).digest('hex'));
}

test(
  'a plan that was applied leaves nothing to do and nothing unmanaged touched, in whatever order it came',
  { timeout: 3_600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(randomWorld, fc.nat(30), async (world, moment) => {
        count.worlds += 1;
        const scenario = worldScenario(world, 'as-made');
        const whole = await simulate(scenario, { strokes: new Map(), idleRuns: 2, seed: SEED });
        expect(judge(whole, whole)).toEqual([]);
        expect(endsDone(whole)).toBe(true);
        expect(shortfalls(whole.end, scenario.desired)).toEqual([]);
        const [before, after] = [whole.start, whole.end].map((dump) =>
          unmanagedPart(dump, scenario.desired, new Set()),
        );
        expect(after).toEqual(before);
        const turned = await simulate(worldScenario(world, 'reversed'), { strokes: new Map(), seed: SEED });
        expect(digestOf(turned)).toBe(digestOf(whole));
        const kill: Stroke = { kind: 'kill', moment: randomOf(moment)() < 0.5 ? 'during' : 'after' };
        const killed = await simulate(scenario, {
          strokes: new Map([[1 + (moment % whole.exchanges.length), kill]]),
          seed: moment,
        });
        count.kills += 1;
        expect(judge(killed, whole)).toEqual([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: false },
    );
  },
);
