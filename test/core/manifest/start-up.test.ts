import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import schema from '../../../schemas/manifest.v1.schema.json' with { type: 'json' };
import { systemClock } from '../../../src/cli/context.ts';
import { runCommand } from '../../golden/support/cli.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { acme } from './support/loading.ts';
import { measure, SOURCES, type Measured } from './support/measured.ts';
import { everyNth } from '../../support/share.ts';

const PATTERN = acme('rules: [{ name: r, regex: .*a.*, scopes: [body], forward: a@b.example }]');
const EXPRESSION = acme('rules: [{ name: r, expression: \'subject.contains("a")\', forward: a@b.example }]');
/** Libraries that every check of a manifest needs; the last three are ajv's own. */
const NEEDED = ['ajv', 'commander', 'yaml', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse'].sort();

describe('validate loads what it needs', () => {
  test.each(
    everyNth(3, [
      ['of a manifest without patterns', acme('aliases: { a: b@c.example }'), []],
      ['with a pattern', PATTERN, ['re2js']],
      ['with an expression', EXPRESSION, ['@marcbachmann/cel-js']],
    ]),
  )('%s', async (_, text, more) => {
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

  test.each(
    everyNth(5, [
      ['of faults', FAULTY],
      ['of a list', '- a list\n'],
      ['of a pattern', PATTERN],
      ['of an expression', EXPRESSION],
      ['of aliases', acme('aliases: { a: b@c.example }')],
    ]),
  )('checks like the sources, and loads no package: a manifest %s', async (_, text) => {
    const file = join(await temporaryDirectory(), 'fwdsync.yaml');
    await writeFile(file, text);
    const line = ['validate', '--format', 'json', '-f', file];
    const built = await measure(line);
    expect(printedBy(built)).toEqual(await printedBySources(line));
    expect(built.packages).toEqual([]);
  });

  test.each(
    everyNth(11, [
      [['--version']],
      [['--help']],
      [['--help', 'plan']],
      [['help', 'plan']],
      [['completion', 'words', '--', '2', 'fwdsync', 'plan', '--format']],
      [['-V', 'plan']],
      [['completion', 'bash']],
      [['--', 'show', 'none.json']],
      [['show', 'none.json']],
      [['valdate']],
      [[]],
    ]),
  )('answers %j like the sources', async (line) => {
    expect(printedBy(await measure(line))).toEqual(await printedBySources(line));
  });
});

function printedBy({ code, stdout, stderr }: Measured): readonly unknown[] {
  return [code, stdout, stderr];
}

/** Runs the sources in this process. */
async function printedBySources(line: readonly string[]): Promise<readonly unknown[]> {
  const terminal = { cwd: process.cwd(), env: {}, clock: systemClock };
  const { exitCode, stdout, stderr } = await runCommand(line, terminal);
  return [exitCode, stdout, stderr];
}

test('the schema is a valid one, of JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
  expect(ajv.validateSchema(schema)).toBe(true);
});
