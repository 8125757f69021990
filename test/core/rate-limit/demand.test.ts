import { expect, test } from 'vitest';
import { createDemandCounter, stillToCome } from '../../../src/core/rate-limit/demand.ts';

const LIST = 'GET /domains/:domain/aliases';

test('a request is pending until it has ended, and ends once', () => {
  const { ask, demands } = createDemandCounter();
  const [first] = [ask(LIST, false), ask(LIST, false), ask('PUT', false)];
  expect(stillToCome(demands())).toEqual(
    new Map([
      [LIST, 2],
      ['PUT', 1],
    ]),
  );
  first();
  first();
  expect(stillToCome(demands()).get(LIST)).toBe(1);
});

test('a listing is thought to have as many pages as those that have begun', () => {
  const { ask, demands } = createDemandCounter();
  const listings = Array.from({ length: 10 }, () => ask(LIST, false));
  listings[0]?.();
  const pages = [ask(LIST, true), ask(LIST, true)];
  expect(stillToCome(demands()).get(LIST)).toBe(29);
  pages[0]?.();
  expect(stillToCome(demands()).get(LIST)).toBe(28);
  listings[1]?.();
  expect(stillToCome(demands()).get(LIST)).toBe(17);
});

test('the forecast includes pending requests', () => {
  const { ask, demands } = createDemandCounter();
  const foreseen = new Map([[LIST, 5]]);
  expect(stillToCome(demands(), foreseen).get(LIST)).toBe(5);
  ask(LIST, false)();
  expect(stillToCome(demands(), foreseen).get(LIST)).toBe(4);
});
