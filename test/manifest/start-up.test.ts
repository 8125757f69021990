import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import schema from '../../schemas/manifest.v1.schema.json' with { type: 'json' };
import { temporaryDirectory } from '../support/directory.ts';
import { acme } from './support/loading.ts';
import { measure } from './support/measured.ts';

const ROOT = join(import.meta.dirname, '../..');
const PATTERN = acme('rules: [{ name: r, regex: .*a.*, scopes: [body], forward: a@b.example }]');
const EXPRESSION = acme('rules: [{ name: r, expression: \'subject.contains("a")\', forward: a@b.example }]');
/** What every check of a manifest needs; the last three are ajv's own. */
const NEEDED = ['ajv', 'commander', 'yaml', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse'].sort();

describe('validate loads what it needs', () => {
  test.each([
    ['of a manifest without patterns', acme('aliases: { a: b@c.example }'), []],
    ['with a pattern', PATTERN, ['re2js']],
    ['with an expression', EXPRESSION, ['@marcbachmann/cel-js']],
  ])('%s', async (_, text, more) => {
    const { code, stderr, packages } = await measure(['validate', '-f', '-'], { stdin: text });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(packages).toEqual([...NEEDED, ...more].sort());
  });
});

describe('the built program', () => {
  const FAULTY = [
    'version: 1',
    'api: { key: secret, account: "" }',
    'guards: { max_delete_percent: 101, allow: [{ until: 2026-12-01, deletes: 0 }] }',
    'domains:',
    '  acme.example:',
    '    aliases: { a: , b: [], c: { env: X, file: y }, d: "", e: {}, f: { state: present } }',
    '    alias: {}',
    '    rules: [{ name: r, regex: "(", scopes: [to], forward: x@y.example, activ: true }]',
    '    credentials: { carol: { password: secret } }',
    '    expect: [{ from: x@y.example }]',
    '    prune: maybe',
    '',
  ].join('\n');

  test('checks like the sources, and carries no package that validate does not need', async () => {
    const directory = await temporaryDirectory();
    execFileSync(process.execPath, [join(ROOT, 'build.ts'), directory]);
    const program = join(directory, 'fwdsync.js');
    for (const stdin of [
      FAULTY,
      '- a list\n',
      'text\n',
      PATTERN,
      EXPRESSION,
      acme('aliases: { a: b@c.example }'),
    ]) {
      const args = ['validate', '--format', 'json', '-f', '-'];
      const [built, source] = await Promise.all([
        measure(args, { program, stdin }),
        measure(args, { stdin }),
      ]);
      expect(built.stdout).toBe(source.stdout);
      expect([built.code, built.stderr]).toEqual([source.code, source.stderr]);
      expect(built.packages).toEqual([]);
      expect(bundledIn(built.files)).not.toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^(?:undici|pino|chokidar|fastify|p-queue|prom-client)$/),
        ]),
      );
    }
  });
});

/** Names of the packages that the loaded chunks were made of: the bundler writes each file's path above it. */
function bundledIn(urls: readonly string[]): readonly string[] {
  const texts = urls
    .filter((url) => url.includes('/chunks/'))
    .map((url) => readFileSync(fileURLToPath(url), 'utf8'));
  const paths = texts.flatMap((text) => [
    ...text.matchAll(/^\/\/ .*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm),
  ]);
  const names = [...new Set(paths.map(([, name = '']) => name))];
  expect(names).toContain('yaml');
  return names;
}

test('the schema is a valid one, of JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
  expect(ajv.validateSchema(schema)).toBe(true);
});
