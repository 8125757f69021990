import { describe, expect, test } from 'vitest';
import { loadManifest } from '../../../src/core/manifest/load.ts';
import type { Problem } from '../../../src/core/model/manifest/problem.ts';

/** Returns the errors of a manifest that begins with this text. */
function errorsOf(text: string): readonly Problem[] {
  const { problems } = loadManifest([{ file: 'm.yaml', text: `version: 1\n${text}\n` }], {
    references: 'optional',
    resolve: () => null,
    apiVersion: 'v3',
  });
  return problems.filter(({ severity }) => severity === 'error');
}

function placeOf({ source }: Problem): string {
  return `${source?.line}:${source?.column}`;
}

test.each([
  [
    'a name around an address',
    'domains: { a.example: { aliases: { x: Anna <anna@b.example> } } }',
    '2:39',
    'write the address only',
  ],
  [
    'a semicolon',
    'domains: { a.example: { aliases: { x: a@b.example; c@b.example } } }',
    '2:39',
    'write a list: [a@x.example, b@x.example]',
  ],
  [
    'a space in a name',
    'domains: { a.example: { aliases: { "x y": a@b.example } } }',
    '2:36',
    'delete the space',
  ],
  [
    'a blank webhook',
    'domains:\n  a.example:\n    webhook:\n',
    '4:13',
    'write `webhook: none` to ask for no value, or leave the key out',
  ],
  [
    'a user and a password in the address',
    'api: { url: "https://ana:s3cret@api.example/v4" }\ndomains: { a.example: {} }',
    '2:13',
    'remove user name and password, and change the secret if it is one; api.key refers to the key',
  ],
  [
    'a list item of another type',
    'domains: { a.example: { rules: [x] } }',
    '2:33',
    'write a map, or leave the entry out',
  ],
])('the hint for %s', (_, text, place, hint) => {
  const [problem, ...more] = errorsOf(text);
  expect([problem?.hint, problem && placeOf(problem), more]).toEqual([hint, place, []]);
  expect(JSON.stringify(problem)).not.toMatch(/s3cret|U\+0020|\\"0\\"/);
});

describe('unclosed brackets and quotes', () => {
  const aliases = 'domains:\n  a.example:\n    aliases:\n';
  test.each([
    ['a list', `${aliases}      x: [a@b.example, c@b.example\n      y: d@b.example`, '[', '5:10'],
    ['a list at the end of the file', `${aliases}      x: [a@b.example`, '[', '5:10'],
    [
      'a list above lines that are indented',
      `${aliases}      x: [a@b.example\n        y: d@b.example`,
      '[',
      '5:10',
    ],
    [
      'a list that ends with another bracket',
      `${aliases}      x: [a@b.example}\n      y: d@b.example`,
      '[',
      '5:10',
    ],
    [
      'a list around one that is',
      `${aliases}      x: [a@b.example, [c@b.example]\n      y: d@b.example`,
      '[',
      '5:10',
    ],
    ['a list below one that is', `${aliases}      x: [a@b.example]\n      y: [d@b.example`, '[', '6:10'],
    [
      'a list in another document',
      `${aliases}      x: y\n---\n${aliases}      x: [a@b.example`,
      '[',
      '10:10',
    ],
    ['a map', 'domains:\n  a.example:\n    aliases: { x: a@b.example\n  b.example: {}', '{', '4:14'],
    [
      'a map in a list that is not either',
      `${aliases}      x: [a@b.example, { env: A\n      y: [d@b.example]`,
      '{',
      '5:24',
    ],
    ['a map in JSON', 'domains: {"a.example": {"aliases": {"x": ["a@b.example"]}}', '{', '2:10'],
    ['a quote', `${aliases}      x: "a@b.example\n      y: d@b.example`, '"', '5:10'],
    ['a quote above others', `${aliases}      x: 'a@b.example\n      y: 'd@b.example'`, "'", '5:10'],
    [
      'a quote in a list',
      `${aliases}      x: [a@b.example, "c@b.example]\n      y: d@b.example`,
      '"',
      '5:24',
    ],
    [
      'a quote in an item',
      `${aliases}      x:\n        - "a@b.example\n        - "c@b.example"`,
      '"',
      '6:11',
    ],
    ['a quote around a name', 'domains:\n  "a.example: {}', '"', '3:3'],
    ['a quote alone', `${aliases}      x: '`, "'", '5:10'],
  ])('%s stands at its beginning', (_, text, sign, place) => {
    for (const written of [text, text.replaceAll('\n', '\r\n')])
      expect(errorsOf(written).map((problem) => [placeOf(problem), problem.message, problem.hint])).toEqual([
        [
          place,
          `YAML: the ${sign} is not closed`,
          `close the ${sign}, or indent the lines below that belong to it`,
        ],
      ]);
  });
});

describe('an item of a list', () => {
  const inDomain = (text: string): string => `domains: { a.example: { ${text} } }`;
  const inRule = (text: string): string =>
    inDomain(`rules: [{ name: r, regex: a, forward: b@c.example, ${text} }]`);
  test.each([
    ['without a value', inRule('scopes: [sender, ~]'), '2:93', 'item 2 of "scopes" has no value'],
    ['that is not known', inRule('scopes: [sender, to]'), '2:93', 'item 2 of "scopes" has an unknown value'],
    ['that is an empty text', inDomain('use: [""]'), '2:31', 'item 1 of "use" is an empty text'],
    ['that is an empty map', inDomain('aliases: { "7": [{}] }'), '2:42', 'item 1 of "7" is an empty map'],
    [
      'with two keys',
      inDomain('aliases: { x: [a@b.example, { env: A, file: B }] }'),
      '2:53',
      'item 2 of "x" has more than one key',
    ],
    ['that is a list', inDomain('expect: [[a]]'), '2:34', 'item 1 of "expect" must be a map, not a list'],
  ])('%s is named by its place', (_, text, place, message) => {
    const [problem] = errorsOf(text);
    expect([problem && placeOf(problem), problem?.message]).toEqual([place, message]);
  });

  test.each([
    ['an alias', inDomain('aliases: { "0": {} }'), '"0" is an empty map'],
    ['a template', 'templates: { "0": 1 }', '"0" must be a map, not text'],
  ])('a key that is a number is the name of %s', (_, text, message) => {
    expect(errorsOf(text)[0]?.message).toBe(message);
  });
});
