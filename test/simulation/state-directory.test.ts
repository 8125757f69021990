import { describe, expect, test } from 'vitest';
import { createExplorer, everyNth, goldenScenarios, IS_FULL, SEED, type Trial } from './support/explore.ts';
import { judge } from './support/judge.ts';
import { simulate, type Simulation } from './support/simulate.ts';
import type { DiskStroke } from './support/world.ts';

// Every fault of the state directory, at every operation on it. The directory is an aid; the account is the truth.

const { faultless, explore } = createExplorer('state directory');
const CASES = [
  'manifest-shrink',
  'alias-renamed',
  'drift-put-right',
  'adopted-rule-edited-later',
  'credentials',
];
/** Scenarios in which kept state decides what a run does: the adopted rule, the size of the manifest. A kill must not change that. */
const BY_MEMORY = ['manifest-shrink on v4', 'adopted-rule-edited-later on v4'];
const STROKES: readonly DiskStroke[] = [
  'ENOSPC',
  'EROFS',
  'EACCES',
  'EIO',
  'kill',
  'vanish',
  'short',
  'full',
];
const scenarios = goldenScenarios(['v4']).filter(({ name }) => CASES.includes(name.replace(' on v4', '')));

async function countOperations(whole: Simulation): Promise<number> {
  let most = 0;
  const disk = (nth: number): null => {
    most = Math.max(most, nth);
    return null;
  };
  await simulate(whole.scenario, { strokes: new Map(), disk });
  return most;
}

describe.each(everyNth(2, scenarios))('$name', (scenario) => {
  test('survives a failure, a kill and a loss at every operation', { timeout: 600_000 }, async () => {
    const whole = await faultless(scenario);
    const operations = await countOperations(whole);
    expect(operations).toBeGreaterThan(10);
    await explore(
      scenario,
      whole,
      trials(operations, BY_MEMORY.includes(scenario.name) ? ['kill'] : STROKES),
    );
  });
});

/** Every sixth scenario, which covers each case and each row. */
const inEachCase = <T extends string>(rows: readonly T[]) =>
  everyNth(
    6,
    scenarios.flatMap((scenario) => rows.map((row) => [scenario.name, row, scenario] as const)),
  );

test.each(inEachCase(['ENOSPC', 'EROFS', 'EACCES', 'EIO', 'short']))(
  '%s: with %s throughout, nothing is written',
  async (_, stroke, scenario) => {
    const { exchanges, endings } = await simulate(scenario, { strokes: new Map(), disk: () => stroke });
    expect(exchanges.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(endings.every(({ kind }) => kind === 'ended')).toBe(true);
  },
);

const DAMAGES = {
  empty: () => '',
  'half written': (text: string) => text.slice(0, text.length / 2),
  'of another version': (text: string) => text.replaceAll(/@\d+/g, '@99'),
  'somebody else’s': () => '{"kind": "else", "domains": {"__proto__": null}}',
  noise: () => '\0\u{1f4a9}\ufffd'.repeat(100),
};

test.each(inEachCase(Object.keys(DAMAGES) as readonly (keyof typeof DAMAGES)[]))(
  '%s: survives files that are %s',
  async (_, how, scenario) => {
    const whole = await faultless(scenario);
    const damage = (files: Map<string, Buffer>): void => {
      for (const [name, content] of files) files.set(name, Buffer.from(DAMAGES[how](content.toString())));
    };
    const simulation = await simulate(scenario, { strokes: new Map(), damage });
    expect(judge(simulation, BY_MEMORY.includes(scenario.name) ? simulation : whole)).toEqual([]);
  },
);

/** Yields each fault at each operation. Without SIMULATION=full: one fault at every 60th operation, in turn. */
function* trials(operations: number, strokes: readonly DiskStroke[]): Generator<Trial> {
  for (let at = 1; at <= operations; at += 1) {
    for (const [index, stroke] of strokes.entries()) {
      if (!IS_FULL && (at + 60 * index) % (60 * strokes.length) !== SEED % 60) continue;
      const disk = (nth: number): DiskStroke | null => (nth === at ? stroke : null);
      yield { about: `${stroke} at disk operation ${at}`, script: { strokes: new Map(), disk } };
    }
  }
}
