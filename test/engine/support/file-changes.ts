import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** One of the ways in which the files of a manifest change. */
export interface FileChange {
  readonly name: string;
  /** Makes the manifest say `ana`; answers the path that is named with -f. */
  readonly prepare: (directory: string) => Promise<string>;
  /** Makes it say something else. */
  readonly change: (directory: string, forward: Forward) => Promise<void>;
}

export type Forward = 'ana' | 'bob' | 'eve';

/** A manifest whose alias has this destination. All destinations give a text of the same length. */
export function manifestText(forward: string): string {
  return `version: 1\ndomains:\n  acme.example: { aliases: { info: ${forward}@corp.example } }\n`;
}

/** A whole second, so that no file system rounds it. */
const OLD_TIME = 1_700_000_000;

export const FILE_CHANGES: readonly FileChange[] = [
  {
    name: 'written in place',
    prepare: writeFile,
    change: (directory, forward) => fs.writeFile(join(directory, 'm.yaml'), manifestText(forward)),
  },
  {
    name: 'replaced by an editor, which writes beside it and renames',
    prepare: writeFile,
    async change(directory, forward) {
      await fs.writeFile(join(directory, '.m.yaml.swp'), manifestText(forward));
      await fs.rename(join(directory, '.m.yaml.swp'), join(directory, 'm.yaml'));
    },
  },
  {
    name: 'moved away by an editor, which writes it anew',
    prepare: writeFile,
    async change(directory, forward) {
      await fs.rename(join(directory, 'm.yaml'), join(directory, 'm.yaml~'));
      await fs.writeFile(join(directory, 'm.yaml'), manifestText(forward));
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
    async change(directory, forward) {
      await fs.mkdir(join(directory, 'next'));
      await fs.writeFile(join(directory, 'next', 'm.yaml'), manifestText(forward));
      await fs.rename(join(directory, 'manifests'), join(directory, `before-${forward}`));
      await fs.rename(join(directory, 'next'), join(directory, 'manifests'));
    },
  },
  {
    name: 'a directory deleted and restored',
    prepare: writeDirectory,
    async change(directory, forward) {
      await fs.rm(join(directory, 'manifests'), { recursive: true });
      await sleep(50);
      await fs.mkdir(join(directory, 'manifests'));
      await fs.writeFile(join(directory, 'manifests', 'm.yaml'), manifestText(forward));
    },
  },
  {
    name: 'a git checkout',
    async prepare(directory) {
      const path = await writeDirectory(directory);
      git(path, 'init', '-q', '-b', 'ana');
      git(path, 'add', '.');
      git(path, 'commit', '-q', '-m', 'ana');
      for (const forward of ['bob', 'eve']) {
        git(path, 'checkout', '-q', '-b', forward);
        await fs.writeFile(join(path, 'm.yaml'), manifestText(forward));
        git(path, 'commit', '-q', '-a', '-m', forward);
      }
      git(path, 'checkout', '-q', 'ana');
      return path;
    },
    change: (directory, forward) =>
      Promise.resolve(git(join(directory, 'manifests'), 'checkout', '-q', forward)),
  },
  {
    name: 'the same size and time',
    async prepare(directory) {
      const path = await writeFile(directory);
      await fs.utimes(path, OLD_TIME, OLD_TIME);
      return path;
    },
    async change(directory, forward) {
      const path = join(directory, 'm.yaml');
      await fs.writeFile(path, manifestText(forward));
      await fs.utimes(path, OLD_TIME, OLD_TIME);
    },
  },
  {
    name: 'a file that is added to a directory below',
    prepare: writeDirectory,
    async change(directory, forward) {
      const path = join(directory, 'manifests');
      await fs.mkdir(join(path, forward));
      await fs.writeFile(join(path, forward, 'm.yaml'), manifestText(forward));
      await fs.rm(join(path, forward === 'eve' ? 'bob' : '.', 'm.yaml'));
    },
  },
];

export async function writeFile(directory: string): Promise<string> {
  const path = join(directory, 'm.yaml');
  await fs.writeFile(path, manifestText('ana'));
  return path;
}

async function writeDirectory(directory: string): Promise<string> {
  const path = join(directory, 'manifests');
  await fs.mkdir(path);
  await writeFile(path);
  return path;
}

/** Files of a ConfigMap as the kubelet writes them: m.yaml -> ..data/m.yaml, ..data -> a directory of this version. */
async function mountVolume(directory: string): Promise<string> {
  const path = join(directory, 'volume');
  await fs.mkdir(join(path, '..ana'), { recursive: true });
  await writeFile(join(path, '..ana'));
  await fs.symlink('..ana', join(path, '..data'));
  await fs.symlink('..data/m.yaml', join(path, 'm.yaml'));
  return path;
}

async function swapVolume(directory: string, forward: Forward): Promise<void> {
  const path = join(directory, 'volume');
  const before = await fs.readlink(join(path, '..data'));
  await fs.mkdir(join(path, `..${forward}`));
  await fs.writeFile(join(path, `..${forward}`, 'm.yaml'), manifestText(forward));
  await fs.symlink(`..${forward}`, join(path, '..data_tmp'));
  await fs.rename(join(path, '..data_tmp'), join(path, '..data'));
  await fs.rm(join(path, before), { recursive: true });
}

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@corp.example'];
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' });
}
