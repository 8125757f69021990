import { afterAll, describe, expect, test } from 'vitest';
import type { Dump } from '../../src/emulator/account/dump.ts';
import type { EditRequest, Fault } from '../../src/emulator/faults/faults.ts';
import type { Switches } from '../../src/emulator/account/switches.ts';
import { everyNth, IS_FULL, SEED } from './support/explore.ts';
import { describe as describeEnding } from './support/judge.ts';
import { shortfalls } from './support/satisfaction.ts';
import { loadText, scenarioOf, type Scenario } from './support/scenario.ts';
import { simulate, type Simulation } from './support/simulate.ts';
import { randomOf, type Script } from './support/world.ts';

// Services that accept values without keeping them, or show them late; users who edit the account afterwards; rules that vanish.

const EVERYDAY_PERCENT = 3;
const RULE = '00000000-0000-4000-8000-000000000001';
const random = randomOf(SEED);
const count = { simulations: 0, runs: 0, requests: 0 };
afterAll(() =>
  console.info(
    `not kept: ${count.simulations} simulations, ${count.runs} runs, ${count.requests} requests, seed ${SEED}`,
  ),
);

const body = (sales: string): string => `guards: { max_deletes: 1000, max_delete_percent: 100 }
domains:
  acme.example:
    prune: true
    aliases: { sales: [${sales}, Ana@corp.example], info: a@corp.example }
    rules:
      - { name: first, alias: first, forward: F@corp.example }
      - { id: ${RULE}, name: vip, alias: vip, forward: ${sales} }
      - { name: last, alias: "*", forward: l@corp.example }`;
const MANIFEST = body('Sales.Team@corp.example');
const ACCOUNT = {
  domains: [
    {
      domain: 'acme.example',
      routing_engine: 'rules',
      aliases: [
        { id: 1, alias: 'sales', forward: 'old@corp.example' },
        { id: 2, alias: 'gone', forward: 'x@corp.example' },
      ],
      rules: [{ id: RULE, type: 'alias', config: { alias: 'vip', forward: 'old@corp.example' }, rank: 1 }],
    },
  ],
} as const;

const at = (method: string, path: string, sent?: object): EditRequest => ({
  method,
  path: `/v4/domains/acme.example/${path}`,
  ...(sent === undefined ? {} : { body: sent as never }),
});
const EDITS: Readonly<Record<string, readonly EditRequest[]>> = {
  nothing: [],
  'an alias pointed elsewhere': [at('PUT', 'aliases/1', { forward: 'eve@elsewhere.example' })],
  'an alias put back as it was': [at('PUT', 'aliases/1', { forward: 'old@corp.example' })],
  'an alias deleted': [at('DELETE', 'aliases/1')],
  'a rule pointed elsewhere': [
    at('PUT', `rules/${RULE}`, { config: { alias: 'vip', forward: 'eve@elsewhere.example' } }),
  ],
  'a rule switched off': [
    at('PUT', `rules/${RULE}`, { config: { alias: 'vip', forward: 'x@corp.example' }, active: false }),
  ],
  'a rule deleted': [at('DELETE', `rules/${RULE}`)],
  'an alias added': [at('POST', 'aliases', { alias: 'by-hand', forward: 'eve@elsewhere.example' })],
};
const ECHOES = ['as-sent', 'compact', 'spaced', 'reversed', 'lower-case'] as const;
const LAGS = [0, 1, 2, 3];
const DIGITS = [0, 1, 'all'] as const;

describe.each(Object.entries(EDITS))('%s', (_, edits) => {
  test.each(ECHOES)('a service that keeps forwards %s', { timeout: 600_000 }, async (forwardEcho) => {
    for (const listingLag of LAGS) {
      for (const rankDigits of DIGITS) {
        if (!IS_FULL && random() * 100 >= EVERYDAY_PERCENT) continue;
        const switches: Partial<Switches> = { forwardEcho, listingLag, rankDigits };
        const scenario = scenarioOf('kept otherwise', MANIFEST, ACCOUNT, {
          emulator: { state: ACCOUNT, switches },
          before: [MANIFEST],
          edits,
        });
        // A run that needs fewer reads than the service is late by sees no difference, so it has nothing to do.
        const simulation = await counted(scenario, {
          strokes: new Map(),
          seed: SEED,
          idleRuns: 1 + listingLag,
        });
        // Only the letter case differs, and a late listing shows the earlier value. No run may hide this.
        const isToldEachTime = forwardEcho === 'lower-case' && listingLag > 0;
        if (isToldEachTime && outcomesOf(simulation).every((ending) => ending.includes('not kept'))) continue;
        expectInPlace(simulation, `lag ${listingLag}, ${rankDigits} digits`);
      }
    }
  });
});

test.each(everyNth(3, [1, 2, 3, 4, 5, 6, 7, 8]))(
  'a rule that takes the place of another and vanishes before read %i of the rules',
  { timeout: 600_000 },
  async (nth) => {
    const before = MANIFEST.replace(`id: ${RULE}, name: vip, alias: vip`, 'name: vip, alias: vip');
    const manifest = before.replace(
      'name: vip, alias: vip',
      'name: vip, regex: "vip.*", scopes: [recipient]',
    );
    const vanish: Fault = {
      match: { method: 'GET', path: '/rules', nth },
      do: {
        kind: 'edit',
        run: ({ state }) => {
          const domain = state.domains.get('acme.example');
          const made = [...(domain?.rules.values() ?? [])].find(({ config }) => config.type === 'regex');
          if (domain !== undefined && made !== undefined) domain.rules.remove(made);
        },
      },
    };
    const scenario = scenarioOf('a rule vanishes', manifest, ACCOUNT, { before: [before] });
    const simulation = await counted(scenario, { strokes: new Map(), seed: SEED, faults: [vanish] });
    expectInPlace(simulation, `read ${nth}`);
    expect(simulation.hasty).toEqual([]);
  },
);

async function counted(scenario: Scenario, script: Script): Promise<Simulation> {
  const simulation = await simulate(scenario, script);
  count.simulations += 1;
  count.runs += simulation.endings.length;
  count.requests += simulation.exchanges.length;
  return simulation;
}

function outcomesOf(simulation: Simulation): readonly string[] {
  return simulation.endings.map(describeEnding);
}

/** Compares addresses without letter case, because services keep it differently. */
function expectInPlace(simulation: Simulation, about: string): void {
  const { end, scenario } = simulation;
  const told = outcomesOf(simulation);
  const lowered = JSON.parse(JSON.stringify(end).toLowerCase()) as Dump;
  const text = scenario.name === 'kept otherwise' ? MANIFEST.toLowerCase() : null;
  const desired = text === null ? scenario.desired : loadText(text, scenario.version, scenario.env);
  expect(shortfalls(text === null ? end : lowered, desired), `${about}: ${told.join('; ')}`).toEqual([]);
  expect(told.at(-1), about).toBe('unchanged');
}
