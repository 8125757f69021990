import { describe, test } from 'vitest';
import { createExplorer, goldenScenarios, IS_FULL, SEED, type Trial } from './support/explore.ts';
import { MISHAPS } from './support/faults.ts';
import { randomOf } from './support/world.ts';
import type { Simulation } from './support/simulate.ts';
import type { Stroke } from './support/wire.ts';

// Two and three faults in a row, beginning with the first write, of all kinds and in all orders.

const { faultless, explore } = createExplorer('sequences');
const CASES = [
  'aliases-of-all-kinds on v4',
  'rules-of-all-kinds on v4',
  'new-domain-with-everything on v4',
  'tombstone on v4',
];
const EVERYDAY_PERCENT = 0.1;

/** One fault of each sort. Faults of the same sort have the same effect on the client. */
const STROKES: Readonly<Record<string, Stroke>> = {
  killed: { kind: 'kill', moment: 'after' },
  ...Object.fromEntries(
    [
      'dropped before',
      'dropped after',
      'silent after',
      'processed late',
      '500 after',
      '429 with seconds',
      '400',
      '401',
      '404',
      'truncated',
      'empty object',
      'listing: item missing',
      'listing: empty',
      'lie: in-both',
    ].map((kind) => [kind, { kind: 'mishap', mishap: MISHAPS[kind] ?? [] }]),
  ),
};

describe.each(goldenScenarios(['v4']).filter(({ name }) => CASES.includes(name)))('$name', (scenario) => {
  test('survives faults in a row', { timeout: 3_600_000 }, async () => {
    const whole = await faultless(scenario);
    const random = randomOf(SEED);
    const all = [...sequences(whole)];
    await explore(scenario, whole, IS_FULL ? all : all.filter(() => random() * 100 < EVERYDAY_PERCENT));
  });
});

function* sequences({ exchanges }: Simulation): Generator<Trial> {
  const first = exchanges.findIndex(({ method }) => method !== 'GET') + 1;
  const kinds = Object.keys(STROKES);
  for (const one of kinds) {
    for (const two of kinds) {
      for (const three of [null, ...kinds]) {
        const row = three === null ? [one, two] : [one, two, three];
        const strokes = new Map(row.map((kind, index) => [first + index, STROKES[kind] as Stroke]));
        yield { about: row.join(', then '), script: { strokes } };
      }
    }
  }
}
