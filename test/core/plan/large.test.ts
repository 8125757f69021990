import { expect, test } from 'vitest';
import { nodesOnCycles } from '../../../src/core/routing/cycles.ts';
import { runs } from '../../support/share.ts';
import { ACME, aliasSection, desired, live, observed, plan, present } from './support/build.ts';

// Separate from the other tests of plans, because mutation testing would run it thousands of times.

test('a chain and a ring of 50,000 nodes take linear time', () => {
  const chain = Array.from({ length: 50_000 }, (_, index): [string, Set<string>] => [
    `${index}`,
    new Set([`${index + 1}`]),
  ]);
  expect(nodesOnCycles(new Map(chain)).size).toBe(0);
  expect(nodesOnCycles(new Map([...chain, ['50000', new Set(['0'])]])).size).toBe(50_001);
});

const COUNT = runs(20_000, 12_000);

test(`${COUNT} new aliases that lead to each other are followed in linear time`, () => {
  const chain = (last: string): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: COUNT }, (_, index) => [
        `a${index}`,
        index === COUNT - 1 ? last : `a${index + 1}@acme.example`,
      ]),
    );
  const loops = (last: string) =>
    plan(
      desired([present(ACME, { aliases: aliasSection(chain(last)) })]),
      observed([live(ACME, { aliases: [] })]),
    ).guards.filter(({ guard }) => guard === 'loop');
  expect(loops('x@y.example')).toEqual([]);
  const [loop] = loops('a0@acme.example');
  expect(loop).toMatchObject({ scope: ACME, planned: COUNT });
  expect(loop?.message).toMatch(
    /forwarded to a1@acme.example( -> a\d@acme.example){5} -> … -> a0@acme.example$/,
  );
});
