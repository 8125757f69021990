import { describe, test } from 'vitest';
import { createExplorer, everyNth, IS_FULL, SEED, seededScenarios, type Trial } from './support/explore.ts';
import { KINDS, MISHAPS } from './support/faults.ts';
import { randomOf } from './support/world.ts';
import type { Simulation } from './support/simulate.ts';
import type { Exchange, Stroke } from './support/wire.ts';

// Every kind of fault at every request of every golden case. Without SIMULATION=full, the seed selects a share of them.

const { faultless, explore } = createExplorer('faults');
/** Percentage of the trials that run without SIMULATION=full. */
const EVERYDAY_PERCENT = 1;

describe.each(everyNth(2, seededScenarios()))('$name', (scenario) => {
  test('survives any fault at any request', { timeout: 3_600_000 }, async () => {
    const whole = await faultless(scenario);
    await explore(scenario, whole, share(faultsOf(whole), scenario.name));
  });
});

function* faultsOf({ exchanges }: Simulation): Generator<Trial> {
  const first = exchanges.filter(({ process }) => process === exchanges[0]?.process);
  for (const [index, exchange] of first.entries()) {
    for (const kind of KINDS) {
      if (!concerns(kind, exchange)) continue;
      const stroke: Stroke = { kind: 'mishap', mishap: MISHAPS[kind] ?? [] };
      yield { about: `${kind} at request ${index + 1}`, script: { strokes: new Map([[index + 1, stroke]]) } };
    }
  }
}

/** True if the fault can change this exchange: faults of lists and batches change no other answers. */
function concerns(kind: string, { method, path }: Exchange): boolean {
  if (kind.startsWith('listing: ')) return method === 'GET' && path !== '/account';
  if (kind.startsWith('lie: ') || kind.includes('refused')) return path.endsWith('/batch');
  return true;
}

/** Selects a share by the seed and the name, so that a case that runs alone selects the same. */
function share(trials: Iterable<Trial>, name: string): readonly Trial[] {
  const all = [...trials];
  if (IS_FULL) return all;
  const random = randomOf(SEED * 7919 + [...Buffer.from(name)].reduce((sum, byte) => sum * 31 + byte, 0));
  const drawn = all.filter(() => random() * 100 < EVERYDAY_PERCENT);
  return drawn.map((trial) => ({ ...trial, script: { ...trial.script, seed: Math.floor(random() * 1e6) } }));
}
