import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Seed } from '../../src/emulator/account/seed.ts';
import { startEmulator, type Emulator, type ServerOptions } from '../../src/emulator/http/server.ts';
import { fwdsync, type CommandOptions, type CommandResult } from './command.ts';
import { temporaryDirectory } from './directory.ts';

export const KEY = 'key-of-the-workspace';
export const OWNER = 'ops@acme.example';

/** A directory, an emulated account in real time, and the real command between them. */
export interface Workspace {
  readonly directory: string;
  readonly emulator: Emulator;
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file, by default the manifest. */
  readonly write: (content: string, file?: string) => Promise<void>;
  readonly run: (args: readonly string[], options?: CommandOptions) => Promise<CommandResult>;
  /** Runs a shell line on its own terminal (`script` of util-linux) and types the answers. */
  readonly terminal: (
    line: string,
    answers: string,
  ) => Promise<{ readonly code: number | null; readonly output: string }>;
  /** Number of requests that were not GET. */
  readonly writes: () => readonly string[];
}

export async function openWorkspace(
  domains: NonNullable<Seed['domains']>,
  options: Partial<ServerOptions> = {},
): Promise<Workspace> {
  const directory = await temporaryDirectory();
  const emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    ...options,
    state: { account: { email: OWNER }, domains },
  });
  onTestFinished(() => emulator.close());
  const env = {
    FWDSYNC_API_URL: emulator.urls.v4,
    FWDSYNC_API_KEY: KEY,
    FWDSYNC_STATE_DIR: join(directory, 'state'),
  };
  return {
    directory,
    emulator,
    env,
    write: (content, file = 'fwdsync.yaml') => writeFile(join(directory, file), content),
    run: (args, command = {}) =>
      fwdsync(args, { cwd: directory, ...command, env: { ...env, ...command.env } }),
    async terminal(line, answers) {
      const child = spawn('script', ['-qefc', line, '/dev/null'], {
        cwd: directory,
        env: { PATH: process.env['PATH'], HOME: '/nonexistent', TERM: 'xterm', ...env },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.stdin.write(answers);
      const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
      return { code: child.exitCode, output };
    },
    writes: () =>
      emulator.journal
        .entries()
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path}`),
  };
}
