import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Identity for commits, without the machine's own configuration. */
export const GIT_ENV = {
  GIT_AUTHOR_NAME: 'Ana',
  GIT_AUTHOR_EMAIL: 'ana@corp.example',
  GIT_COMMITTER_NAME: 'Ana',
  GIT_COMMITTER_EMAIL: 'ana@corp.example',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
};

export interface Repository {
  readonly directory: string;
  /** Returns the output of git. Throws if git fails. */
  git(...args: readonly string[]): Promise<string>;
  /** Writes files and stages them. */
  stage(files: Readonly<Record<string, string>>): Promise<void>;
  /** Writes the files and commits them. Returns the commit's name. */
  commit(files: Readonly<Record<string, string>>): Promise<string>;
}

/** A real repository in this directory. */
export async function createRepository(
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Repository> {
  const git = async (...args: readonly string[]): Promise<string> => {
    const options = { cwd: directory, env: { PATH: process.env['PATH'], ...GIT_ENV, ...env } };
    return (await run('git', [...args], options)).stdout.trim();
  };
  await git('init', '--quiet', '--initial-branch', 'main');
  const stage = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    await git('add', '--', ...Object.keys(files));
  };
  return {
    directory,
    git,
    stage,
    async commit(files) {
      await stage(files);
      await git('commit', '--quiet', '--message', 'Change');
      return git('rev-parse', 'HEAD');
    },
  };
}
