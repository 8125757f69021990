import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { fwdsync, type CommandResult } from './command.ts';

/** A program called `fwdsync` that prints the arguments and the environment that a shell gives to it. */
const WITNESS = `#!/bin/sh
printf '%s\\0' "$@"
printf '\\0'
env -0
`;

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fwdsync-witness-'));
  await writeFile(join(directory, 'fwdsync'), WITNESS);
  await chmod(join(directory, 'fwdsync'), 0o755);
});
afterAll(() => rm(directory, { recursive: true }));

/** Lets a shell take a line `fwdsync …` apart, and runs the built program in this process as the line says. */
export async function runInShell(
  line: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<CommandResult> {
  const { PATH = process.env['PATH'] ?? '' } = env;
  const options = { cwd, env: { ...env, PATH: [directory, PATH].join(delimiter) } };
  const { stdout } = await promisify(execFile)('sh', ['-c', line], options);
  const [args = '', given = ''] = stdout.split('\0\0');
  const pairs = Array.from(given.matchAll(/([^=\0]+)=([^\0]*)\0/g), ([, name = '', value = '']) => [
    name,
    value,
  ]);
  return fwdsync(args.split('\0'), { cwd, env: { ...Object.fromEntries(pairs), PATH } });
}
