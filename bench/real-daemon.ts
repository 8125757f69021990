import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Seed } from '../src/emulator/account/seed.ts';
import { startEmulator, type Emulator, type ServerOptions } from '../src/emulator/http/server.ts';

export const KEY = 'key-of-the-bench';
export const ACCOUNT = 'owner@account.example';

/** Starts an emulator in real time with these domains. */
export function startRealEmulator(
  domains: NonNullable<Seed['domains']>,
  limits: Pick<ServerOptions, 'rateLimit' | 'windowSeconds'>,
): Promise<Emulator> {
  return startEmulator({
    apiKey: KEY,
    plan: 'paid',
    ...limits,
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    state: { account: { email: ACCOUNT }, domains },
  });
}

/** Starts `fwdsync run` as a separate process, with its manifest and state in a directory. */
export function startDaemon(
  directory: string,
  { urls }: Emulator,
  { interval, logLevel }: { readonly interval: string; readonly logLevel: string },
): ChildProcess {
  const main = join(import.meta.dirname, '../src/cli/main.ts');
  return spawn(process.execPath, [main, 'run', '--interval', interval, '--listen', '127.0.0.1:0'], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      FWDSYNC_API_URL: urls.v4,
      FWDSYNC_API_KEY: KEY,
      FWDSYNC_ACCOUNT: ACCOUNT,
      FWDSYNC_STATE_DIR: join(directory, 'state'),
      FWDSYNC_LOG_LEVEL: logLevel,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
