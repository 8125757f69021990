import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { readCases, type Version } from '../../golden/support/case.ts';
import { takeEveryNth } from '../../support/share.ts';
import { judge } from './judge.ts';
import { scenarioOfCase, type Scenario } from './scenario.ts';
import { simulate, type Simulation } from './simulate.ts';
import type { Script } from './world.ts';

/** `SIMULATION=full` runs everything; otherwise a share that depends on SIMULATION_SEED. */
export const IS_FULL = process.env['SIMULATION'] === 'full';
export const SEED = Number(process.env['SIMULATION_SEED'] ?? 1);

const PATH = process.env['SIMULATION_PATH'];

/** Draws random worlds. SIMULATION_PATH, which a failure prints, begins with a world other than the first. */
export const DRAWN = { seed: SEED, ...(PATH === undefined ? {} : { path: PATH, endOnFailure: true }) };

/** The golden cases, on one generation of the API or both. */
export function goldenScenarios(versions: readonly Version[]): readonly Scenario[] {
  return readCases(join(import.meta.dirname, '../../golden')).flatMap((golden) =>
    versions.flatMap((version) => scenarioOfCase(golden, version) ?? []),
  );
}

/** All golden cases on both generations; without SIMULATION=full, every tenth one on v4. */
export function seededScenarios(): readonly Scenario[] {
  return everyNth(10, goldenScenarios(IS_FULL ? ['v4', 'v3'] : ['v4']));
}

/** Returns all cases, or every n-th of them. */
export function everyNth<T>(nth: number, all: readonly T[]): readonly T[] {
  return IS_FULL ? all : takeEveryNth(nth, all, SEED);
}

/** A trial, and its name if it fails. */
export interface Trial {
  readonly about: string;
  readonly script: Script;
}

export interface Explorer {
  /** Simulates the scenario without faults. */
  readonly faultless: (scenario: Scenario) => Promise<Simulation>;
  /** Simulates each trial and expects that it breaks no promise. */
  readonly explore: (scenario: Scenario, faultless: Simulation, trials: Iterable<Trial>) => Promise<void>;
}

const MOST_SHOWN = 5;

/** Counts the simulations and prints the counts at the end of the file. */
export function createExplorer(title: string): Explorer {
  const count = { scenarios: 0, simulations: 0, strokes: 0, runs: 0, requests: 0 };
  afterAll(() => {
    console.info(
      `${title}: ${count.simulations} simulations of ${count.scenarios} scenarios, ${count.strokes} faults and kills, ` +
        `${count.runs} runs, ${count.requests} requests, seed ${SEED}`,
    );
  });
  const note = (simulation: Simulation): void => {
    count.runs += simulation.endings.length;
    count.requests += simulation.exchanges.length;
  };
  return {
    async faultless(scenario) {
      const simulation = await simulate(scenario, { strokes: new Map(), seed: SEED });
      count.scenarios += 1;
      note(simulation);
      return simulation;
    },
    async explore(scenario, faultless, trials) {
      const failures: string[] = [];
      for (const { about, script } of trials) {
        const simulation = await simulate(scenario, { seed: SEED, ...script });
        count.simulations += 1;
        count.strokes +=
          script.strokes.size + (script.faults?.length ?? 0) + (script.disk === undefined ? 0 : 1);
        note(simulation);
        const breaches = judge(simulation, faultless);
        if (breaches.length > 0) {
          failures.push(
            `${scenario.name}, ${about}, seed ${script.seed ?? SEED}:\n  ${breaches.slice(0, MOST_SHOWN).join('\n  ')}`,
          );
        }
      }
      expect(failures.slice(0, MOST_SHOWN).join('\n'), `${failures.length} of them`).toBe('');
    },
  };
}
