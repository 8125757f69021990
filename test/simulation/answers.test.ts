import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NAUGHTY } from '../hostile/support/corpora.ts';
import { createExplorer, goldenScenarios, IS_FULL, SEED } from './support/explore.ts';
import { simulate } from './support/simulate.ts';
import type { Stroke } from './support/wire.ts';

// Random answers of the API: the client neither crashes nor hangs, and an answer without sense never leads to a write.

const { faultless, explore } = createExplorer('answers');
const RUNS = IS_FULL ? 5_000 : 4;
const CASES = [
  'aliases-of-all-kinds on v4',
  'rules-of-all-kinds on v4',
  'credentials on v3',
  'tombstone on v3',
];
const scenarios = goldenScenarios(['v4', 'v3']).filter(({ name }) => CASES.includes(name));

const status = fc.constantFrom(200, 200, 200, 201, 204, 207, 299, 302, 400, 404, 418, 500);
const text = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom(...NAUGHTY),
  fc.constantFrom(
    '[]',
    '0',
    '""',
    '{"aliases":{}}',
    '{"__proto__":{"polluted":1}}',
    '['.repeat(100_000),
    '\ufeff{}',
  ),
);

/** Status and text that replace the emulator's. */
function answer(code: number, body: string): Stroke {
  return { kind: 'mishap', mishap: [{ kind: 'status', code, body, when: 'after' }] };
}

test.each(scenarios)(
  '$name: readings that make no sense lead to no write',
  { timeout: 3_600_000 },
  async (scenario) => {
    const whole = await faultless(scenario);
    const firstWrite = whole.exchanges.findIndex(({ method }) => method !== 'GET') + 1;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: firstWrite - 1 }), status, text, async (nth, code, body) => {
        // Replaces all answers from the nth request on.
        const strokes = new Map(Array.from({ length: 60 }, (_, index) => [nth + index, answer(code, body)]));
        const { endings, end, start } = await simulate(
          { ...scenario, flags: { ...scenario.flags } },
          { strokes, seed: SEED },
        );
        expect(endings[0]?.kind).toBe('ended');
        expect(endings[0]).toMatchObject({ writes: 0 });
        if (endings.length === 1) expect(end).toEqual(start);
      }),
      { numRuns: Math.ceil(RUNS / 3), seed: SEED },
    );
  },
);

test.each(scenarios)(
  '$name: any answer to any one request is got over',
  { timeout: 3_600_000 },
  async (scenario) => {
    const whole = await faultless(scenario);
    const random = fc.sample(fc.tuple(fc.nat(), status, text), { numRuns: RUNS, seed: SEED });
    await explore(
      scenario,
      whole,
      random.map(([position, code, body]) => {
        const nth = 1 + (position % whole.exchanges.length);
        return {
          about: `${code} ${JSON.stringify(body.slice(0, 80))} to request ${nth}`,
          script: { strokes: new Map([[nth, answer(code, body)]]) },
        };
      }),
    );
  },
);
