import { execFileSync } from 'node:child_process';
import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import schema from '../../schemas/manifest.v1.schema.json' with { type: 'json' };
import { temporaryDirectory } from '../support/directory.ts';
import { ENTRY } from '../support/program.ts';
import { acme } from './support/loading.ts';
import { measure, SOURCES } from './support/measured.ts';

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
    const { code, stderr, packages } = await measure(['validate', '-f', '-'], {
      program: SOURCES,
      stdin: text,
    });
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

  const CACHED = { NODE_DISABLE_COMPILE_CACHE: undefined };

  function validate(stdin: string, env: Readonly<Record<string, string>> = {}) {
    const args = ['validate', '--format', 'json', '-f', '-'];
    return measure(args, { stdin, env: { ...CACHED, ...env } });
  }

  test.each([
    ['of faults', FAULTY, ['re2js', 'yaml']],
    ['of a list', '- a list\n', []],
    ['of a pattern', PATTERN, ['re2js']],
    ['of an expression', EXPRESSION, ['@marcbachmann-cel-js']],
    ['of aliases', acme('aliases: { a: b@c.example }'), []],
  ])('checks like the sources, and loads no other library: a manifest %s', async (_, text, libraries) => {
    const cache = await temporaryDirectory();
    const source = await measure(['validate', '--format', 'json', '-f', '-'], {
      program: SOURCES,
      stdin: text,
    });
    for (const kept of ['nothing', 'all']) {
      const built = await validate(text, { NODE_COMPILE_CACHE: cache });
      expect([kept, built.stdout]).toEqual([kept, source.stdout]);
      expect([built.code, built.stderr]).toEqual([source.code, source.stderr]);
      expect(built.packages).toEqual([]);
    }
    expect(keptIn(cache).map((name) => name.replace(/-[A-Z0-9]{8}\.cjs$/, ''))).toEqual([
      ...libraries.map((name) => `validate-libraries-${name}`),
      'validate-validate',
    ]);
  });

  test('opens no stream for what it prints in a pipe', async () => {
    const directory = await temporaryDirectory();
    const modules = join(directory, 'modules.cjs');
    writeFileSync(
      modules,
      "process.on('exit', () => require('fs').writeFileSync(__filename + '.json', JSON.stringify(process.moduleLoadList)));",
    );
    const manifest = join(directory, 'plain.yaml');
    writeFileSync(manifest, acme('aliases: { a: b@c.example }'));
    const args = ['--require', modules, ENTRY, 'validate', '-f', manifest];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toContain('valid: ');
    const loaded = JSON.parse(readFileSync(`${modules}.json`, 'utf8')) as readonly string[];
    expect(loaded).toContain('NativeModule fs');
    expect(loaded.filter((name) => /^NativeModule (stream|net|tty|crypto)$/.test(name))).toEqual([]);
  });

  test.each([
    [['--version']],
    [['--help']],
    [['--help', 'plan']],
    [['help', 'plan']],
    [['--', 'show', 'none.json']],
    [['-V', 'plan']],
    [['completion', 'bash']],
    [['completion', 'words', '--', '2', 'fwdsync', 'plan', '--format']],
    [['show', 'none.json']],
    [['valdate']],
    [[]],
  ])('answers %j like the sources', async (line) => {
    const [built, source] = [await measure(line), await measure(line, { program: SOURCES })];
    expect([built.code, built.stdout, built.stderr]).toEqual([source.code, source.stdout, source.stderr]);
  });

  test('keeps what was compiled below the home directory, readable by its user alone', async () => {
    const HOME = await temporaryDirectory();
    const cache = join(HOME, '.cache/fwdsync');
    expect((await validate(PATTERN, { HOME })).code).toBe(0);
    expect(keptIn(cache)).toHaveLength(2);
    for (const path of pathsIn(cache)) expect(statSync(path).mode & 0o777).toBe(0o600);
    const XDG_CACHE_HOME = await temporaryDirectory();
    expect((await validate(PATTERN, { HOME, XDG_CACHE_HOME })).code).toBe(0);
    expect(keptIn(join(XDG_CACHE_HOME, 'fwdsync'))).toHaveLength(2);
  });

  test('keeps nothing where it must not, cannot, or was called wrongly', async () => {
    const cache = await temporaryDirectory();
    const env = { NODE_COMPILE_CACHE: cache };
    expect((await validate(PATTERN, { ...env, NODE_DISABLE_COMPILE_CACHE: '1' })).code).toBe(0);
    expect((await measure(['valdate'], { env: { ...CACHED, ...env } })).code).toBe(64);
    expect((await validate(PATTERN, { HOME: '/dev/null' })).code).toBe(0);
    expect((await validate(PATTERN, { NODE_COMPILE_CACHE: '/dev/null/none' })).code).toBe(0);
    expect(keptIn(cache)).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)('runs nothing that another user has kept', async () => {
    const cache = await temporaryDirectory();
    const env = { NODE_COMPILE_CACHE: cache };
    const { stdout } = await validate(PATTERN, env);
    const another = 65_534;
    for (const path of pathsIn(cache)) chownSync(path, another, another);
    expect(await validate(PATTERN, env)).toMatchObject({ code: 0, stdout });
    expect(pathsIn(cache).map((path) => statSync(path).uid)).toEqual([0, 0]);
  });

  test('replaces what it cannot use', async () => {
    const cache = await temporaryDirectory();
    const env = { NODE_COMPILE_CACHE: cache };
    const { stdout } = await validate(PATTERN, env);
    const damages: readonly ((whole: Buffer) => Buffer)[] = [
      () => Buffer.alloc(0),
      () => Buffer.from('no code'),
      (whole) => whole.subarray(0, whole.length / 2),
      (whole) => whole.fill(~(whole[whole.length / 4] ?? 0), whole.length / 4, whole.length / 4 + 1),
      (whole) => whole.fill(0xff, 36, 40),
    ];
    for (const damage of damages) {
      for (const path of pathsIn(cache)) {
        const whole = readFileSync(path);
        const damaged = damage(Buffer.from(whole));
        writeFileSync(path, damaged);
        expect(await validate(PATTERN, env)).toMatchObject({ code: 0, stdout, stderr: '' });
        expect(readFileSync(path).equals(damaged)).toBe(false);
        expect(readFileSync(path).length).toBeGreaterThan(whole.length * 0.9);
      }
    }
  });
});

function keptIn(cache: string): readonly string[] {
  return pathsIn(cache).map((path) => basename(path));
}

/** Of the files that the program keeps, without those of Node. */
function pathsIn(cache: string): readonly string[] {
  return readdirSync(cache, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.cjs'))
    .map((path) => join(cache, path))
    .sort();
}

test('the schema is a valid one, of JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
  expect(ajv.validateSchema(schema)).toBe(true);
});
