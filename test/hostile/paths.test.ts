import { describe, expect, test } from 'vitest';
import { buildPath } from '../../src/client/http/path.ts';
import { NAUGHTY } from './support/corpora.ts';
import { ENDPOINTS } from '../../src/core/kinds/endpoints.ts';

// No value in a path may change the path itself. Method and template come from a closed list; values are checked.

const TEMPLATES = [
  ...new Set(
    Object.values(ENDPOINTS).flatMap((endpoints) => Object.values(endpoints).map(({ template }) => template)),
  ),
];

describe('words that are routes', () => {
  test.each(['batch', 'bulk', 'aliases-all', 'count', 'search', 'BATCH'])('%s stands for no id', (word) => {
    for (const name of ['id', 'alias', 'rule']) {
      expect(buildPath(`/domains/:domain/x/:${name}`, { domain: 'acme.example', [name]: word })).toEqual({
        ok: false,
        error: `${JSON.stringify(word)} cannot be :${name} in the path of a request`,
      });
    }
    expect(
      buildPath('/domains/:domain/credentials/:username', { domain: 'acme.example', username: word }).ok,
    ).toBe(true);
  });
});

test('a value that is not given makes no path', () => {
  expect(buildPath('/domains/:domain', {})).toEqual({
    ok: false,
    error: 'the path of a request has no value for :domain',
  });
});

test.each(TEMPLATES)('%s with every naughty string is that template or none', (template) => {
  const names = [...template.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  for (const text of NAUGHTY) {
    const path = buildPath(template, Object.fromEntries(names.map((name) => [name, text])));
    if (!path.ok) continue;
    const url = new URL(`https://api.example/v4${path.value}`);
    const shape = new RegExp(`^/v4${template.replaceAll(/:\w+/g, '([^/]+)')}$`).exec(url.pathname);
    expect(
      shape?.slice(1).map((segment) => decodeURIComponent(segment)),
      text,
    ).toEqual(names.map(() => text));
    expect([url.search, url.hash, url.host]).toEqual(['', '', 'api.example']);
  }
});
