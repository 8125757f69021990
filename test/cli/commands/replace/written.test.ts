import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fwdsync, type CommandResult } from '../../../support/command.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { changesOf, struck } from '../../support/struck.ts';
import { IS_FULL, runs } from '../../../support/share.ts';

const NAMES = ['a.yaml', 'b.yaml', 'c.yaml'];
const OLD = (name: string): string =>
  `version: 1\ndomains: { ${name[0]}.example: { aliases: { sales: ben@corp.example } } } # ${name}\n`;
const NEW = (name: string): string => OLD(name).replace('ben', 'dan');

async function openFiles(): Promise<string> {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'parts'));
  for (const name of NAMES) await writeFile(join(directory, 'parts', name), OLD(name));
  return directory;
}

const read = (directory: string, name: string): Promise<string> =>
  readFile(join(directory, 'parts', name), 'utf8');

const REPLACE = ['replace', 'ben@corp.example', 'dan@corp.example', '-f', 'parts'];

function replace(directory: string, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  return fwdsync(REPLACE, { cwd: directory, env: { FWDSYNC_STATE_DIR: join(directory, 'state'), ...env } });
}

test(
  'killed at every write: each file is old or new, and the next call does what is left',
  { timeout: 300_000 },
  async () => {
    const whole = await replace(await openFiles(), struck());
    const changes = changesOf(whole);
    // Each file is created, filled, flushed and renamed. Leftovers beside it are removed.
    expect([whole.code, changes]).toEqual([0, NAMES.length * 5]);
    const left: number[] = [];
    const all = Array.from({ length: changes }, (_, index) => index + 1);
    for (const nth of runs(all, [11])) {
      const directory = await openFiles();
      const { code } = await replace(directory, struck({ KILLED_AT: String(nth) }));
      expect(code).toBe(null);
      const texts = await Promise.all(NAMES.map((name) => read(directory, name)));
      const old = NAMES.filter((name, index) => texts[index] === OLD(name));
      const replaced = NAMES.filter((name, index) => texts[index] === NEW(name));
      expect([...replaced, ...old]).toEqual(NAMES);
      left.push(old.length);
      const next = await replace(directory);
      const told = NAMES.filter((name) => next.stdout.includes(`parts/${name}`));
      expect([next.code, told]).toEqual([0, old]);
      for (const name of NAMES) expect(await read(directory, name)).toBe(NEW(name));
    }
    expect([...new Set(left)]).toEqual(runs([3, 2, 1, 0], [2]));
  },
);

test('files that another hand changed meanwhile end it before anything is written', async () => {
  const directory = await openFiles();
  const file = join(directory, 'parts/c.yaml');
  const { code, stdout, stderr } = await replace(directory, struck({ MEANWHILE: file }));
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('error: parts/c.yaml was changed meanwhile; nothing was written');
  expect(await read(directory, 'a.yaml')).toBe(OLD('a.yaml'));
  expect(await read(directory, 'c.yaml')).toContain('# by another hand');
  expect(await readdir(join(directory, 'parts'))).toEqual(NAMES);
});

describe('if a file cannot be replaced', () => {
  test('replaced files are restored', async () => {
    const directory = await openFiles();
    const { code, stderr } = await replace(directory, struck({ FAILS_FROM: '3', FAILS_UNTIL: '3' }));
    expect(code).toBe(1);
    expect(stderr).toContain('parts/c.yaml cannot be written: no permission; nothing was changed');
    for (const name of NAMES) expect(await read(directory, name)).toBe(OLD(name));
    expect(await readdir(join(directory, 'parts'))).toEqual(NAMES);
  });

  test.runIf(IS_FULL)('files that cannot be restored are named', async () => {
    const directory = await openFiles();
    const { code, stderr } = await replace(directory, struck({ FAILS_FROM: '2', FAILS_UNTIL: '9' }));
    expect(code).toBe(1);
    expect(stderr).toContain('no permission; these stay changed: parts/a.yaml');
    expect(await read(directory, 'a.yaml')).toBe(NEW('a.yaml'));
    expect(await readdir(join(directory, 'parts'))).toEqual(NAMES);
  });
});

test('a link stays a link, and the file keeps its mode', async () => {
  const directory = await openFiles();
  const file = join(directory, 'real.yaml');
  await writeFile(file, OLD('d.yaml'), { mode: 0o640 });
  await symlink('../real.yaml', join(directory, 'parts/d.yaml'));
  expect((await replace(directory)).code).toBe(0);
  expect(await readlink(join(directory, 'parts/d.yaml'))).toBe('../real.yaml');
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual([NEW('d.yaml'), 0o640]);
});
