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
  readyTexts,
  removeFrom,
  renewText,
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

describe('filters by substring', () => {
  interface Word {
    readonly at: number;
    text: string;
  }

  /** 3000 words, `Word 0` to `Word 2999`, in several pieces. */
  function words(): { readonly index: SortedIndex<Word>; readonly all: Word[] } {
    const index = createIndex<Word>(
      (a, b) => a.at - b.at,
      ({ text }) => text,
    );
    const all = Array.from({ length: 3000 }, (_, at) => ({ at, text: `Word ${at}` }));
    for (const word of all) insertInto(index, word);
    return { index, all };
  }

  test.each([
    ['word', undefined],
    ['99', undefined],
    ['word 2', undefined],
    ['\0', undefined],
    ['99', { from: 1000, to: 2100 }],
    ['99', { from: 99, to: 100 }],
    ['99', { from: 100, to: 100 }],
  ])('%j in %j finds what a scan finds, in both directions', (containing, range) => {
    const { index, all } = words();
    const found = all
      .slice(range?.from, range?.to)
      .filter(({ text }) => text.toLowerCase().includes(containing));
    for (const keep of [undefined, ({ at }: Word) => at % 2 === 0]) {
      const wanted = found.filter(keep ?? (() => true));
      const page = { offset: 5, limit: 20, range, containing, keep };
      expect(readPage(index, { ...page, direction: 'ascending' })).toEqual({
        items: wanted.slice(5, 25),
        total: wanted.length,
      });
      expect(readPage(index, { ...page, direction: 'descending' })).toEqual({
        items: wanted.toReversed().slice(5, 25),
        total: wanted.length,
      });
    }
  });

  test('what is added, changed, removed or dropped is found as it is now', () => {
    const { index, all } = words();
    const find = (containing: string): readonly number[] =>
      readPage(index, { offset: 0, limit: 10, direction: 'ascending', containing }).items.map(({ at }) => at);
    const [first, second] = all as [Word, Word];
    expect(find('straße')).toEqual([]);
    second.text = 'İstanbul, Straße';
    renewText(index, second);
    insertInto(index, { at: 1.5, text: 'STRASSE, straße' });
    expect([find('straße'), find('word 1000\0'), find('word 1000')]).toEqual([[1, 1.5], [], [1000]]);
    insertInto(index, { at: 1.6, text: 'nul\0nul\0' });
    expect([find('\0'), find('l\0n'), find('l\0\0')]).toEqual([[1.6], [1.6], []]);
    removeFrom(index, second);
    expect(find('straße')).toEqual([1.5]);
    expect(find('word 0')).toEqual([first.at]);
    readyTexts(index);
    dropFirst(index, 3);
    expect([find('straße'), find('word 0'), find('word 2')[0]]).toEqual([[], [], 2]);
  });
});
