import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignRanks, longestRun } from '../../../../../src/core/kinds/rule/diff-ranks.ts';

function ranks(
  wanted: readonly (number | null)[],
  options: { readonly fixed?: readonly number[]; readonly digits?: number } = {},
): readonly number[] {
  return assignRanks({ wanted, fixed: options.fixed ?? [], digits: options.digits ?? null });
}

describe('ranks', () => {
  test.each<[string, readonly (number | null)[], readonly number[], readonly number[]]>([
    ['none', [], [], []],
    ['all new', [null, null, null], [], [10, 20, 30]],
    ['in order', [1, 2, 5], [], [1, 2, 5]],
    ['in order, with negative and huge ones', [-1e308, -3, 0, 0.1, 1e308], [], [-1e308, -3, 0, 0.1, 1e308]],
    ['a new one last', [10, 20, null], [], [10, 20, 30]],
    ['a new one last, after an odd rank', [10, 25.5, null], [], [10, 25.5, 30]],
    ['a new one first', [null, 10, 20], [], [5, 10, 20]],
    ['a new one first, where there is room', [null, 50], [], [10, 50]],
    ['a new one first, before a negative one', [null, -4], [], [-10, -4]],
    ['new ones first, before one further down', [null, null, -25], [], [-40, -30, -25]],
    ['a new one first, before zero', [null, 0], [], [-10, 0]],
    ['between two negative ones', [-100, null, -20], [], [-100, -90, -20]],
    ['between a negative one and zero', [-100, null, 0], [], [-100, -90, 0]],
    ['between two', [10, null, 20], [], [10, 15, 20]],
    ['between two, in steps of ten', [10, null, null, 100], [], [10, 20, 30, 100]],
    ['between neighbours', [1, null, 2], [], [1, 1.5, 2]],
    ['two between neighbours', [1, null, null, 2], [], [1, 1.3, 1.6, 2]],
    ['two swapped', [20, 10], [], [20, 30]],
    ['the last to the front', [40, 10, 20, 30], [], [5, 10, 20, 30]],
    ['the first to the end', [20, 30, 40, 10], [], [20, 30, 40, 50]],
    ['equal ranks', [5, 5, 5], [], [5, 10, 20]],
    ['no number', [Number.NaN, 10], [], [5, 10]],
    ['infinite', [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], [], [10, 20]],
    ['after an unmanaged one when nothing else is there', [null], [7, 12], [20]],
    ['after unmanaged ones in any order, one of which is no number', [null], [12, 7, Infinity, NaN], [20]],
    ['directly after its predecessor, before what is unmanaged', [10, null], [30, 11, 60], [10, 10.5]],
    ['between unmanaged ones', [10, null], [5, 30], [10, 20]],
    ['after an unmanaged one of the same rank', [10, null], [10], [10, 20]],
    ['before an unmanaged one of the same rank', [null, 10], [10], [5, 10]],
    ['directly before its successor, after what is unmanaged', [null, 10], [4, 30], [7, 10]],
    ['after a huge rank', [1e308, null], [], [10, 20]],
  ])('%s', (_, wanted, fixed, expected) => {
    expect(ranks(wanted, { fixed })).toEqual(expected);
  });

  test('a segment is numbered anew in integers when the service keeps too few digits', () => {
    expect(ranks([1, null, 2], { digits: 0 })).toEqual([1, 10, 20]);
    expect(ranks([1, null, 2, 3], { digits: 0 })).toEqual([1, 10, 20, 30]);
    expect(ranks([1, null, 2, 30], { digits: 0 })).toEqual([1, 10, 20, 30]);
    expect(ranks([1, null, 2], { digits: 1 })).toEqual([1, 1.5, 2]);
  });

  test('numbers between two that nothing is between', () => {
    const next = 1 + Number.EPSILON;
    const result = ranks([1, null, next]);
    expect(result).toEqual([1, 10, 20]);
  });

  test.each<[string, readonly (number | null)[], readonly number[], readonly number[]]>([
    ['after its predecessor', [5, null], [6], [10, 20]],
    ['after its predecessor, with a rank behind both', [5, null, 9], [6], [7, 8, 9]],
    ['after its predecessor, which has another', [1, 5, null], [6], [1, 2, 3]],
    ['before its successor', [null, 9], [8], [10, 20]],
    ['before its successor, which has another', [null, 9, 30], [8], [10, 20, 30]],
    ['at both ends', [5, null, 7], [6], [10, 20, 30]],
    ['anywhere', [null, null], [1e308], [10, 20]],
  ])('if unmanaged ranks leave no room %s, neighbours move', (_, wanted, fixed, expected) => {
    expect(ranks(wanted, { fixed, digits: 0 })).toEqual(expected);
  });

  test('500 rules reversed', () => {
    const wanted = Array.from({ length: 500 }, (_, index) => (500 - index) * 10);
    const result = ranks(wanted);
    expect(isAscending(result)).toBe(true);
    expect(moved(wanted, result)).toBe(499);
  });
});

const spaced = fc.integer({ min: 1, max: 60 }).map((number) => number * 1000);
const odd = fc.oneof(
  fc.double(),
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom(1e308, -1e308, 0.1, Number.MAX_SAFE_INTEGER, 2 ** 53 + 2),
);

describe('for any live ranks', () => {
  const some = fc.array(fc.oneof(odd, fc.constant(null)), { maxLength: 40 });

  test('the final order is right and no two managed ranks are equal', () => {
    fc.assert(
      fc.property(
        some,
        fc.array(odd, { maxLength: 10 }),
        fc.constantFrom(undefined, 0, 1, 3),
        (wanted, fixed, digits) => {
          const result = ranks(wanted, digits === undefined ? { fixed } : { fixed, digits });
          expect(result.length).toBe(wanted.length);
          expect(isAscending(result)).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a second time nothing moves', () => {
    fc.assert(
      fc.property(some, fc.array(odd, { maxLength: 5 }), (wanted, fixed) => {
        const result = ranks(wanted, { fixed });
        expect(ranks(result, { fixed })).toEqual(result);
      }),
    );
  });

  test('as few as possible move if there is room', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(spaced, fc.constant(null)), { maxLength: 12 }), (wanted) => {
        const result = ranks(wanted);
        const live = wanted.filter((rank) => rank !== null);
        expect(moved(wanted, result)).toBe(live.length - longestByTrial(live));
      }),
    );
  });

  test('no new rank is that of an unmanaged rule', () => {
    const between = fc.array(
      spaced.map((rank) => rank + 500),
      { maxLength: 5 },
    );
    const wanted = fc.array(fc.oneof(spaced, fc.constant(null)), { maxLength: 12 });
    fc.assert(
      fc.property(wanted, between, (managed, fixed) => {
        expect(ranks(managed, { fixed }).filter((rank) => fixed.includes(rank))).toEqual([]);
      }),
    );
  });

  test('nothing below zero where nothing was', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(spaced, fc.constant(null)), { maxLength: 12 }), (wanted) => {
        expect(ranks(wanted).every((rank) => rank > 0)).toBe(true);
      }),
    );
  });

  test('sent ranks have no more digits than the service keeps', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constant(null))),
        fc.nat(3),
        (wanted, digits) => {
          for (const rank of ranks(wanted, { digits })) expect(Number(rank.toFixed(digits))).toBe(rank);
        },
      ),
    );
  });
});

test('no run in order is longer than the one that is found', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 12 }), (numbers) => {
      const run = [...longestRun(numbers)].sort((a, b) => a - b).map((position) => numbers[position] ?? 0);
      expect(isAscending(run)).toBe(true);
      expect(run.length).toBe(longestByTrial(numbers));
    }),
  );
});

/** The simple algorithm, in quadratic time. */
function longestByTrial(numbers: readonly number[]): number {
  const best: number[] = [];
  for (const [position, number] of numbers.entries()) {
    const before = best.filter((_, earlier) => (numbers[earlier] ?? 0) < number);
    best[position] = 1 + Math.max(0, ...before);
  }
  return Math.max(0, ...best);
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every(
    (number, index) => Number.isFinite(number) && (index === 0 || (numbers[index - 1] ?? 0) < number),
  );
}

function moved(wanted: readonly (number | null)[], result: readonly number[]): number {
  return wanted.filter((rank, index) => rank !== null && !Object.is(rank, result[index])).length;
}
