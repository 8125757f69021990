import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { DRAWN, IS_FULL, SEED } from './support/explore.ts';
import { forwardsWorld, scenarioIn } from './support/forwards/random-forwards.ts';
import { breachesOf, simulateForwards, type ForwardsRun } from './support/forwards/simulate-forwards.ts';
import type { Stroke } from './support/wire.ts';

// Random manifests of domains that forward to each other, with an unmanaged domain and unmanaged aliases that forward into them. After
// each write mail is followed to its end: in a run without faults, in a killed run, and in a run with a refused write.

const RUNS = IS_FULL ? 3_000 : 5;
const count = { worlds: 0, refused: 0, runs: 0, writes: 0, killed: 0, failed: 0, asked: 0 };
afterAll(() => console.info(`unmanaged forwards: ${JSON.stringify(count)}, seed ${SEED}`));

const MOMENTS = ['before', 'during', 'after'] as const;
const REFUSED: Stroke = {
  kind: 'mishap',
  mishap: [{ kind: 'status', code: 400, body: { message: 'refused', errors: {} } }],
};

function note({ endings, moments }: ForwardsRun): void {
  count.runs += endings.length;
  count.writes += moments.length;
}

test('no mail is lost on its way that is not to be lost', { timeout: 7_200_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(forwardsWorld, fc.nat(60), async (world, choice) => {
      count.worlds += 1;
      const scenario = scenarioIn(world);
      const whole = await simulateForwards(scenario, { strokes: new Map(), seed: SEED });
      if (whole === null) {
        count.refused += 1;
        return;
      }
      note(whole);
      if (whole.planned.plan.guards.some(({ guard }) => guard === 'unrouted')) count.asked += 1;
      expect(breachesOf(whole, 1)).toEqual([]);
      const writes = [...whole.exchanges.entries()].filter(([, { method }]) => method !== 'GET');
      const [index] = writes[choice % Math.max(1, writes.length)] ?? [];
      if (index === undefined) return;
      const kill: Stroke = { kind: 'kill', moment: MOMENTS[choice % MOMENTS.length] ?? 'after' };
      for (const stroke of [kill, REFUSED]) {
        const run = await simulateForwards(scenario, {
          strokes: new Map([[index + 1, stroke]]),
          seed: choice,
        });
        if (run === null) throw new Error('the plan is another one');
        note(run);
        count[stroke === kill ? 'killed' : 'failed'] += 1;
        expect({ stroke, breaches: breachesOf(run, 3) }).toEqual({ stroke, breaches: [] });
      }
    }),
    { numRuns: RUNS, ...DRAWN },
  );
});
