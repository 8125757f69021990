import { expect, test } from 'vitest';
import type { SeedRule } from '../../../src/emulator/account/seed.ts';
import { openScene } from './support/harness.ts';
import { domainOf, mailTo, replay, strayRoutes } from './support/replay.ts';
import { everyNth } from '../../support/share.ts';

/** Every rule matches every mail, so that only their order counts. */
const live = (name: string, rank: number): SeedRule => ({
  id: idOf(name),
  type: 'alias',
  config: { alias: '*', forward: `${name}@corp.example` },
  rank,
});

function idOf(name: string): string {
  return `00000000-0000-4000-8000-${name.padStart(12, '0')}`;
}

function manifestOf(names: readonly string[]): string {
  const rules = names.map(
    (name) => `      - { id: ${idOf(name)}, name: "${name}", alias: "*", forward: ${name}@corp.example }`,
  );
  return `guards: { max_deletes: 1000, max_delete_percent: 100 }\ndomains:\n  acme.example:\n    prune: { rules: true }\n    rules:\n${rules.join('\n')}`;
}

interface Case {
  readonly name: string;
  readonly before: readonly (readonly [string, number])[];
  readonly after: readonly string[];
}

const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => String(index + 1));

const CASES: readonly Case[] = [
  {
    name: 'two swapped',
    before: [
      ['1', 1],
      ['2', 2],
    ],
    after: ['2', '1'],
  },
  {
    name: 'one to the front, a new one with it',
    before: [
      ['1', 1],
      ['2', 2],
      ['3', 3],
    ],
    after: ['9', '3', '1', '2'],
  },
  {
    name: 'one to the front, a new one behind it',
    before: [
      ['1', 1],
      ['2', 2],
      ['3', 3],
    ],
    after: ['3', '9', '1', '2'],
  },
  {
    name: 'one to the end',
    before: [
      ['1', 10],
      ['2', 20],
      ['3', 30],
    ],
    after: ['2', '3', '1'],
  },
  {
    name: 'equal ranks in the order wanted',
    before: [
      ['1', 5],
      ['2', 5],
      ['3', 5],
    ],
    after: ['1', '2', '3'],
  },
  {
    name: 'equal ranks in another order',
    before: [
      ['1', 5],
      ['2', 5],
      ['3', 5],
    ],
    after: ['3', '2', '1'],
  },
  {
    name: 'rank 1e308 and a new one after it',
    before: [
      ['1', 1],
      ['2', 1e308],
    ],
    after: ['1', '2', '3'],
  },
  {
    name: 'rank 1e308 first',
    before: [
      ['1', 1],
      ['2', 1e308],
    ],
    after: ['2', '1'],
  },
  {
    name: 'two of 1e308',
    before: [
      ['1', 1e308],
      ['2', 1e308],
    ],
    after: ['2', '1', '3'],
  },
  {
    name: 'negative ranks',
    before: [
      ['1', -5],
      ['2', -4],
      ['3', 0],
    ],
    after: ['3', '1', '9', '2'],
  },
  {
    name: 'negative ranks, one before all',
    before: [
      ['1', -5],
      ['2', -4],
    ],
    after: ['9', '2', '1'],
  },
  {
    name: 'no room at all between neighbours',
    before: [
      ['1', 1],
      ['2', 1 + Number.EPSILON],
    ],
    after: ['1', '9', '2'],
  },
  {
    name: 'tiny ranks',
    before: [
      ['1', 5e-324],
      ['2', 1e-323],
    ],
    after: ['9', '1', '8', '2'],
  },
  {
    name: 'twenty in a new order',
    before: numbered(20).map((name, index) => [name, index + 1]),
    after: [
      '20',
      '3',
      '1',
      '19',
      '2',
      '7',
      '18',
      '5',
      '4',
      '6',
      '8',
      '17',
      '9',
      '16',
      '10',
      '15',
      '11',
      '14',
      '12',
      '13',
    ],
  },
  {
    name: 'some deleted, some new, some moved',
    before: numbered(9).map((name, index) => [name, index + 1]),
    after: ['9', '30', '2', '4', '31', '3', '32'],
  },
];

/** Every fourth case, which covers each number of digits. */
const KEPT = (['all', 0, 1] as const).flatMap((rankDigits) => CASES.map((row) => ({ ...row, rankDigits })));

test.each(everyNth(4, KEPT))('$name, $rankDigits digits are kept', async ({ before, after, rankDigits }) => {
  const scene = await openScene({
    manifest: manifestOf(after),
    seed: { domains: [{ domain: 'acme.example', rules: before.map(([name, rank]) => live(name, rank)) }] },
    switches: { rankDigits: 'all' },
  });
  scene.account.emulator.store.state.switches.rankDigits = rankDigits;
  const start = domainOf(scene.account.emulator.store.dump(), 'acme.example');
  const { report, end, writes } = await scene.run();
  expect(report.outcome).toBe('converged');
  expect(domainOf(end, 'acme.example').rules.map(({ config }) => config['forward'])).toEqual(
    after.map((name) => `${name}@corp.example`),
  );
  expect((await scene.run()).report.outcome).toBe('unchanged');
  if (rankDigits !== 'all') return;
  const moments = replay(start, writes);
  expect(moments.at(-1)?.rules).toMatchObject(domainOf(end, 'acme.example').rules.map(({ id }) => ({ id })));
  expect(strayRoutes(moments, [mailTo('x@acme.example')], { otherRules: 'allowed' })).toEqual([]);
});

test('500 rules reversed', async () => {
  const names = numbered(500);
  const scene = await openScene({
    manifest: manifestOf(names.toReversed()),
    seed: { domains: [{ domain: 'acme.example', rules: names.map((name, index) => live(name, index + 1)) }] },
  });
  const { report, end, writes } = await scene.run();
  expect(report.outcome).toBe('converged');
  expect(domainOf(end, 'acme.example').rules.map(({ id }) => id)).toEqual(names.toReversed().map(idOf));
  expect(writes).toHaveLength(1);
});

test('rules that nothing manages keep their place and are not touched', async () => {
  const scene = await openScene({
    manifest: manifestOf(['3', '1', '9', '2']).replace('prune: { rules: true }', 'prune: false'),
    seed: {
      domains: [
        {
          domain: 'acme.example',
          rules: [live('1', 1), live('71', 1.5), live('2', 2), live('72', 2.5), live('3', 3), live('73', 4)],
        },
      ],
    },
  });
  const { report, end } = await scene.run();
  expect(report.outcome).toBe('converged');
  const order = domainOf(end, 'acme.example').rules.map(({ id }) => Number(id.slice(-2)));
  expect(order.filter((number) => number < 70)).toEqual([3, 1, 9, 2]);
  expect(order.filter((number) => number > 70)).toEqual([71, 72, 73]);
});

test.each([
  { name: 'forwards', order: ['1', '2', '3'] },
  { name: 'backwards', order: ['3', '2', '1'] },
])('conditions handed on from rule to rule, $name: never to nothing', async ({ order }) => {
  // Rule 1 takes over what 2 had, 2 what 3 had, and 3 something new.
  const conditions = {
    before: { '1': 'x', '2': 'y', '3': 'z' },
    after: { '1': 'y', '2': 'z', '3': 'new' },
  } as const;
  const ruleOf = (name: string): string =>
    `      - { id: ${idOf(name)}, name: "${name}", alias: ${conditions.after[name as '1']}, forward: ${name}@corp.example }`;
  const scene = await openScene({
    manifest: `domains:\n  acme.example:\n    rules:\n${order.map(ruleOf).join('\n')}`,
    seed: {
      domains: [
        {
          domain: 'acme.example',
          rules: order.map((name, index) => ({
            ...live(name, index + 1),
            config: { alias: conditions.before[name as '1'], forward: `${name}@corp.example` },
          })),
        },
      ],
    },
  });
  const start = domainOf(scene.account.emulator.store.dump(), 'acme.example');
  const { report, writes } = await scene.run();
  expect(report.outcome).toBe('converged');
  const mails = ['x', 'y', 'z', 'new'].map((name) => mailTo(`${name}@acme.example`));
  expect(strayRoutes(replay(start, writes), mails, { otherRules: 'never' })).toEqual([]);
});
