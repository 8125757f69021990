import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { accountEntryKey } from '../../src/core/kinds/item-key.ts';
import type { DomainName } from '../../src/core/model/names.ts';
import { openStateDirectory } from '../../src/engine/state/directory.ts';
import { blame } from '../../src/engine/state/history/blame.ts';
import { readRuns } from '../../src/engine/state/history/recorded.ts';
import type { HistoryStore } from '../../src/engine/state/store.ts';
import { IS_FULL, SEED } from './support/explore.ts';
import { live, runName } from './support/life.ts';
import { clockOf, processTable } from './support/process.ts';
import { loadText, scenarioOf, type Scenario } from './support/scenario.ts';
import { openWorld, type World } from './support/world.ts';

// Machines whose clocks differ share one state directory. The oracle knows the true order of their writes; history, blame and undo
// must show this order.

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const DOMAIN = 'acme.example' as DomainName;
const NAMES = ['a', 'b', 'c'] as const;
const SEQUENCES = IS_FULL ? 1_000 : 8;

const count = { sequences: 0, runs: 0, midnights: 0, restored: 0, kept: 0 };
afterAll(() => console.info(`clocks: ${JSON.stringify(count)}, seed ${SEED}`));

type Values = Readonly<Record<string, string>>;

const skew = fc.oneof(
  fc.constantFrom(0, 10 * MINUTE, -10 * MINUTE, DAY, -DAY),
  fc.integer({ min: -20 * MINUTE, max: 20 * MINUTE }),
);
const values = fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom('x', 'y', 'z'), { minKeys: 1 });
/** Runs: the error of the machine's clock, the manifest, and the time until the next run. */
const steps = fc.array(
  fc.record({ skewMs: skew, pauseMs: fc.integer({ min: 1, max: 8 * MINUTE }), wanted: values }),
  { minLength: 2, maxLength: 6 },
);
const sequence = fc.record({
  steps,
  /** True time of the first run, counted from midnight. */
  beginMs: fc.integer({ min: -15 * MINUTE, max: 5 * MINUTE }),
  undone: fc.nat(),
  undoSkewMs: skew,
});

/** Changes that a run really made. */
interface TrueRun {
  readonly run: string;
  readonly before: Values;
  readonly after: Values;
}

function changedBy({ before, after }: TrueRun): readonly string[] {
  return NAMES.filter((name) => before[name] !== after[name]);
}

function valuesIn({ core }: World): Values {
  const aliases = core.store.dump().domains[0]?.aliases ?? [];
  return Object.fromEntries(aliases.map(({ alias, forward }) => [alias, forward]));
}

function manifestOf(wanted: Values): string {
  const aliases = Object.entries(wanted).map(([name, value]) => `${name}: ${value}@corp.example`);
  return `domains: { ${DOMAIN}: { aliases: { ${aliases.join(', ')} } } }`;
}

function historyIn(world: World): HistoryStore {
  const process = { id: 1_000_000, isAlive: true };
  return openStateDirectory({
    directory: '/state',
    account: world.core.store.dump().account.email,
    apiUrl: 'https://api.simulated.example/v4',
    fs: world.disk.fs,
    clock: clockOf(process, { clock: world.clock, skewMs: () => 0 }),
    processes: processTable(process, world.clock),
  }).history;
}

/** Runs on a machine with this clock error; null means that the run wrote nothing. */
async function runOn(world: World, scenario: Scenario, skewMs: number): Promise<TrueRun | null> {
  const before = valuesIn(world);
  world.skewMs = skewMs;
  const ending = await live(world, scenario, { allowReroutes: 100 });
  expect(ending).toMatchObject({ kind: 'ended', once: { kind: 'applied' } });
  count.runs += 1;
  const written = { run: runName(world.processes), before, after: valuesIn(world) };
  return changedBy(written).length === 0 ? null : written;
}

async function assertOrder(world: World, written: readonly TrueRun[]): Promise<void> {
  const history = historyIn(world);
  const found = await Array.fromAsync(readRuns(history), ({ start }) => start.run);
  expect(found).toEqual(written.map(({ run }) => run).toReversed());
  for (const name of NAMES) {
    const { entries } = await blame(history, {
      domain: DOMAIN,
      keys: [accountEntryKey(DOMAIN, 'alias', name)],
    });
    const own = written.filter((run) => changedBy(run).includes(name)).map(({ run }) => run);
    expect([name, entries.map(({ entry }) => entry.run)]).toEqual([name, own.toReversed()]);
  }
}

test(
  'history, blame and undo go by the order of writing, whatever the clocks say',
  { timeout: 3_600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async ({ steps, beginMs, undone, undoSkewMs }) => {
        count.sequences += 1;
        const aliases = NAMES.map((alias) => ({ alias, forward: 'start@corp.example' }));
        const state = { domains: [{ domain: DOMAIN, aliases }] };
        const scenario = scenarioOf('machines', manifestOf({ a: 'x' }), state);
        const world = openWorld(scenario, { strokes: new Map() });
        const base = DAY - (world.clock.now() % DAY) + beginMs;
        const written: TrueRun[] = [];
        for (const { skewMs, pauseMs, wanted } of steps) {
          const desired = loadText(manifestOf(wanted), 'v4', {});
          const run = await runOn(world, { ...scenario, desired }, base + skewMs);
          if (run !== null) written.push(run);
          await world.clock.pass(pauseMs);
        }
        await assertOrder(world, written);
        const index = undone % Math.max(1, written.length);
        const target = written[index];
        if (target === undefined) return;
        const before = valuesIn(world);
        const later = new Set(written.slice(index + 1).flatMap(changedBy));
        const back = changedBy(target).filter((name) => !later.has(name));
        count.restored += back.length;
        count.kept += changedBy(target).length - back.length;
        const undo = await runOn(world, { ...scenario, undoes: target.run }, base + undoSkewMs);
        const restored = Object.fromEntries(back.map((name) => [name, target.before[name]]));
        expect(valuesIn(world)).toEqual({ ...before, ...restored });
        await assertOrder(world, undo === null ? written : [...written, undo]);
        count.midnights +=
          new Set([...world.disk.files.keys()].filter((path) => path.endsWith('.jsonl'))).size - 1;
      }),
      { numRuns: SEQUENCES, seed: SEED, endOnFailure: !IS_FULL },
    );
  },
);
