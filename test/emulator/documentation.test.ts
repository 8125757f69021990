import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import schema from '../../schemas/emulator-state.v1.schema.json' with { type: 'json' };
import { problemsOf } from '../../src/emulator/http/schemas.ts';
import { DEFAULT_SWITCHES } from '../../src/emulator/account/switches.ts';

const document = readFileSync(join(import.meta.dirname, '../../docs/emulator.md'), 'utf8');

test('docs/emulator.md names every switch with its default', () => {
  const rows = document.match(/^\|.*\|$/gm) ?? [];
  for (const [name, value] of Object.entries(DEFAULT_SWITCHES)) {
    expect(rows.filter((row) => row.includes(`| \`${name}\` | \`${value}\``))).toHaveLength(1);
  }
});

test('the schema has every switch with its default', () => {
  const { properties } = schema.$defs.switches;
  expect(Object.entries(properties).map(([name, { default: value }]) => [name, value])).toEqual(
    Object.entries(DEFAULT_SWITCHES),
  );
  expect(Object.values(properties).filter(({ description }) => description === '')).toEqual([]);
});

test('every switch is in a test', () => {
  const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file !== 'documentation.test.ts')
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('');
  expect(Object.keys(DEFAULT_SWITCHES).filter((name) => !tests.includes(name))).toEqual([]);
});

test('the accounts, the state and the faults that it shows are valid', () => {
  const examples = [...document.matchAll(/```json\n(.*?)```/gs)].map(
    ([, text = '']) => JSON.parse(text) as unknown,
  );
  const subjects = ['accounts', 'state', 'faults'] as const;
  expect(subjects.map((subject, index) => problemsOf(subject, examples[index]))).toEqual([[], [], []]);
  expect(examples).toHaveLength(3);
});
