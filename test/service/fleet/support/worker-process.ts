import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PROGRAM } from '../../../support/program.ts';

/** `fwdsync run` as a worker, in a separate process. */
export interface WorkerProcess {
  readonly pid: number;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM and waits for the end. Resolves to the exit code. */
  stop(): Promise<number | null>;
  /** Kills it, as a crash does. */
  kill(): Promise<void>;
}

/** Resolves once it answers probes. */
export async function startWorker(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<WorkerProcess> {
  const child = spawn(PROGRAM, ['run', '--listen', '127.0.0.1:0', ...args], {
    cwd: '/',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await ended;
  };
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.includes('"event":"status.listening"')) resolve();
    });
    void ended.then(() => reject(new Error(`the worker ended with ${child.exitCode}`)));
  });
  return {
    pid: child.pid ?? 0,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    signal: (signal) => void child.kill(signal),
    async stop() {
      await end('SIGTERM');
      return child.exitCode;
    },
    kill: () => end('SIGKILL'),
  };
}
