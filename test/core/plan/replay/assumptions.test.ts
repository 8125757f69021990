import { expect, test } from 'vitest';
import { assumptions } from '../../../../src/core/plan/replay/assumptions.ts';

/** Returns the answers of each run, in the order of its questions. `ask` calls `assume` and returns the answers. */
function runs(ask: (assume: (condition: string) => boolean) => readonly boolean[]): readonly string[] {
  const found: string[] = [];
  assumptions((assume) => {
    found.push(ask(assume).map(Number).join(''));
  });
  return found.toSorted();
}

test('each combination of answers is tried once', () => {
  expect(runs(() => [])).toEqual(['']);
  expect(runs((assume) => [assume('a')])).toEqual(['0', '1']);
  expect(runs((assume) => [assume('a'), assume('b')])).toEqual(['00', '01', '10', '11']);
});

test('a condition has one answer in a run', () => {
  expect(runs((assume) => [assume('a'), assume('a')])).toEqual(['00', '11']);
});

test('a question that some answers do not need is not tried with them', () => {
  expect(runs((assume) => (assume('a') ? [true] : [false, assume('b')]))).toEqual(['00', '01', '1']);
});

test.each([
  [6, 'all'],
  [7, 'too-many'],
] as const)('%i conditions: %s', (count, expected) => {
  const conditions = Array.from({ length: count }, (_, index) => `c${index}`);
  let tried = 0;
  const found = assumptions((assume) => {
    tried += 1;
    for (const condition of conditions) assume(condition);
  });
  expect(found).toBe(expected);
  expect(tried).toBeLessThanOrEqual(64);
});
