import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { PROGRAM } from '../../support/program.ts';
import { openWorkspace, OWNER, type Workspace } from '../../support/workspace.ts';

const PASSWORD = 'battery "staple"';
export const MANIFEST = `version: 1
api: { account: ${OWNER} }
destinations: { boss: { env: BOSS } }
domains:
  acme.example:
    prune: { aliases: true }
    aliases: { sales: carol@corp.example, boss: boss }
    credentials: { printer: { password: { env: PRINTER } } }
  new.example:
    aliases: { "*": all@corp.example }
`;

export type Place = Pick<Workspace, 'directory' | 'emulator' | 'env'>;

/** A workspace with a manifest, and an account that differs from it. */
export async function place(manifest = MANIFEST): Promise<Place> {
  const { directory, emulator, env, write } = await openWorkspace([
    {
      domain: 'acme.example',
      aliases: [
        { alias: 'old', forward: 'dan@corp.example' },
        { alias: 'sales', forward: 'dan@corp.example' },
      ],
    },
  ]);
  await write(manifest);
  const values = { FWDSYNC_LOG_FORMAT: 'json', BOSS: 'boss@private.example', PRINTER: PASSWORD };
  return { emulator, directory, env: { ...env, ...values } };
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
  /** Waits for the first line of the event and, where it is given, of the account. */
  readonly event: (name: string, account?: string) => Promise<Line>;
  readonly end: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** `fwdsync run` as a child process. */
export function daemon(
  { directory, env }: Omit<Place, 'emulator'> & Partial<Place>,
  args: readonly string[] = [],
  more: Record<string, string> = {},
): Process {
  const child = spawn(PROGRAM, ['run', '--listen', '127.0.0.1:0', ...args], {
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
    async event(name, account) {
      const isMeant = (line: string): boolean =>
        line.includes(`"event":"${name}"`) &&
        (account === undefined || line.includes(`"account":"${account}"`));
      const line = (): string | undefined => seen.split('\n').slice(0, -1).find(isMeant);
      await expect.poll(line, { interval: 20 }).toBeDefined();
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
