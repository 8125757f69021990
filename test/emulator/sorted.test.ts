import { describe, expect, test } from 'vitest';
import {
  clearIndex,
  createIndex,
  dropFirst,
  insertInto,
  lastOf,
  positionOf,
  readAll,
  readPage,
  removeFrom,
  walk,
  type SortedIndex,
} from '../../src/emulator/sorted.ts';

const COUNT = 5000;
const ascending = Array.from({ length: COUNT }, (_, index) => index);
/** The same numbers in another order: 1009 and 5000 have no common divisor. */
const mixed = ascending.map((index) => (index * 1009) % COUNT);

function indexOf(items: readonly number[]): SortedIndex<number> {
  const index = createIndex<number>((a, b) => a - b);
  for (const item of items) insertInto(index, item);
  return index;
}

describe.each([
  ['in order', ascending],
  ['in reverse', ascending.toReversed()],
  ['mixed', mixed],
])('inserted %s', (_name, items) => {
  test('it is in order', () => {
    const index = indexOf(items);
    expect(readAll(index)).toEqual(ascending);
    expect([index.size, lastOf(index)]).toEqual([COUNT, COUNT - 1]);
  });

  test.each([
    [0, 3],
    [1022, 5],
    [2500, 2500],
    [4998, 10],
    [5000, 10],
    [9000, 10],
    [-5, 2],
  ])('pages from %d, %d long', (offset, limit) => {
    const index = indexOf(items);
    const start = Math.max(0, offset);
    for (const keep of [undefined, () => true]) {
      expect(readPage(index, { offset, limit, direction: 'ascending', keep })).toEqual({
        items: ascending.slice(start, start + limit),
        total: COUNT,
      });
      expect(readPage(index, { offset, limit, direction: 'descending', keep })).toEqual({
        items: ascending.toReversed().slice(start, start + limit),
        total: COUNT,
      });
    }
  });

  test('pages of a range', () => {
    const index = indexOf(items);
    const range = { from: 1000, to: 3000 };
    expect(readPage(index, { offset: 1990, limit: 20, direction: 'ascending', range })).toEqual({
      items: ascending.slice(2990, 3000),
      total: 2000,
    });
    expect(readPage(index, { offset: 1990, limit: 20, direction: 'descending', range })).toEqual({
      items: ascending.slice(1000, 1010).reverse(),
      total: 2000,
    });
    expect([...walk(index, range, 'ascending')]).toEqual(ascending.slice(1000, 3000));
    expect([...walk(index, range, 'descending')]).toEqual(ascending.slice(1000, 3000).reverse());
  });

  test('items leave it', () => {
    const index = indexOf(items);
    for (const item of mixed) if (item % 3 !== 0) removeFrom(index, item);
    const left = ascending.filter((item) => item % 3 === 0);
    expect([readAll(index), index.size]).toEqual([left, left.length]);
    for (const item of left) removeFrom(index, item);
    expect([index.size, index.pieces, lastOf(index)]).toEqual([0, [], undefined]);
  });

  test.each([0, 1, 1023, 1024, 1025, 4999, 5000])('the first %d are dropped', (count) => {
    const index = indexOf(items);
    dropFirst(index, count);
    expect([readAll(index), index.size]).toEqual([ascending.slice(count), COUNT - count]);
  });

  test('positions', () => {
    const index = indexOf(items);
    for (const wanted of [0, 1, 1024, 4999, 5000]) {
      expect(positionOf(index, (item) => item < wanted)).toBe(wanted);
    }
  });
});

test('what is not there cannot leave', () => {
  expect(() => removeFrom(indexOf([1, 3]), 2)).toThrow('not in');
});

test('it can be emptied and filled again', () => {
  const index = indexOf(mixed);
  clearIndex(index);
  expect(readPage(index, { offset: 0, limit: 5, direction: 'descending' })).toEqual({ items: [], total: 0 });
  insertInto(index, 7);
  expect([readAll(index), index.size]).toEqual([[7], 1]);
});
