import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { checkPrinted } from './documents.ts';
import { execute, PROGRAM } from './program.ts';
import { runHere } from './run-here.ts';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Signal to send after the child's first output. */
  readonly signalWhenReady?: NodeJS.Signals;
  /** Maximum size of each file that it writes, in bytes. The system writes up to this size and then refuses. */
  readonly fileLimit?: number;
  /** Called with the running process. */
  readonly onSpawn?: (child: ChildProcess) => void;
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the built program, in this process unless an option concerns the process itself. */
export async function fwdsync(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { signalWhenReady, fileLimit, onSpawn } = options;
  const forProcess = [signalWhenReady, fileLimit, onSpawn, options.env?.['NODE_OPTIONS']];
  const isAboutProcess = forProcess.some((option) => option !== undefined);
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', ...options.env };
  const result = await (isAboutProcess
    ? runProcess(args, options, env)
    : runHere(execute, args, { cwd: process.cwd(), ...options, env }));
  checkPrinted({ ...result, env: options.env ?? {} });
  return result;
}

type Environment = Readonly<Record<string, string | undefined>>;

async function runProcess(
  args: readonly string[],
  { cwd = process.cwd(), stdin = '', fileLimit, signalWhenReady, onSpawn }: CommandOptions,
  env: Environment,
): Promise<CommandResult> {
  const [program = PROGRAM, ...rest] = commandLine(args, fileLimit);
  const child = spawn(program, rest, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {}); // it may end before it has read
  child.stdin.end(stdin);
  onSpawn?.(child);
  if (signalWhenReady !== undefined) child.stdout.once('data', () => child.kill(signalWhenReady));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** Starts the published program, with a limit on the size of files if one is given. */
export function commandLine(args: readonly string[], fileLimit: number | undefined): readonly string[] {
  return fileLimit === undefined ? [PROGRAM, ...args] : ['prlimit', `--fsize=${fileLimit}`, PROGRAM, ...args];
}
