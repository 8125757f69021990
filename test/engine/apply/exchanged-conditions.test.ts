import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SeedRule } from '../../../src/emulator/account/seed.ts';
import { routingBreaches, lookAtRoutes, type Moment } from '../../simulation/support/routing-oracle.ts';
import { everyNth, PROVE_SEED, runs } from '../../support/share.ts';
import { openScene, type Scene } from './support/harness.ts';
import { domainOf, mailTo, replay, strayRoutes } from './support/replay.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const MAILS = [...NAMES, 'a+x', 'b+x'].map((name) => mailTo(`${name}@acme.example`, name));

/** Writes a rule's condition as the manifest and the API do. */
const TYPES = {
  alias: (name: string) => ({ alias: name }),
  pattern: (name: string) => ({ alias: `(${name}|${name}${name})` }),
  regex: (name: string) => ({ regex: `${name}(\\+x)?@acme\\.example`, scopes: ['recipient'] }),
  cel: (name: string) => ({ expression: `recipient.startsWith("${name}")` }),
};
type Type = keyof typeof TYPES;

interface Exchange {
  readonly type: Type;
  /** For each rule, the number of the condition that it takes over. */
  readonly takes: readonly number[];
  /** Rules that forward to another place afterwards. */
  readonly rerouted?: readonly number[];
}

function idOf(index: number): string {
  return `00000000-0000-4000-8000-00000000000${index}`;
}

function manifestOf({ type, takes, rerouted = [] }: Exchange): string {
  const rules = takes.map((taken, index) => {
    const forward = `${index}${rerouted.includes(index) ? '-new' : ''}@corp.example`;
    const condition = TYPES[type](NAMES[taken] ?? '');
    return `      - ${JSON.stringify({ id: idOf(index), name: `r${index}`, ...condition, forward })}`;
  });
  return `domains:\n  acme.example:\n    rules:\n${rules.join('\n')}`;
}

function sceneOf(exchange: Exchange, version: 'v4' | 'v3'): Promise<Scene> {
  const rules = exchange.takes.map((_, index) => ({
    id: idOf(index),
    type: exchange.type === 'pattern' ? 'alias' : exchange.type,
    config: { ...TYPES[exchange.type](NAMES[index] ?? ''), forward: `${index}@corp.example` },
    rank: index + 1,
  })) as readonly SeedRule[];
  const seed = { domains: [{ domain: 'acme.example', routing_engine: 'rules', rules }] } as const;
  return openScene({ manifest: manifestOf(exchange), seed, version });
}

/** Applies it, is killed before the n-th check for permission to write, and applies it again until it converges. */
async function strays(
  exchange: Exchange,
  version: 'v4' | 'v3',
  killedAt: number,
): Promise<{ readonly survived: boolean; readonly strays: readonly string[] }> {
  const scene = await sceneOf(exchange, version);
  const { store } = scene.account.emulator;
  const start = domainOf(store.dump(), 'acme.example');
  const probes = MAILS.map(({ to, from, subject }) => ({
    domain: 'acme.example',
    recipient: to,
    sender: from,
    subject,
    body: '',
  }));
  const moments: Moment[] = [];
  const look = (): void => void moments.push(lookAtRoutes(store.state, probes, `request ${moments.length}`));
  let seen = 0;
  const watched = (last: number) => (): Promise<null> => {
    look();
    seen += 1;
    return seen === last ? Promise.reject(new Error('killed')) : Promise.resolve(null);
  };
  const survived = await scene.attempt({ ports: { objection: watched(killedAt) } }).then(
    () => true,
    () => false,
  );
  const before = scene.account.writes();
  const { report, writes } = await scene.run({ ports: { objection: watched(Infinity) } });
  look();
  expect(report.outcome).toBe(writes.length === 0 ? 'unchanged' : 'converged');
  const items = replay(start, [...before, ...writes]);
  return {
    survived,
    strays: [...strayRoutes(items, MAILS, { otherRules: 'never' }), ...routingBreaches(moments, probes)],
  };
}

const CIRCLES = [
  { name: 'two', takes: [1, 0] },
  { name: 'three, forwards', takes: [1, 2, 0] },
  { name: 'three, backwards', takes: [2, 0, 1] },
  { name: 'two circles', takes: [1, 0, 3, 2] },
  { name: 'all but one with new destinations', takes: [1, 2, 0], rerouted: [0, 2] },
];

/** Every 13th case, which covers each version and each type. */
const EXCHANGES = (['v4', 'v3'] as const).flatMap((version) =>
  (Object.keys(TYPES) as readonly Type[]).flatMap((type) =>
    CIRCLES.map((circle) => ({ version, type, ...circle })),
  ),
);

test.each(everyNth(13, EXCHANGES))(
  '$version, $type: rules that exchange conditions, $name: never to nothing, killed anywhere',
  async ({ version, ...exchange }) => {
    const every = runs(1, 7);
    for (let killedAt = 1 + (PROVE_SEED % every); ; killedAt += every) {
      const result = await strays(exchange, version, killedAt);
      expect([killedAt, result.strays]).toEqual([killedAt, []]);
      if (result.survived) break;
    }
  },
);

test('four rules whose conditions change places at random, killed anywhere: never to nothing', async () => {
  const exchange = fc.record({
    type: fc.constantFrom(...(Object.keys(TYPES) as readonly Type[])),
    takes: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
    killedAt: fc.integer({ min: 1, max: 8 }),
  });
  for (const { killedAt, ...drawn } of fc.sample(exchange, { numRuns: runs(40, 2), seed: PROVE_SEED })) {
    expect([drawn, (await strays(drawn, 'v4', killedAt)).strays]).toEqual([drawn, []]);
  }
});

test.each([
  { name: 'two exchange their conditions', takes: [1, 0], refused: 1, kept: [1] },
  { name: 'three pass them on', takes: [3, 0, 1], refused: 2, kept: [0, 1, 2] },
])(
  '$name, the first change is refused: no rule gives up what it was to take over',
  async ({ takes, refused, kept }) => {
    const scene = await sceneOf({ type: 'alias', takes }, 'v4');
    const before = domainOf(scene.account.emulator.store.dump(), 'acme.example').rules;
    scene.account.emulator.faults.push({
      match: { method: 'PUT', path: idOf(refused), times: 'always' },
      do: { kind: 'status', code: 400, body: { message: 'no', errors: {} } },
    });
    const { end, report } = await scene.run();
    expect(report.outcome).not.toBe('converged');
    const rules = domainOf(end, 'acme.example').rules;
    for (const index of kept) expect(rules[index]).toEqual(before[index]);
  },
);
