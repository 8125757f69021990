import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { concealing } from '../../../src/cli/output/log/concealing-stream.ts';
import { createConcealer } from '../../../src/service/conceal/concealer.ts';
import { commandScene } from '../support/scene.ts';

const MANIFEST = 'domains:\n  acme.example:\n    aliases: { sales: carol@corp.example }\n';

describe('64, with what to do', () => {
  test.each([
    [['plan', 'fwdsync.yaml'], 'name a manifest with -f: `fwdsync plan -f /'],
    [['validate', 'fwdsync.yaml'], 'name a manifest with -f: `fwdsync validate -f /'],
    [['account', 'fwdsync.yaml'], 'fwdsync account takes no argument "fwdsync.yaml" here\n'],
    [['export', 'fwdsync.yaml'], 'name the file with --out: `fwdsync export --out /'],
    [['publish', '-f', 'none.yaml', '--store', 'mysql://x/y'], '--store: '],
    [['plan', '-f', 'none.yaml', '--store', 'mysql://x/y'], '--store: '],
    [['run', '--once', '-f', 'none.yaml', '--store', 'mysql://x/y'], '--store: '],
    [['emulator', '--port', '99999'], 'It must be a port, from 0 to 65535.'],
    [['emulator', '--port', 'x'], 'It must be a port, from 0 to 65535.'],
    [['run', '--listen', 'x:70000'], '--listen x:70000: 70000 is not a port'],
    [['run', '--listen', 'x:123456789'], '123456789 is not a port'],
    [['run', '--listen', 'x:y'], '--listen x:y: it is not an address'],
    [
      ['route', 'sales@acme.example', '--api-url', 'https://api.example/v4'],
      '--api-url has no effect without',
    ],
    [['route', 'sales@acme.example', '--account', 'a@b.example'], '--account has no effect without --live'],
  ])('%j', async (args, words) => {
    const scene = await commandScene({ manifest: MANIFEST });
    const { code, stdout, stderr } = await scene.run(args);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain(words);
    expect(scene.requests()).toEqual([]);
  });
});

describe('1: a file that cannot be used, in plain words', () => {
  test.each([
    [['validate', '-f', 'none.yaml'], 'none.yaml does not exist'],
    [['plan', '-f', 'none.yaml'], 'none.yaml does not exist'],
    [['show', 'none.json'], 'none.json does not exist'],
    [['apply', 'none.json', '--yes'], 'none.json does not exist'],
    [['apply', 'fwdsync.yaml', '--yes'], 'name a manifest with -f; a saved plan is made with plan --out'],
    [['show', 'directory'], 'directory cannot be read: it is a directory'],
    [['emulator', '--faults', 'none.json'], 'none.json does not exist'],
    [['emulator', '--from', 'none.yaml'], 'none.yaml does not exist'],
    [['export', '--update', 'none.yaml'], 'none.yaml does not exist'],
    [
      ['export', '--out', 'none/fwdsync.yaml'],
      'none/fwdsync.yaml cannot be written: its directory does not exist',
    ],
    [['plan', '--out', 'directory'], 'directory cannot be written: it is a directory'],
    [['plan', '--accounts', 'none'], 'none does not exist'],
  ])('%j', async (args, words) => {
    const scene = await commandScene({
      manifest: MANIFEST,
      seed: { domains: [{ domain: 'acme.example' }] },
    });
    await mkdir(join(scene.directory, 'directory'));
    const { code, stderr } = await scene.run(args);
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/\b(?:ENOENT|EISDIR|EACCES)\b/);
    expect(code).toBe(1);
  });
});

test('a terminal that says 0 columns does not know its width, also behind what conceals', () => {
  const stream = Object.assign(new PassThrough(), { columns: 0, isTTY: true });
  expect(concealing(stream, createConcealer({ mask: false })).columns).toBe(80);
});
