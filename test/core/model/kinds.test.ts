import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALL_KINDS, SECTIONS } from '../../../src/core/kinds/registry.ts';

function schema(name: string): string {
  return readFileSync(new URL(`../../../schemas/${name}.v1.schema.json`, import.meta.url), 'utf8');
}

test.each(['plan', 'report', 'problems', 'history', 'history-entry', 'blame'])(
  'the schema of a %s document knows every kind',
  (name) => {
    const found = [...schema(name).matchAll(/"enum": (\["domain", "alias"[^\]]*\])/g)];
    const lists = new Set(found.map(([, kinds = '']) => JSON.stringify(JSON.parse(kinds))));
    expect(lists).toEqual(new Set([JSON.stringify(ALL_KINDS)]));
  },
);

test.each(['domain', 'template', 'prune', 'ignore'])('%s has every section in the schema', (place) => {
  const { $defs } = JSON.parse(schema('manifest')) as {
    readonly $defs: Readonly<Record<string, { readonly properties: object }>>;
  };
  expect(Object.keys($defs[place]?.properties ?? {})).toEqual(expect.arrayContaining([...SECTIONS]));
});
