import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { systemProcesses } from '../../../src/engine/state/processes.ts';
import { openStateDirectory } from '../../../src/engine/state/directory.ts';
import type { StateStore } from '../../../src/engine/state/store.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import { NO_PRIOR, NO_PRIOR_DOMAIN } from '../../../src/core/model/prior.ts';
import { virtualClock } from '../../support/clock.ts';
import { temporaryDirectory } from '../../support/directory.ts';

// Files that another user may put into or in place of the state directory, before or between runs.

function open(directory: string, uid?: number): StateStore {
  const processes = systemProcesses(fs, 'test');
  return openStateDirectory({
    directory,
    account: 'ops@acme.example',
    apiUrl: 'https://api.example/v4',
    fs,
    clock: virtualClock(),
    processes: uid === undefined ? processes : { ...processes, uid },
  });
}

/** Does everything that a run does with its state. Returns the refused parts. */
async function useAll(store: StateStore): Promise<readonly string[]> {
  const lock = await store.lock();
  const { prior, warnings } = await store.prior();
  expect(prior).toEqual(NO_PRIOR);
  const domains = new Map([['acme.example' as DomainName, NO_PRIOR_DOMAIN]]);
  const results = [
    await store.saveSnapshot('version: 1\n'),
    await store.saveReport('{}\n'),
    await store.remember({ domains, manifest: { domains: new Set(domains.keys()), entries: 1 } }),
  ];
  await store.fingerprint('password');
  if (lock.ok) await lock.value.release();
  const faults = [lock, ...results].flatMap((result) => (result.ok ? [] : [result.error.message]));
  return [...faults, ...warnings.map(({ message }) => message)];
}

async function contentOf(directory: string): Promise<readonly string[]> {
  const entries = await fs.readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.toSorted().map(async (file) => `${file}: ${await fs.readFile(file, 'utf8')}`));
}

/** A directory that a link points to, with files that look like those of fwdsync. */
async function elsewhere(): Promise<{ readonly path: string; readonly unchanged: () => Promise<void> }> {
  const path = await temporaryDirectory();
  for (let number = 0; number < 70; number += 1) {
    await fs.writeFile(join(path, `2020-01-01_${number}.yaml`), 'precious');
    await fs.writeFile(join(path, `2020-01-01_${number}.json`), 'precious');
    await fs.writeFile(join(path, `${number}.tmp`), 'precious');
  }
  const before = await contentOf(path);
  return { path, unchanged: async () => expect(await contentOf(path)).toEqual(before) };
}

describe('a link in the state directory leads nowhere', () => {
  test.each(['snapshots', 'reports', 'domains', ''])('as the directory %j', async (name) => {
    const root = await temporaryDirectory();
    const outside = await elsewhere();
    const { place } = open(root);
    if (name !== '') await fs.mkdir(place, { mode: 0o700 });
    await fs.symlink(outside.path, join(place, name).replace(/\/$/, ''));
    const faults = await useAll(open(root));
    expect(faults.join('\n')).toMatch(/ is a link; the state must be in a real directory/);
    await outside.unchanged();
  });

  test('as the state directory itself', async () => {
    const outside = await elsewhere();
    const root = join(await temporaryDirectory(), 'state');
    await fs.symlink(outside.path, root);
    const [lock, ...faults] = await useAll(open(root));
    expect(lock).toMatch(/cannot be locked: .* is a link/);
    expect(faults).toHaveLength(4);
    await outside.unchanged();
  });

  test.each(['salt', 'manifests.json', 'domains/acme.example.json', 'lock.1', 'lock.7'])(
    'as the file %s',
    async (name) => {
      const root = await temporaryDirectory();
      const { place } = open(root);
      await fs.mkdir(join(place, 'domains'), { recursive: true, mode: 0o700 });
      const target = join(await temporaryDirectory(), 'target');
      await fs.writeFile(target, `${'0'.repeat(64)}\n`);
      await fs.symlink(target, join(place, name));
      await useAll(open(root));
      expect(await fs.readFile(target, 'utf8')).toBe(`${'0'.repeat(64)}\n`);
    },
  );
});

test('a FIFO in place of a state file is an error, not a hang', async () => {
  const root = await temporaryDirectory();
  const { place } = open(root);
  await fs.mkdir(join(place, 'domains'), { recursive: true, mode: 0o700 });
  for (const name of ['lock.3', 'salt', 'manifests.json', 'domains/acme.example.json']) {
    execFileSync('mkfifo', [join(place, name)]);
  }
  const faults = await useAll(open(root));
  expect(faults.join('\n')).toContain('lock.3 is not a file');
});

describe('a directory that others can write to is refused, and nothing in it is touched', () => {
  test.each([0o777, 0o1777, 0o770, 0o702])('mode %o', async (mode) => {
    const root = join(await temporaryDirectory(), 'state');
    await fs.mkdir(root);
    await fs.chmod(root, mode);
    const [lock, ...faults] = await useAll(open(root));
    expect(lock).toContain(`others can write to ${root}`);
    expect(lock).toContain(`chmod 700 ${root}`);
    expect(faults).toHaveLength(4);
    expect(await fs.readdir(root)).toEqual([]);
  });

  test.each(['', 'snapshots'])('below the root: %j', async (name) => {
    const root = await temporaryDirectory();
    const { place } = open(root);
    await fs.mkdir(join(place, name), { recursive: true, mode: 0o700 });
    await fs.chmod(join(place, name), 0o777);
    expect((await useAll(open(root))).join('\n')).toContain('others can write to');
    expect((await fs.readdir(join(place, name))).filter((file) => /yaml|json/.test(file))).toEqual([]);
  });

  test('readable by others it may be', async () => {
    const root = await temporaryDirectory();
    await fs.chmod(root, 0o755);
    expect(await useAll(open(root))).toEqual([]);
  });
});

test('a directory of another user is refused', async () => {
  const root = await temporaryDirectory();
  const { uid } = await fs.stat(root);
  const [lock] = await useAll(open(root, uid + 1));
  expect(lock).toContain(`${root} belongs to user ${uid}, and this is user ${uid + 1}`);
  expect(await fs.readdir(root)).toEqual([]);
});

test('directories are created for their owner only, with any umask', async () => {
  const root = join(await temporaryDirectory(), 'a', 'state');
  const before = process.umask(0);
  try {
    expect(await useAll(open(root))).toEqual([]);
  } finally {
    process.umask(before);
  }
  for (const entry of await fs.readdir(root, { recursive: true, withFileTypes: true })) {
    const { mode } = await fs.stat(join(entry.parentPath, entry.name));
    expect([entry.name, mode & 0o077]).toEqual([entry.name, 0]);
  }
  expect((await fs.stat(root)).mode & 0o777).toBe(0o700);
});
