import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/model/clock.ts';
import {
  createManifestSource,
  type ManifestLook,
  type SourceOptions,
} from '../../src/reconcile/manifest-source.ts';
import { watchFiles } from '../../src/reconcile/watch.ts';
import { virtualClock } from '../support/clock.ts';
import { temporaryDirectory } from '../support/directory.ts';

/** 28: every way in which the files of a manifest change, with real files. */
const text = (forward: string): string =>
  `version: 1\ndomains:\n  acme.example: { aliases: { info: ${forward}@corp.example } }\n`;

interface Change {
  readonly name: string;
  /** Makes the manifest say `ana`; answers the path that is named with -f. */
  readonly prepare: (directory: string) => Promise<string>;
  /** Makes it say `bob`. */
  readonly change: (directory: string) => Promise<void>;
}

const CHANGES: readonly Change[] = [
  {
    name: 'written in place',
    prepare: writeFile,
    change: (directory) => fs.writeFile(join(directory, 'm.yaml'), text('bob')),
  },
  {
    name: 'replaced by an editor, which writes beside it and renames',
    prepare: writeFile,
    async change(directory) {
      await fs.writeFile(join(directory, '.m.yaml.swp'), text('bob'));
      await fs.rename(join(directory, '.m.yaml.swp'), join(directory, 'm.yaml'));
    },
  },
  {
    name: 'moved away by an editor, which writes it anew',
    prepare: writeFile,
    async change(directory) {
      await fs.rename(join(directory, 'm.yaml'), join(directory, 'm.yaml~'));
      await fs.writeFile(join(directory, 'm.yaml'), text('bob'));
    },
  },
  {
    name: 'a directory as Kubernetes mounts it: ..data is swapped',
    prepare: (directory) => mountVolume(directory),
    change: swapVolume,
  },
  {
    name: 'one file of a directory as Kubernetes mounts it',
    prepare: async (directory) => join(await mountVolume(directory), 'm.yaml'),
    change: swapVolume,
  },
  {
    name: 'a directory replaced by a rename',
    prepare: writeDirectory,
    async change(directory) {
      await fs.mkdir(join(directory, 'next'));
      await fs.writeFile(join(directory, 'next', 'm.yaml'), text('bob'));
      await fs.rename(join(directory, 'manifests'), join(directory, 'before'));
      await fs.rename(join(directory, 'next'), join(directory, 'manifests'));
    },
  },
  {
    name: 'a directory deleted and restored',
    prepare: writeDirectory,
    async change(directory) {
      await fs.rm(join(directory, 'manifests'), { recursive: true });
      await sleep(50);
      await fs.mkdir(join(directory, 'manifests'));
      await fs.writeFile(join(directory, 'manifests', 'm.yaml'), text('bob'));
    },
  },
  {
    name: 'a git checkout',
    async prepare(directory) {
      const path = await writeDirectory(directory);
      git(path, 'init', '-q', '-b', 'main');
      git(path, 'add', '.');
      git(path, 'commit', '-q', '-m', 'ana');
      git(path, 'checkout', '-q', '-b', 'bob');
      await fs.writeFile(join(path, 'm.yaml'), text('bob'));
      git(path, 'commit', '-q', '-a', '-m', 'bob');
      git(path, 'checkout', '-q', 'main');
      return path;
    },
    change: (directory) => Promise.resolve(git(join(directory, 'manifests'), 'checkout', '-q', 'bob')),
  },
  {
    name: 'the same size and time',
    prepare: writeFile,
    async change(directory) {
      const path = join(directory, 'm.yaml');
      const { atime, mtime } = await fs.stat(path);
      await fs.writeFile(path, text('bob'));
      await fs.utimes(path, atime, mtime);
    },
  },
  {
    name: 'a file that is added to a directory below',
    prepare: writeDirectory,
    async change(directory) {
      await fs.mkdir(join(directory, 'manifests', 'more'));
      await fs.writeFile(join(directory, 'manifests', 'more', 'm.yaml'), text('bob'));
      await fs.rm(join(directory, 'manifests', 'm.yaml'));
    },
  },
];

async function writeFile(directory: string): Promise<string> {
  const path = join(directory, 'm.yaml');
  await fs.writeFile(path, text('ana'));
  return path;
}

async function writeDirectory(directory: string): Promise<string> {
  const path = join(directory, 'manifests');
  await fs.mkdir(path);
  await fs.writeFile(join(path, 'm.yaml'), text('ana'));
  return path;
}

/** As the kubelet lays a ConfigMap out: m.yaml -> ..data/m.yaml, ..data -> a directory of this version. */
async function mountVolume(directory: string): Promise<string> {
  const path = join(directory, 'volume');
  await fs.mkdir(join(path, '..1'), { recursive: true });
  await fs.writeFile(join(path, '..1', 'm.yaml'), text('ana'));
  await fs.symlink('..1', join(path, '..data'));
  await fs.symlink('..data/m.yaml', join(path, 'm.yaml'));
  return path;
}

async function swapVolume(directory: string): Promise<void> {
  const path = join(directory, 'volume');
  await fs.mkdir(join(path, '..2'));
  await fs.writeFile(join(path, '..2', 'm.yaml'), text('bob'));
  await fs.symlink('..2', join(path, '..data_tmp'));
  await fs.rename(join(path, '..data_tmp'), join(path, '..data'));
  await fs.rm(join(path, '..1'), { recursive: true });
}

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@corp.example'];
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' });
}

function sourceOf(
  path: string,
  options: Partial<SourceOptions> = {},
): ReturnType<typeof createManifestSource> {
  return createManifestSource({
    paths: [path],
    fs,
    stdin: Readable.from([]),
    cwd: '/',
    clock: virtualClock(),
    load: { references: 'required', resolve: () => null, apiVersion: 'v4' },
    ...options,
  });
}

function forwardOf(look: ManifestLook | null): string | undefined {
  const domain = look?.kind === 'good' ? [...look.desired.domains.values()][0] : undefined;
  const alias = domain?.state === 'present' ? [...(domain.aliases?.entries.values() ?? [])][0] : undefined;
  return alias?.state === 'present' ? alias.forward : undefined;
}

describe.each(CHANGES)('$name', ({ prepare, change }) => {
  test('is found in the content, whatever was heard of it', async () => {
    const directory = await temporaryDirectory();
    const source = sourceOf(await prepare(directory));
    expect(forwardOf(await source.look())).toBe('ana@corp.example');
    expect(await source.look()).toBeNull();
    await change(directory);
    expect(forwardOf(await source.look())).toBe('bob@corp.example');
    expect(await source.look()).toBeNull();
  });

  test('is heard of at once', async () => {
    const directory = await temporaryDirectory();
    const path = await prepare(directory);
    const heard = Promise.withResolvers<void>();
    const errors: unknown[] = [];
    const watch = watchFiles({
      paths: [path],
      onChange: () => heard.resolve(),
      onError: (error) => errors.push(error),
    });
    onTestFinished(() => watch.close());
    await watch.ready;
    await change(directory);
    await heard.promise;
    expect(errors).toEqual([]);
  });
});

test('a file that keeps changing while it is read is read until two readings agree', async () => {
  const directory = await temporaryDirectory();
  const path = await writeFile(directory);
  let left = 5;
  const clock: Clock = {
    ...virtualClock(),
    async sleep() {
      left -= 1;
      if (left >= 0) await fs.writeFile(path, left === 0 ? text('bob') : text(`half${left}`).slice(0, -10));
    },
  };
  expect(forwardOf(await sourceOf(path, { clock }).look())).toBe('bob@corp.example');
});

test('one that never comes to rest is refused, and read again at the next look', async () => {
  const directory = await temporaryDirectory();
  const path = await writeFile(directory);
  let count = 0;
  const clock: Clock = { ...virtualClock(), sleep: () => fs.writeFile(path, text(`a${(count += 1)}`)) };
  const source = sourceOf(path, { clock });
  expect(await source.look()).toMatchObject({ kind: 'bad' });
});

test('a value behind a reference that changes is a change of the manifest', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'm.yaml');
  await fs.writeFile(
    path,
    'version: 1\ndestinations: { boss: { env: BOSS } }\ndomains:\n  a.example: { aliases: { b: boss } }\n',
  );
  let boss = 'ana@corp.example';
  const source = sourceOf(path, { load: { references: 'required', resolve: () => boss, apiVersion: 'v4' } });
  expect(forwardOf(await source.look())).toBe('ana@corp.example');
  expect(await source.look()).toBeNull();
  boss = 'bob@corp.example';
  expect(forwardOf(await source.look())).toBe('bob@corp.example');
});

test('a path that is not there yet is heard of when it comes', async () => {
  const directory = await temporaryDirectory();
  const heard = Promise.withResolvers<void>();
  const path = join(directory, 'm.yaml');
  const watch = watchFiles({ paths: [path], onChange: () => heard.resolve(), onError: () => {} });
  onTestFinished(() => watch.close());
  await watch.ready;
  await fs.writeFile(path, text('ana'));
  await heard.promise;
});
