import { describe, expect, test } from 'vitest';
import { describe as tell } from './support/judge.ts';
import { scenarioOf, type Flags, type Scenario } from './support/scenario.ts';
import { simulate, type Simulation } from './support/simulate.ts';

// A manifest that suddenly has fewer entries; the file may have been cut off.

const ALL = Array.from({ length: 40 }, (_, index) => `n${String(index).padStart(2, '0')}`);

function manifestOf(names: readonly string[]): string {
  const entries = names.map((name) => `      ${name}: a@corp.example`);
  // Turns the other guards off.
  return `guards: { max_deletes: 1000, max_delete_percent: 100 }\ndomains:\n  acme.example:\n    prune: true\n    aliases:\n${entries.join('\n')}`;
}

/** Number of entries in the manifest that was applied first, and in the one that is applied now. */
function shrinking(before: number, now: number, flags: Flags = {}): Scenario {
  return scenarioOf(
    `from ${before} to ${now}`,
    manifestOf(ALL.slice(0, now)),
    { domains: [{ domain: 'acme.example' }] },
    {
      before: [manifestOf(ALL.slice(0, before))],
      flags,
    },
  );
}

function firstEnding({ endings }: Simulation): string {
  return endings[0] === undefined ? 'none' : tell(endings[0]);
}

function deletes({ exchanges }: Simulation): number {
  return exchanges.filter(({ method }) => method === 'DELETE').length;
}

describe('a fall of more than a tenth, and of three at least', () => {
  test.each([
    [20, 19, 'under'],
    [20, 18, 'at'],
    [20, 17, 'over'],
    [30, 28, 'under'],
    [30, 27, 'at'],
    [30, 26, 'over'],
    [40, 37, 'under'],
    [40, 36, 'at'],
    [40, 35, 'over'],
    [5, 3, 'at'],
    [5, 2, 'over'],
  ] as const)('from %i entries to %i is %s the limit', async (before, now, place) => {
    const simulation = await simulate(shrinking(before, now), { strokes: new Map() });
    expect(firstEnding(simulation)).toMatch(
      place === 'over' ? /^refused \(manifest-shrink: / : /^converged$/,
    );
    expect(deletes(simulation) > 0).toBe(place !== 'over');
  });
});

test('it stays refused as often as it is run, for nothing was applied', async () => {
  const { endings, exchanges } = await simulate(shrinking(20, 10), { strokes: new Map(), idleRuns: 5 });
  expect(endings.map(tell).every((ending) => ending.startsWith('refused (manifest-shrink'))).toBe(true);
  expect(exchanges.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('with refused parts withheld it stays so too', async () => {
  const scenario = shrinking(20, 10, { skipRefused: true });
  const { end, exchanges } = await simulate(scenario, { strokes: new Map(), idleRuns: 5 });
  expect(end.domains[0]?.aliases).toHaveLength(20);
  expect(exchanges.filter(({ method }) => method === 'DELETE')).toEqual([]);
});

test.each([9, 10, 11])('it is allowed by the exact number of deletes: %i of 10', async (allowDeletes) => {
  const scenario = shrinking(20, 10);
  // The simulation would give the flags again, so only the first run counts.
  const simulation = await simulate({ ...scenario, flags: { allowDeletes } }, { strokes: new Map() });
  expect(firstEnding(simulation)).toMatch(allowDeletes === 10 ? /^converged$/ : /^refused/);
});

test('the path of its files does not tell a manifest from another', async () => {
  const { desired, ...scenario } = shrinking(20, 10);
  const moved = { ...desired, files: ['/elsewhere/fwdsync.yaml'] };
  const simulation = await simulate({ ...scenario, desired: moved }, { strokes: new Map() });
  expect(firstEnding(simulation)).toMatch(/^refused \(manifest-shrink: /);
  expect(simulation.end.domains[0]?.aliases).toHaveLength(20);
});

test('a snapshot is another manifest: undoing is held back by no comparison, and what was applied stays known', async () => {
  const absent = ALL.slice(10, 20).map((name) => `      ${name}: { state: absent }`);
  const guards = 'guards: { max_deletes: 1000, max_delete_percent: 100 }';
  const snapshot = `${guards}\ndomains:\n  acme.example:\n    aliases:\n${absent.join('\n')}`;
  const seed = { domains: [{ domain: 'acme.example' }] };
  const before = manifestOf(ALL.slice(0, 20));
  const undone = scenarioOf('undone', snapshot, seed, { before: [before] });
  const simulation = await simulate(undone, { strokes: new Map() });
  expect(firstEnding(simulation)).toBe('converged');
  expect(simulation.end.domains[0]?.aliases).toHaveLength(10);
  const cut = scenarioOf('cut', manifestOf(ALL.slice(0, 5)), seed, { before: [before, snapshot] });
  expect(firstEnding(await simulate(cut, { strokes: new Map() }))).toMatch(/^refused \(manifest-shrink: /);
});

test('a killed run leaves the size that was applied, and with it the guard', async () => {
  const scenario = shrinking(20, 10, { allowDeletes: 10 });
  const whole = await simulate(scenario, { strokes: new Map() });
  const nth = whole.exchanges.findIndex(({ method }) => method === 'DELETE') + 1;
  const kill = { kind: 'kill', moment: 'during' } as const;
  const { endings, end } = await simulate(scenario, { strokes: new Map([[nth, kill]]) });
  expect(tell(endings[1] ?? { kind: 'hung' })).toMatch(/^refused \(manifest-shrink: /);
  expect(end.domains[0]?.aliases).toHaveLength(10);
});
