import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { approvalDigest } from '../../src/core/plan/document/digest.ts';
import { decide } from '../../src/engine/decide.ts';
import type { Planned } from '../../src/engine/plan-once.ts';
import { DRAWN, IS_FULL, SEED } from './support/explore.ts';
import { lossesBetween } from './support/forwards/deliveries.ts';
import { makeEdits, someEdits } from './support/forwards/edits.ts';
import { KNOWN_WORLDS } from './support/forwards/known-worlds.ts';
import { forwardsWorld, scenarioIn } from './support/forwards/random-forwards.ts';
import { shownBy, unshownChanges } from './support/forwards/shown-routes.ts';
import {
  allowancesFor,
  convergence,
  followWorld,
  planIn,
  runUntilIdle,
} from './support/forwards/simulate-forwards.ts';
import { describe } from './support/judge.ts';
import { live } from './support/life.ts';
import type { Scenario } from './support/scenario.ts';
import type { Stroke } from './support/wire.ts';

// Another user edits managed or unmanaged items between the approval of a plan and its apply, and the apply may be killed. If the
// plan has changed by then, nothing is written. Otherwise mail changes only as the approved plan shows, and none is lost on its way.

const RUNS = IS_FULL ? 5_000 : 12;
const count = { worlds: 0, refused: 0, stale: 0, applied: 0, killed: 0, writes: 0 };
afterAll(() => console.info(`approved edits: ${JSON.stringify(count)}, seed ${SEED}`));

function digestOf(planned: Planned): string {
  return approvalDigest(planned, (text) => createHash('sha256').update(text).digest('hex'));
}

/** Runs the plan only if it is still the approved one, as `apply PLAN.json` does. */
function approvedAs(scenario: Scenario, approved: string): Scenario {
  return {
    ...scenario,
    approve: (planned) => {
      const decision = decide(planned.plan, 'end-the-run');
      const isEmpty = decision.kind === 'go' && decision.plan.changes.length === 0;
      return isEmpty || digestOf(planned) === approved ? decision : { kind: 'stale', since: [] };
    },
  };
}

test('an approved plan does what it shows or nothing', { timeout: 7_200_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(forwardsWorld, someEdits, fc.nat(40), async (random, edits, choice) => {
      count.worlds += 1;
      const scenario = scenarioIn(random);
      const isKilled = choice % 2 === 1;
      const kill: Stroke = { kind: 'kill', moment: choice % 4 === 1 ? 'during' : 'after' };
      const strokes = isKilled ? new Map([[8 + (choice % 12), kill]]) : new Map<number, Stroke>();
      const { world, moments, look } = followWorld(scenario, { strokes, seed: choice });
      const flags = allowancesFor(await planIn(world, scenario, {}));
      if (flags === null) {
        count.refused += 1;
        return;
      }
      const approved = await planIn(world, scenario, flags);
      await makeEdits(world.core, random, edits);
      const start = look('the edits');
      world.recording = true;
      const ending = await live(world, approvedAs(scenario, digestOf(approved)), flags);
      count.writes += moments.length;
      if (ending.kind === 'ended' && ending.once.kind === 'not-run') {
        count.stale += 1;
        expect([ending.once.decision.kind, ending.writes]).toEqual(['stale', 0]);
        return;
      }
      count[ending.kind === 'killed' ? 'killed' : 'applied'] += 1;
      const endings = ending.kind === 'killed' ? await runUntilIdle(world, scenario, flags) : [];
      const end = look('the end');
      expect([
        ...lossesBetween(start, moments, end),
        ...unshownChanges(shownBy(approved), start, end),
        ...(ending.kind === 'killed' ? convergence(endings, 2) : []),
      ]).toEqual([]);
      if (ending.kind !== 'killed') expect(describe(ending)).toMatch(/^(converged|unchanged)$/);
    }),
    { numRuns: RUNS, examples: [...KNOWN_WORLDS], ...DRAWN },
  );
});
