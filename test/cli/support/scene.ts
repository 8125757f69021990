import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { ProcessContext } from '../../../src/cli/context.ts';
import { execute } from '../../../src/cli/execute.ts';
import type { ExitCode } from '../../../src/cli/exit.ts';
import { createSecrets } from '../../../src/cli/process/secrets.ts';
import type { JournalEntry } from '../../../src/emulator/http/journal.ts';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import { startEmulator, type Emulator, type ServerOptions } from '../../../src/emulator/http/server.ts';
import type { ApiVersion } from '../../../src/core/model/endpoints.ts';
import { virtualClock, type VirtualClock } from '../../support/clock.ts';
import { checkPrinted } from '../../support/documents.ts';
import { openChance } from '../../support/random.ts';
import { temporaryDirectory } from '../../support/directory.ts';

export const KEY = 'key-of-the-scene';
export const OWNER = 'owner@account.example';

export interface Output {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandInput {
  /** Variables in addition to address, key, account and state directory. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** `terminal` means that standard input is a terminal on which `stdin` was typed in advance. */
  readonly seat?: 'terminal';
  readonly signal?: AbortSignal;
  /** Called with every chunk of standard output. */
  readonly onOutput?: (text: string) => void;
  /** Standard error in the same form. */
  readonly onError?: (text: string) => void;
}

/** An emulated account, a directory with a manifest, and the command line, with a shared clock. */
export interface CommandScene {
  readonly emulator: Emulator;
  readonly clock: VirtualClock;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command line in this process. */
  run(args: readonly string[], input?: CommandInput): Promise<Output>;
  /** Writes `fwdsync.yaml`; `version: 1` is added. */
  manifest(text: string): Promise<void>;
  requests(): readonly JournalEntry[];
  writes(): readonly JournalEntry[];
}

export interface SceneOptions {
  readonly seed?: Seed;
  readonly version?: ApiVersion;
  readonly manifest?: string;
  readonly server?: Partial<ServerOptions>;
}

/** Opens one account. Everything is closed and deleted after the test. */
export async function commandScene(options: SceneOptions = {}): Promise<CommandScene> {
  const { seed = {}, version = 'v4', manifest = '', server } = options;
  const clock = virtualClock();
  const emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    randomId: randomUUID,
    journalSize: 100_000,
    ...server,
    state: { ...seed, account: { email: OWNER, ...seed.account } },
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
  });
  onTestFinished(() => emulator.close());
  const directory = await temporaryDirectory();
  const env = {
    FWDSYNC_API_URL: emulator.urls[version],
    FWDSYNC_API_KEY: KEY,
    FWDSYNC_ACCOUNT: OWNER,
    FWDSYNC_STATE_DIR: join(directory, 'state'),
    NO_COLOR: '1',
  };
  const write = (text: string): Promise<void> =>
    writeFile(join(directory, 'fwdsync.yaml'), `version: 1\n${text}`);
  if (manifest !== '') await write(manifest);
  const requests = (): readonly JournalEntry[] => emulator.journal.entries();
  return {
    emulator,
    clock,
    directory,
    env,
    run: (args, input = {}) => runCommand({ clock, directory, env }, args, input),
    manifest: write,
    requests,
    writes: () => requests().filter(({ method }) => method !== 'GET'),
  };
}

async function runCommand(
  { clock, directory, env }: Pick<CommandScene, 'clock' | 'directory' | 'env'>,
  args: readonly string[],
  input: CommandInput,
): Promise<Output> {
  const out = collector(input.onOutput);
  const err = collector(input.onError);
  const stdin = new PassThrough();
  stdin.end(input.stdin ?? '');
  const terminal = input.seat === 'terminal' ? { isTTY: true, columns: 120 } : {};
  const context: ProcessContext = {
    env: { ...env, ...input.env },
    cwd: directory,
    stdin: Object.assign(stdin, terminal),
    stdout: Object.assign(out.stream, terminal),
    stderr: Object.assign(err.stream, terminal),
    clock,
    random: openChance(),
    secrets: createSecrets(),
    signal: input.signal ?? new AbortController().signal,
  };
  const code = await execute(context, args);
  const printed = { stdout: out.text(), stderr: err.text() };
  checkPrinted({ ...printed, env: { ...env, ...input.env } });
  return { code, ...printed };
}

function collector(onText: (text: string) => void = () => undefined): {
  readonly stream: Writable;
  readonly text: () => string;
} {
  let collected = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      collected += chunk.toString('utf8');
      onText(chunk.toString('utf8'));
      done();
    },
  });
  return { stream, text: () => collected };
}
