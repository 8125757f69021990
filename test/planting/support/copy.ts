import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { temporaryDirectory } from '../../support/directory.ts';
import { IS_FULL } from '../../support/share.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const run = promisify(execFile);

/** Files and edits to plant. */
export interface Planting {
  /** Folder below test/planting/ whose src/ is copied over the sources; null means no files. */
  readonly folder: string | null;
  /** Replacements of text, by file. Every occurrence is replaced. */
  readonly edits: Readonly<Record<string, readonly (readonly [text: string, replacement: string])[]>>;
}

/** Copies the sources; returns the directory. */
export async function copySources(): Promise<string> {
  const directory = await temporaryDirectory();
  for (const part of ['src', 'schemas', 'build', 'build.ts', 'package.json', 'tsconfig.json']) {
    await cp(join(ROOT, part), join(directory, part), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

/** Plants in a copy. */
export async function plant(directory: string, { folder, edits }: Planting): Promise<void> {
  if (folder !== null)
    await cp(join(ROOT, 'test/planting', folder, 'src'), join(directory, 'src'), { recursive: true });
  for (const [file, replacements] of Object.entries(edits)) {
    const path = join(directory, file);
    let content = await readFile(path, 'utf8');
    for (const [text, replacement] of replacements) {
      expect(content, file).toContain(text);
      content = content.replaceAll(text, replacement);
    }
    await writeFile(path, content);
  }
}

/** Returns the lines that a copy has more than the sources, outside the emulator, by file. Throws if a line is missing. */
export async function plantedLines(directory: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const planted: Record<string, readonly string[]> = {};
  for (const file of await filesBelow(join(directory, 'src'))) {
    if (file.startsWith('emulator/')) continue;
    const lines = await linesOf(join(directory, 'src', file));
    const before = await linesOf(join(ROOT, 'src', file));
    const more = lines.filter((line) => !before.includes(line));
    expect(
      before.filter((line) => !lines.includes(line)),
      file,
    ).toStrictEqual([]);
    if (more.length > 0) planted[file] = more;
  }
  return planted;
}

async function linesOf(path: string): Promise<readonly string[]> {
  return (await readFile(path, 'utf8').catch(() => '')).split('\n');
}

async function checkTypes(directory: string): Promise<void> {
  const config = { extends: './tsconfig.json', include: ['src'] };
  await writeFile(join(directory, 'tsconfig.planted.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const checked = run(process.execPath, [tsc, '-p', 'tsconfig.planted.json'], { cwd: directory });
  const faults = checked.then(
    () => '',
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
  expect(await faults).toBe('');
}

/** Builds the program of a copy. With `npm run prove`, checks the types first, which takes seconds. */
export async function buildCopy(directory: string): Promise<void> {
  if (IS_FULL) await checkTypes(directory);
  await run(process.execPath, ['build.ts'], { cwd: directory });
}

async function filesBelow(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}
