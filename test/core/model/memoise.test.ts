import { expect, test } from 'vitest';
import { memoise } from '../../../src/core/model/text/memoise.ts';

test('equal texts are read once and share one result', () => {
  const read: string[] = [];
  const lettersOf = memoise((text) => {
    read.push(text);
    return text.split('');
  });
  const first = lettersOf('ab');
  expect(lettersOf('ab')).toBe(first);
  expect(lettersOf('cd')).toEqual(['c', 'd']);
  expect(read).toEqual(['ab', 'cd']);
});

test('results are forgotten when there are too many, and read again', () => {
  const read: string[] = [];
  const wordOf = memoise((text) => {
    read.push(text);
    return `word ${text}`;
  });
  const texts = Array.from({ length: 10_001 }, (_, index) => String(index));
  expect(texts.map(wordOf)).toEqual(texts.map((text) => `word ${text}`));
  expect(wordOf('0')).toBe('word 0');
  expect(wordOf('10000')).toBe('word 10000');
  expect(read).toEqual([...texts, '0']);
});
