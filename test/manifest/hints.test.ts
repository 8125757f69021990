import { expect, test } from 'vitest';
import { loadManifest } from '../../src/manifest/load.ts';

test.each([
  [
    'a name around an address',
    'domains: { a.example: { aliases: { x: Anna <anna@b.example> } } }',
    'write the address only',
  ],
  [
    'a semicolon',
    'domains: { a.example: { aliases: { x: a@b.example; c@b.example } } }',
    'write a list: [a@x.example, b@x.example]',
  ],
  ['a space in a name', 'domains: { a.example: { aliases: { "x y": a@b.example } } }', 'delete the space'],
  [
    'a blank webhook',
    'domains:\n  a.example:\n    webhook:\n',
    'write `webhook: none` to ask for no value, or leave the key out',
  ],
  [
    'a user and a password in the address',
    'api: { url: "https://ana:s3cret@api.example/v4" }\ndomains: { a.example: {} }',
    'leave user name and password out, and change the secret if it is one; api.key refers to the key',
  ],
  [
    'a list item of another type',
    'domains: { a.example: { rules: [x] } }',
    'write a map, or leave the entry out',
  ],
])('the hint for %s', (_, text, hint) => {
  const { problems } = loadManifest([{ file: 'm.yaml', text: `version: 1\n${text}\n` }], {
    references: 'optional',
    resolve: () => null,
    apiVersion: 'v3',
  });
  const [problem, ...more] = problems.filter(({ severity }) => severity === 'error');
  expect([problem?.hint, more]).toEqual([hint, []]);
  expect(JSON.stringify(problem)).not.toMatch(/s3cret|U\+0020|\\"0\\"/);
});
