import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KINDS } from './support/faults.ts';

// The statements of docs/reliability.md about tests match the existing tests.

const ROOT = join(import.meta.dirname, '../..');
const TEXT = readFileSync(join(ROOT, 'docs/reliability.md'), 'utf8');

test('every test that is named exists', () => {
  const named = [...TEXT.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('the table goes on from 1 to 30 without a gap', () => {
  const numbers = [...TEXT.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});

test('the number of kinds of fault is the one that is told', () => {
  expect(TEXT).toContain(`${KINDS.length} kinds of fault`);
});
