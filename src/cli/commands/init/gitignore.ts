import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { commandFailure } from '../../exit.ts';
import { fileFault } from '../../output/files.ts';

const NAME = '.gitignore';
const KEY_FILES = ['.env', '*.key', 'fwdsync-key*', 'secrets/'];

/** Writes a .gitignore for keys and state. Returns the lines that an existing one lacks: it stays as it is. */
export async function saveGitignore(
  { cwd, stderr }: Pick<Context, 'cwd' | 'stderr'>,
  stateDirectory: string | null,
): Promise<readonly string[]> {
  const lines = [...KEY_FILES, stateDirectory === null ? 'state/' : `/${stateDirectory}/`];
  const path = resolve(cwd, NAME);
  try {
    await writeFile(path, `# Keys and the state of fwdsync\n${lines.join('\n')}\n`, { flag: 'wx' });
    stderr.write(`wrote ${NAME}\n`);
    return [];
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'EEXIST')
      throw commandFailure(fileFault(NAME, error, 'written'), 'check the path and its permissions');
  }
  const present = await readFile(path, 'utf8').catch(() => '');
  const ignored = new Set(present.split(/\r?\n/));
  return lines.filter((line) => !ignored.has(line));
}
