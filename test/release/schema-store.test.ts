import { globSync, readFileSync } from 'node:fs';
import { basename, join, matchesGlob } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import catalog from '../../schemas/catalog.json' with { type: 'json' };
import pkg from '../../package.json' with { type: 'json' };
import { SHAPE_OPTIONS } from '../../src/core/manifest/schema/shape.ts';

const ROOT = join(import.meta.dirname, '../..');
const [, repository = ''] = /github\.com\/(.*)\.git$/.exec(pkg.repository.url) ?? [];
const BASE = `https://raw.githubusercontent.com/${repository}/main/`;

interface Schema {
  readonly $id: string;
  readonly [key: string]: unknown;
}

const schema = JSON.parse(readFileSync(join(ROOT, catalog.url.replace(BASE, '')), 'utf8')) as Schema;
const ajv = new Ajv2020({ ...SHAPE_OPTIONS, allErrors: true });
ajv.addSchema(schema);

/** Finds every example of a schema, with the JSON pointer of what it is an example of. */
function examplesIn(value: unknown, pointer = ''): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  const { examples } = value as { readonly examples?: unknown };
  const own = Array.isArray(examples) ? examples.map((example) => [pointer, example] as const) : [];
  const within = Object.entries(value)
    .filter(([key]) => key !== 'examples' && key !== 'default')
    .flatMap(([key, part]) =>
      examplesIn(part, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`),
    );
  return [...own, ...within];
}

const EXAMPLES = examplesIn(schema);

test('the entry has what a catalog of schemas asks for', () => {
  expect(Object.keys(catalog)).toEqual(['name', 'description', 'fileMatch', 'url']);
  expect(catalog.url).toBe(`${BASE}schemas/manifest.v1.schema.json`);
  expect(catalog.description).not.toMatch(/schema|\.$/i);
});

test('it is for the files that fwdsync reads by default, and for no other of this repository', () => {
  const isMatched = (path: string): boolean =>
    catalog.fileMatch.some((glob) => matchesGlob(basename(path), glob));
  expect(['fwdsync.yaml', 'mail/fwdsync.yml'].filter(isMatched)).toHaveLength(2);
  expect(globSync('{.,deploy,examples/**}/*.{yaml,yml}', { cwd: ROOT }).filter(isMatched)).toEqual([]);
});

test('the schema at that address has examples', () => {
  expect(EXAMPLES.length).toBeGreaterThan(30);
});

test.each(EXAMPLES)('its example at %s is valid: %j', (pointer, example) => {
  const validate = ajv.compile({ $ref: `${schema.$id}#${pointer}` });
  expect(validate(example), ajv.errorsText(validate.errors)).toBe(true);
});

test.each([...globSync('examples/{minimal.yaml,acme/*.yaml,agency/**/*.yaml}', { cwd: ROOT }).sort()])(
  '%s is valid by it',
  (path) => {
    for (const document of parseAllDocuments(readFileSync(join(ROOT, path), 'utf8'), { merge: true }))
      expect(ajv.validate(schema.$id, document.toJS()), ajv.errorsText()).toBe(true);
  },
);
