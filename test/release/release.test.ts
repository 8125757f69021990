import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { temporaryDirectory } from '../support/directory.ts';
import { everyNth } from '../support/share.ts';

const ROOT = join(import.meta.dirname, '../..');
const TAG = `v${pkg.version}`;
const CHANGELOG = `# Changelog

## Unreleased

- Not yet.

## ${pkg.version} - 2026-12-01

- The first thing.

- The second thing,
  on two lines.

## 0.0.9

- An older thing.
`;

/** Runs the script on the files of this repository, with some of them changed. */
async function release(
  action: string,
  tag: string,
  changes: Readonly<Record<string, (text: string) => string>> = { 'CHANGELOG.md': () => CHANGELOG },
): Promise<{ readonly code: number; readonly printed: string }> {
  const directory = await temporaryDirectory();
  for (const path of [
    'package.json',
    'package-lock.json',
    'action.yml',
    'README.md',
    'CHANGELOG.md',
    'examples',
  ])
    await cp(join(ROOT, path), join(directory, path), { recursive: true });
  for (const [path, change] of Object.entries(changes))
    await writeFile(join(directory, path), change(await readFile(join(ROOT, path), 'utf8')));
  return new Promise((resolve) => {
    const args = [join(ROOT, '.ci/release.mjs'), action, tag, directory];
    execFile(process.execPath, args, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), printed: stdout + stderr });
    });
  });
}

describe('the notes of a release', () => {
  test('are the section of its version in the changelog', async () => {
    expect(await release('notes', TAG)).toEqual({
      code: 0,
      printed: '- The first thing.\n\n- The second thing,\n  on two lines.\n',
    });
  });

  test.each(
    everyNth(3, [
      ['there is no section', '# Changelog\n\n## Unreleased\n\n- Not yet.\n'],
      ['the section is empty', `# Changelog\n\n## ${pkg.version}\n\n## 0.0.9\n\n- Older.\n`],
      ['only a longer version has one', `# Changelog\n\n## ${pkg.version}-rc.1\n\n- A candidate.\n`],
    ]),
  )('do not exist if %s', async (_case, text) => {
    const { code, printed } = await release('notes', TAG, { 'CHANGELOG.md': () => text });
    expect([code, printed]).toEqual([1, `CHANGELOG.md has no section "## ${pkg.version}" with text\n`]);
  });
});

describe('the check of versions', () => {
  test('passes when every file states that of the tag', async () => {
    expect(await release('check', TAG)).toEqual({ code: 0, printed: `${TAG}: every file states it\n` });
  });

  test('names every file that states another one', async () => {
    const { code, printed } = await release('check', 'v9.9.9');
    expect(code).toBe(1);
    for (const path of ['package.json', 'package-lock.json', 'action.yml', 'README.md', 'CHANGELOG.md'])
      expect(printed).toContain(path);
    for (const path of ['hooks/.pre-commit-config.yaml', 'ci/gitlab/.gitlab-ci.yml', 'ci/github/merge.yml'])
      expect(printed).toContain(`examples/${path} has version ${pkg.version}, not 9.9.9\n`);
  });

  test('fails when one file was forgotten, or states none', async () => {
    const { printed } = await release('check', TAG, {
      'CHANGELOG.md': () => CHANGELOG,
      'action.yml': (text) => text.replace(`fwdsync@${pkg.version}`, 'fwdsync@0.0.9'),
      'README.md': () => '# fwdsync\n',
    });
    expect(printed).toBe(`action.yml has version 0.0.9, not ${pkg.version}\nREADME.md states no version\n`);
  });

  test.each(everyNth(4, ['main', '1.2.3', 'v1.2', '']))(
    'refuses %j, which is no tag of a release',
    async (tag) => {
      expect(await release('check', tag)).toMatchObject({
        code: 1,
        printed: expect.stringContaining('usage:') as unknown,
      });
    },
  );
});

test('RELEASING.md fits into 20 lines', async () => {
  const text = await readFile(join(ROOT, 'RELEASING.md'), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
});
