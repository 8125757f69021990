import { expect, test } from 'vitest';
import { keepLatest } from '../../../../src/core/plan/routes/latest.ts';

test.each<[string, readonly string[]]>([
  ['abab', ['a', 'b']],
  ['abcbc', ['a', 'b', 'c']],
  ['abca', ['a', 'b', 'c', 'a']],
  ['abacab', ['a', 'b', 'c', 'b']],
])('with two kept entries, %s gives %j', (asked, expected) => {
  const made: string[] = [];
  const get = keepLatest(2, (key) => {
    made.push(key);
    return key.toUpperCase();
  });
  expect(asked.split('').map(get).join('')).toBe(asked.toUpperCase());
  expect(made).toEqual(expected);
});

test('an empty value is kept too', () => {
  let count = 0;
  const get = keepLatest(1, () => {
    count += 1;
    return null;
  });
  expect([get('a'), get('a'), count]).toEqual([null, null, 1]);
});
