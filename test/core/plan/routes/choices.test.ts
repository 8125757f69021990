import { describe, expect, test } from 'vitest';
import {
  choiceOf,
  contradicts,
  type Choice,
  type PlanRoute,
} from '../../../../src/core/plan/routes/choices.ts';

const alias = (name: string): PlanRoute => ({ kind: 'alias', alias: { name } }) as PlanRoute;
const rule = (key: string): PlanRoute => ({ kind: 'rule', rule: { key } }) as PlanRoute;

test('a choice holds the keys of what takes the mail and of all that may', () => {
  const fallback = { kind: 'fallback' } as PlanRoute;
  expect(choiceOf(alias('INFO'), [alias('INFO'), rule('rule r'), fallback])).toEqual({
    taken: 'alias info',
    among: ['alias info', 'rule r', 'fallback'],
  });
});

describe('two choices, before and after a plan', () => {
  const choice = (taken: string, ...among: readonly string[]): Choice => ({
    taken,
    among: [taken, ...among],
  });

  test.each<[string, Choice, Choice, boolean]>([
    ['of the same entry hold together', choice('a', 'b'), choice('a', 'b'), false],
    [
      'of different ones contradict if each might have been taken both times',
      choice('a', 'b'),
      choice('b', 'a'),
      true,
    ],
    ['do not contradict if the first is gone', choice('a', 'b'), choice('b'), false],
    ['do not contradict if the second is new', choice('a'), choice('b', 'a'), false],
  ])('%s', (_, before, after, expected) => {
    expect(contradicts(before, after)).toBe(expected);
  });
});
