import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { fwdsync, type CommandResult } from './command.ts';

/** Directory with a program `fwdsync` that prints its arguments. */
const WITNESS = join(import.meta.dirname, 'witness');

/** Lets a shell parse a line `fwdsync …`, and runs the built program in this process with these arguments. */
export async function runInShell(
  line: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<CommandResult> {
  const { PATH = process.env['PATH'] ?? '' } = env;
  const options = { cwd, env: { ...env, PATH: [WITNESS, PATH].join(delimiter) } };
  const { stdout } = await promisify(execFile)('sh', ['-c', line], options);
  const [args = '', given = ''] = stdout.split('\0\0');
  const pairs = Array.from(given.matchAll(/([^=\0]+)=([^\0]*)\0/g), ([, name = '', value = '']) => [
    name,
    value,
  ]);
  return fwdsync(args.split('\0'), { cwd, env: { ...Object.fromEntries(pairs), PATH } });
}
