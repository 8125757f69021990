import { describe, expect, test } from 'vitest';
import {
  clearIndex,
  createIndex,
  insertInto,
  readPage,
  removeFrom,
  type SortedIndex,
} from '../../../src/emulator/index/sorted.ts';

const COUNT = 500;
const ascending = Array.from({ length: COUNT }, (_, index) => index);
/** The same numbers in another order: 101 and 500 have no common divisor. */
const mixed = ascending.map((index) => (index * 101) % COUNT);

function indexOf(items: readonly number[]): SortedIndex<number> {
  const index = createIndex<number>((a, b) => a - b, String);
  for (const item of items) insertInto(index, item);
  return index;
}

describe.each([
  ['in order', ascending],
  ['in reverse', ascending.toReversed()],
  ['mixed', mixed],
])('inserted %s', (_name, items) => {
  test('it is in order', () => {
    expect(indexOf(items).items).toEqual(ascending);
  });

  test.each([
    [0, 3],
    [250, 250],
    [498, 10],
    [500, 10],
    [900, 10],
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

  test('items leave it', () => {
    const index = indexOf(items);
    for (const item of mixed) if (item % 3 !== 0) removeFrom(index, item);
    const left = ascending.filter((item) => item % 3 === 0);
    expect(index.items).toEqual(left);
    for (const item of left) removeFrom(index, item);
    expect(index.items).toEqual([]);
  });

  test.each([undefined, (item: number) => item % 2 === 0])('pages of those with a text', (keep) => {
    const wanted = ascending.filter((item) => String(item).includes('9') && (keep?.(item) ?? true));
    const page = { offset: 5, limit: 20, containing: '9', keep };
    expect(readPage(indexOf(items), { ...page, direction: 'ascending' })).toEqual({
      items: wanted.slice(5, 25),
      total: wanted.length,
    });
    expect(readPage(indexOf(items), { ...page, direction: 'descending' })).toEqual({
      items: wanted.toReversed().slice(5, 25),
      total: wanted.length,
    });
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
  expect(index.items).toEqual([7]);
});

test('case does not count in texts, and a page is a copy', () => {
  const index = createIndex<string>(
    (a, b) => (a < b ? -1 : 1),
    (text) => text,
  );
  for (const text of ['Straße', 'STRASSE', 'weg']) insertInto(index, text);
  const page = readPage(index, { offset: 0, limit: 10, direction: 'ascending', containing: 'straße' });
  const all = readPage(index, { offset: 0, limit: 10, direction: 'ascending' });
  clearIndex(index);
  expect([page.items, all.items.length]).toEqual([['Straße'], 3]);
});
