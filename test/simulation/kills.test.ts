import { describe, expect, test } from 'vitest';
import { createExplorer, IS_FULL, SEED, seededScenarios, type Trial } from './support/explore.ts';
import { endsDone, judge } from './support/judge.ts';
import type { Simulation } from './support/simulate.ts';
import type { Exchange, KillMoment, Stroke } from './support/wire.ts';

// Kills the process before, during and after every request of every golden case, and runs it again.

const { faultless, explore } = createExplorer('kills');
/** Maximum number of requests of a run for which pairs of kills are tried. */
const PAIRS_UP_TO = 12;

describe.each(seededScenarios())('$name', (scenario) => {
  test('survives a kill at any moment', { timeout: 600_000 }, async () => {
    const whole = await faultless(scenario);
    if (endsDone(whole)) expect(judge(whole, whole)).toEqual([]);
    await explore(scenario, whole, killsOf(whole));
  });

  if (!IS_FULL) return;
  test('survives a second kill in the run after it', { timeout: 3_600_000 }, async () => {
    const whole = await faultless(scenario);
    const first = firstRun(whole);
    if (first.length > PAIRS_UP_TO) return;
    await explore(scenario, whole, pairsOf(first));
  });
});

function* killsOf(whole: Simulation): Generator<Trial> {
  for (const [index, exchange] of firstRun(whole).entries()) {
    // Without SIMULATION=full: one of ten reads, because nothing changes between them, and every other write.
    const every = exchange.method === 'GET' ? 10 : 2;
    if (!IS_FULL && index % every !== SEED % every) continue;
    for (const moment of momentsOf(exchange)) {
      yield {
        about: `killed ${moment} request ${index + 1}`,
        script: { strokes: new Map([kill(index + 1, moment)]) },
      };
    }
  }
}

/** The second run may be killed at as many requests as the first run has, plus two. */
function* pairsOf(first: readonly Exchange[]): Generator<Trial> {
  for (const [index, exchange] of first.entries()) {
    for (const moment of momentsOf(exchange)) {
      for (let later = index + 2; later <= index + first.length + 3; later += 1) {
        for (const second of ['before', 'after'] as const) {
          const strokes = new Map([kill(index + 1, moment), kill(later, second)]);
          yield {
            about: `killed ${moment} request ${index + 1} and ${second} request ${later}`,
            script: { strokes },
          };
        }
      }
    }
  }
}

function firstRun({ exchanges }: Simulation): readonly Exchange[] {
  return exchanges.filter(({ process }) => process === exchanges[0]?.process);
}

/** It makes no difference whether a GET was processed. Only a batch can be half done. */
function momentsOf({ method, path }: Exchange): readonly KillMoment[] {
  if (method === 'GET') return ['after'];
  return path.endsWith('/batch') ? ['before', 'during', 'after'] : ['before', 'after'];
}

function kill(nth: number, moment: KillMoment): [number, Stroke] {
  return [nth, { kind: 'kill', moment }];
}
