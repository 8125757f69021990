import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startEmulator, type Emulator } from '../../src/emulator/server.ts';
import { temporaryDirectory } from '../support/directory.ts';

const MAIN = join(import.meta.dirname, '../../src/cli/main.ts');
export const KEY = 'sk_live_key_for_run';
const PASSWORD = 'battery "staple"';
export const MANIFEST = `version: 1
api: { account: owner@acme.example }
destinations: { boss: { env: BOSS } }
domains:
  acme.example:
    prune: { aliases: true }
    aliases: { sales: carol@corp.example, boss: boss }
    credentials: { printer: { password: { env: PRINTER } } }
  new.example:
    aliases: { "*": all@corp.example }
`;

export interface Place {
  readonly emulator: Emulator;
  readonly directory: string;
  readonly env: Record<string, string>;
}

/** A directory with a manifest, and an emulated account that differs from it. */
export async function place(manifest = MANIFEST): Promise<Place> {
  const directory = await temporaryDirectory();
  const emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    state: {
      account: { email: 'owner@acme.example' },
      domains: [
        {
          domain: 'acme.example',
          aliases: [
            { alias: 'old', forward: 'dan@corp.example' },
            { alias: 'sales', forward: 'dan@corp.example' },
          ],
        },
      ],
    },
  });
  onTestFinished(() => emulator.close());
  await writeFile(join(directory, 'fwdsync.yaml'), manifest);
  const env = {
    FWDSYNC_API_URL: emulator.urls.v4,
    FWDSYNC_API_KEY: KEY,
    FWDSYNC_STATE_DIR: join(directory, 'state'),
    FWDSYNC_LOG_FORMAT: 'json',
    BOSS: 'boss@private.example',
    PRINTER: PASSWORD,
  };
  return { emulator, directory, env };
}

export interface Line {
  readonly event: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

export interface Process {
  readonly child: ChildProcess;
  readonly output: Promise<string>;
  readonly lines: () => Promise<readonly Line[]>;
  /** The first such line, once it was printed. */
  readonly event: (name: string) => Promise<Line>;
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** `fwdsync run` as a child process. */
export function daemon(
  { directory, env }: Place,
  args: readonly string[] = [],
  more: Record<string, string> = {},
): Process {
  const child = spawn(process.execPath, [MAIN, 'run', '--listen', '127.0.0.1:0', ...args], {
    cwd: directory,
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = text(child.stdout);
  let seen = '';
  child.stdout.on('data', (chunk) => {
    seen += String(chunk);
  });
  return {
    child,
    output,
    lines: async () => parse(await output),
    async event(name) {
      const line = (): string | undefined =>
        seen
          .split('\n')
          .slice(0, -1)
          .find((one) => one.includes(`"event":"${name}"`));
      await expect.poll(line, { timeout: 20_000, interval: 20 }).toBeDefined();
      return JSON.parse(line() ?? '') as Line;
    },
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return child.exitCode;
    },
  };
}

function parse(output: string): readonly Line[] {
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}
