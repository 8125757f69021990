import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { checkPrinted } from './documents.ts';
import { PROGRAM } from './program.ts';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Sent when the child has printed something. */
  readonly signalWhenReady?: NodeJS.Signals;
  /** Bytes at which each file that it writes is full: the system writes a part, and then refuses. */
  readonly fileLimit?: number;
  /** Called with the running process. */
  readonly onSpawn?: (child: ChildProcess) => void;
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real command as a child process, with nothing of this process's environment but the path. */
export async function fwdsync(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const [program = PROGRAM, ...rest] = commandLine(args, options.fileLimit);
  const child = spawn(program, rest, {
    cwd: options.cwd ?? process.cwd(),
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {}); // it may end before it has read
  child.stdin.end(options.stdin ?? '');
  options.onSpawn?.(child);
  const { signalWhenReady } = options;
  if (signalWhenReady !== undefined) child.stdout.once('data', () => child.kill(signalWhenReady));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  checkPrinted({ stdout, stderr, env: options.env ?? {} });
  return { code: child.exitCode, stdout, stderr };
}

/** The published program, where a limit is given with files that are full at so many bytes. */
export function commandLine(args: readonly string[], fileLimit: number | undefined): readonly string[] {
  return fileLimit === undefined ? [PROGRAM, ...args] : ['prlimit', `--fsize=${fileLimit}`, PROGRAM, ...args];
}
