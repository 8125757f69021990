import { expect, test } from 'vitest';
import { decodeForward } from '../../../src/core/model/destinations.ts';
import { memoise } from '../../../src/core/model/text/memoise.ts';

/** Reads texts into lists of letters, and records which it read. */
function createReader(): {
  readonly read: string[];
  readonly lettersOf: (text: string) => readonly string[];
} {
  const read: string[] = [];
  const lettersOf = memoise((text) => {
    read.push(text);
    return text.split('');
  });
  return { read, lettersOf };
}

test('equal texts are read once and share one result', () => {
  const { read, lettersOf } = createReader();
  const first = lettersOf('ab');
  expect(lettersOf('ab')).toBe(first);
  expect(lettersOf('cd')).toEqual(['c', 'd']);
  expect(read).toEqual(['ab', 'cd']);
});

test('results are forgotten when there are too many, and read again', () => {
  const { read, lettersOf } = createReader();
  const texts = Array.from({ length: 10_001 }, (_, index) => String(index));
  expect(texts.map(lettersOf)).toEqual(texts.map((text) => text.split('')));
  expect(lettersOf('0')).toEqual(['0']);
  expect(lettersOf('10000')).toEqual(['1', '0', '0', '0', '0']);
  expect(read).toEqual([...texts, '0']);
});

test('results of long texts are not kept', () => {
  const { read, lettersOf } = createReader();
  const [longest, tooLong] = ['a'.repeat(500), 'a'.repeat(501)];
  for (const text of [longest, longest, tooLong, tooLong]) expect(lettersOf(text).join('')).toBe(text);
  expect(read).toEqual([longest, tooLong, tooLong]);
});

test('aliases with equal destinations share one list', () => {
  const forward = 'ben@corp.example,ana@corp.example';
  expect(decodeForward(forward)).toEqual(['ana@corp.example', 'ben@corp.example']);
  expect(decodeForward(forward)).toBe(decodeForward(forward));
});
