import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SeedAlias, SeedRule } from '../../src/emulator/account/seed.ts';
import { openStore } from '../service/fleet/support/fleet.ts';
import type { TestDatabases } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { IS_FULL, SEED } from './support/explore.ts';
import type { FleetScenario } from './support/fleet/fleet-world.ts';
import type { Misfortune } from './support/fleet/machine.ts';
import { simulateFleet, type FleetScript } from './support/fleet/simulate-fleet.ts';

// Workers in virtual time over a real store, whose leases expire by virtual time. One worker has a fault at each point of its run, which
// is each request and each use of the database; another takes over, and the first goes on.

const MISFORTUNES: readonly Misfortune[] = ['pause', 'kill', 'partition', 'silence'];
/** Without SIMULATION=full, one of this many trials runs; each seed selects others. */
const SHARE = IS_FULL ? 1 : 181;
const HOUR_MS = 3_600_000;
const QUIET: FleetScript = {
  fate: null,
  publishedAt: 'after',
  healedAt: 'after',
  skewMs: 0,
  beats: true,
  seed: SEED,
};

const SCENARIOS: readonly FleetScenario[] = [
  {
    name: 'an alias that goes, and one that comes back',
    state: { aliases: [alias('info', 'ana'), alias('old', 'ana'), alias('desk', 'ben')] },
    revisions: [
      manifest('{ info: ana@corp.example, sales: carol@corp.example, desk: ben@corp.example }'),
      manifest('{ info: ana@corp.example, sales: eve@corp.example, old: ana@corp.example }'),
    ],
  },
  {
    name: 'names that move under a catch-all',
    state: { aliases: [alias('*', 'all'), alias('info', 'ana'), alias('sales-2025', 'carol')] },
    revisions: [
      manifest('{ "*": all@corp.example, info: ben@corp.example, sales-2026: carol@corp.example }'),
      manifest('{ "*": ana@corp.example, info: ben@corp.example, sales-2027: carol@corp.example }'),
    ],
  },
  {
    name: 'rules that change places, and one that goes',
    state: {
      routing_engine: 'rules',
      rules: [rule('jobs', 'hr'), rule('press', 'ana'), rule('old', 'ana')],
    },
    revisions: [
      ruled(
        '{ name: press, alias: press, forward: eve@corp.example }, { name: jobs, alias: jobs, forward: hr@corp.example }',
      ),
      ruled(
        '{ name: jobs, alias: jobs, forward: ben@corp.example }, { name: news, alias: news, forward: ana@corp.example }, { name: press, alias: press, forward: eve@corp.example }',
      ),
    ],
  },
];

let server: TestDatabases;
const count = { simulations: 0, writes: 0 };

beforeAll(async () => {
  server = await sharedPostgres();
});

afterAll(() => {
  console.info(
    `fleet: ${count.simulations} simulations of ${SCENARIOS.length} scenarios, ${count.writes} writes, seed ${SEED}`,
  );
});

describe.each(SCENARIOS)('$name', (scenario) => {
  test('survives what befalls a worker at any point', { timeout: 7_200_000 }, async () => {
    const database = await openStore(await server.createDatabase());
    const faultless = await simulateFleet(scenario, QUIET, { database, faultless: null });
    expect(faultless.breaches).toEqual([]);
    expect(faultless.writes).toBeGreaterThan(3);
    const failures: string[] = [];
    for (const script of trials(faultless.points)) {
      const { breaches, writes } = await simulateFleet(scenario, script, { database, faultless });
      count.simulations += 1;
      count.writes += writes;
      if (breaches.length > 0) failures.push(`${JSON.stringify(script)}:\n  ${breaches.join('\n  ')}`);
    }
    expect(failures.slice(0, 5).join('\n'), `${failures.length} of them`).toBe('');
  });
});

function* trials(points: number): Generator<FleetScript> {
  let trial = 0;
  for (let at = 1; at <= points; at += 1) {
    for (const [kind, what] of MISFORTUNES.entries()) {
      trial += 1;
      if ((trial + SEED) % SHARE !== 0) continue;
      yield {
        fate: { at, what },
        publishedAt: (at + kind + SEED) % 2 === 0 ? 'struck' : 'after',
        healedAt: (['after', 20, 50] as const)[trial % 3] ?? 'after',
        skewMs: ([0, HOUR_MS, -HOUR_MS] as const)[(trial >> 2) % 3] ?? 0,
        beats: trial % 5 !== 0,
        seed: SEED + trial,
      };
    }
  }
}

function alias(name: string, person: string): SeedAlias {
  return { alias: name, forward: `${person}@corp.example` };
}

function rule(name: string, person: string): SeedRule {
  return { type: 'alias', config: { alias: name, forward: `${person}@corp.example` } };
}

function ruled(rules: string): string {
  return `domains: { acme.example: { prune: { rules: true }, rules: [${rules}] } }`;
}

function manifest(aliases: string): string {
  return `domains: { acme.example: { prune: { aliases: true }, aliases: ${aliases} } }`;
}
