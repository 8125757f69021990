import { expect, test } from 'vitest';
import { importForwards } from '../../../../src/core/manifest/import/import.ts';
import type { ImportedDomain } from '../../../../src/core/manifest/import/translated.ts';
import { createSourceText } from '../../../../src/core/manifest/read/text.ts';

function importMap(lines: readonly string[]): ImportedDomain {
  const text = createSourceText('virtual', lines.map((line) => `${line}\n`).join(''));
  const imported = importForwards([{ format: 'postfix', text, fileDomain: null, include: () => null }], {
    localDomains: [],
    only: null,
    columns: null,
    delimiter: '+',
    engine: 'aliases',
  });
  if (!imported.ok) throw new Error(imported.error.message);
  const [domain] = [...imported.value.domains];
  if (domain === undefined) throw new Error('no domain');
  return domain;
}

function destinations(count: number): string {
  return Array.from({ length: count }, (_, index) => `u${index}@corp.example`).join(', ');
}

/** The reason for which the first address is left out; null if it is not. */
function reasonOf(lines: readonly string[]): string | null {
  const { leftOut } = importMap(lines);
  return leftOut.find(({ address }) => address === 'a0@acme.example')?.reason ?? null;
}

test('an address leads to at most 1000 addresses, as in Postfix', () => {
  expect(reasonOf([`a0@acme.example ${destinations(1000)}`])).toBe(null);
  expect(reasonOf([`a0@acme.example ${destinations(1001)}`])).toBe('limit');
});

test('each way to a destination counts, as in Postfix', () => {
  const doubled = (levels: number): readonly string[] => [
    ...Array.from({ length: levels }, (_, level) => {
      const next = `a${level + 1}@acme.example`;
      return `a${level}@acme.example ${next}, b${level}@acme.example\nb${level}@acme.example ${next}`;
    }),
    `a${levels}@acme.example ana@corp.example`,
  ];
  expect(reasonOf(doubled(9))).toBe(null);
  expect(reasonOf(doubled(11))).toBe('limit');
});

test('a chain has at most 1000 addresses', () => {
  const chain = (length: number): readonly string[] =>
    Array.from({ length }, (_, index) => {
      const to = index === length - 1 ? 'ana@corp.example' : `a${index + 1}@acme.example`;
      return `a${index}@acme.example ${to}`;
    });
  expect(reasonOf(chain(1000))).toBe(null);
  expect(reasonOf(chain(1200))).toBe('limit');
});

test('a loop anywhere on the way loses all of the mail, as in Postfix', () => {
  const lines = [
    'a0@acme.example ana@corp.example, b@acme.example',
    'b@acme.example c@acme.example',
    'c@acme.example b@acme.example',
  ];
  expect(reasonOf(lines)).toBe('loop');
  expect(importMap(lines).aliases).toEqual([]);
});
