import { describe, expect, test } from 'vitest';
import { createTable, type Table } from '../../../src/emulator/account/table.ts';

const COUNT = 500;
const ascending = Array.from({ length: COUNT }, (_, index) => index);
/** Returns the same numbers in another order: 101 and 500 have no common divisor. */
const mixed = ascending.map((index) => (index * 101) % COUNT);

type Numbers = Table<number, 'text' | 'half', 'value'>;

function tableOf(items: readonly number[]): Numbers {
  const table: Numbers = createTable<number, 'text' | 'half', 'value'>({
    keys: { text: String, half: (item) => String(item / 2) },
    letterCase: 'any',
    orders: { value: (a, b) => a - b },
    textOf: String,
  });
  for (const item of items) table.insert(item);
  return table;
}

describe.each([
  ['in order', ascending],
  ['in reverse', ascending.toReversed()],
  ['mixed', mixed],
])('inserted %s', (_name, items) => {
  test('it is in order', () => {
    expect(tableOf(items).inOrder('value')).toEqual(ascending);
  });

  test.each([
    [0, 3],
    [250, 250],
    [498, 10],
    [500, 10],
    [900, 10],
    [-5, 2],
  ])('pages from %d, %d long', (offset, limit) => {
    const table = tableOf(items);
    const start = Math.max(0, offset);
    for (const keep of [undefined, () => true]) {
      expect(table.page({ offset, limit, order: 'value_asc', keep })).toEqual({
        items: ascending.slice(start, start + limit),
        total: COUNT,
      });
      expect(table.page({ offset, limit, order: 'value_desc', keep })).toEqual({
        items: ascending.toReversed().slice(start, start + limit),
        total: COUNT,
      });
    }
  });

  test('items leave it', () => {
    const table = tableOf(items);
    for (const item of mixed) if (item % 3 !== 0) table.remove(item);
    const left = ascending.filter((item) => item % 3 === 0);
    expect(table.inOrder('value')).toEqual(left);
    for (const item of left) table.remove(item);
    expect([table.size, table.inOrder('value')]).toEqual([0, []]);
  });

  test.each([undefined, (item: number) => item % 2 === 0])('pages of those with a text', (keep) => {
    const wanted = ascending.filter((item) => String(item).includes('9') && (keep?.(item) ?? true));
    const page = { offset: 5, limit: 20, containing: '9', keep };
    expect(tableOf(items).page({ ...page, order: 'value_asc' })).toEqual({
      items: wanted.slice(5, 25),
      total: wanted.length,
    });
    expect(tableOf(items).page({ ...page, order: 'value_desc' })).toEqual({
      items: wanted.toReversed().slice(5, 25),
      total: wanted.length,
    });
  });
});

test('items are found by each of their keys', () => {
  const table = tableOf([7, 14]);
  expect([table.get('7'), table.get('7', 'half'), table.get('3')]).toEqual([7, 14, undefined]);
});

test('an item that changes is found in its new place', () => {
  const items = createTable<{ rank: number }, 'rank', 'rank'>({
    keys: { rank: () => 'x' },
    letterCase: 'exact',
    orders: { rank: (a, b) => a.rank - b.rank },
  });
  const moved = { rank: 1 };
  for (const item of [moved, { rank: 2 }]) items.insert(item);
  items.move(moved, () => {
    moved.rank = 3;
  });
  expect(items.inOrder('rank')).toEqual([{ rank: 2 }, { rank: 3 }]);
});

test('a missing item cannot be removed', () => {
  expect(() => tableOf([1, 3]).remove(2)).toThrow('not in');
});

test('it can be emptied and filled again', () => {
  const table = tableOf(mixed);
  table.clear();
  expect(table.page({ offset: 0, limit: 5, order: 'value_desc' })).toEqual({ items: [], total: 0 });
  table.insert(7);
  expect(table.inOrder('value')).toEqual([7]);
});

test('case does not count in keys and texts, and a page is a copy', () => {
  const table = createTable<string, 'text', 'text'>({
    keys: { text: (text) => text },
    letterCase: 'any',
    orders: { text: (a, b) => (a < b ? -1 : 1) },
    textOf: (text) => text,
  });
  for (const text of ['Straße', 'STRASSE', 'weg']) table.insert(text);
  const page = table.page({ offset: 0, limit: 10, order: 'text_asc', containing: 'straße' });
  const all = table.page({ offset: 0, limit: 10, order: 'text_asc' });
  expect(table.get('WEG')).toBe('weg');
  table.clear();
  expect([page.items, all.items.length]).toEqual([['Straße'], 3]);
});
