import { expect, test } from 'vitest';
import { describeLists, fieldText } from '../../../../src/core/plan/diff/shown.ts';

test.each<[string, readonly string[], readonly string[], string]>([
  ['lists that overlap: what comes and goes', ['a', 'b'], ['b', 'c'], '+c -a  (2 destinations)'],
  ['lists with nothing in common: both', ['a', 'b'], ['c', 'd'], 'a, b -> c, d'],
  ['a value behind a reference', ['a', 'b'], ['a', 'b'], 'a, b (another value)'],
])('%s', (_, was, will, expected) => {
  expect(describeLists(was, will)).toBe(expected);
});

test.each([
  [true, 'true'],
  [false, 'false'],
])('a setting that is %s is shown as a word', (value, expected) => {
  expect(fieldText('setting', { setting: value })).toBe(expected);
});

test('a field of what does not exist is shown as none', () => {
  expect(fieldText('forward', null)).toBe('none');
});
