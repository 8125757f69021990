import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Fault } from '../emulator/faults.ts';
import type { Seed } from '../emulator/seed.ts';
import { startEmulator, type Emulator } from '../emulator/server.ts';
import type { Context } from './context.ts';
import { CommandError, EXIT, type ExitCode } from './exit.ts';

export interface EmulatorCommandOptions {
  readonly port: number;
  readonly apiKey: string;
  readonly plan: 'free' | 'paid';
  readonly rateLimit?: number;
  readonly window: number;
  readonly state?: string;
  readonly faults?: string;
}

/** Serves until a signal comes; prints one JSON line with its addresses as soon as it listens. */
export async function emulatorCommand(context: Context, options: EmulatorCommandOptions): Promise<ExitCode> {
  const stateFile = options.state === undefined ? null : resolve(context.cwd, options.state);
  const emulator = await listen(context, options, stateFile);
  const stopSaving = stateFile === null ? () => {} : saveAfterWrites(emulator, stateFile);
  context.stdout.write(`${JSON.stringify(emulator.urls)}\n`);
  if (!context.signal.aborted) await once(context.signal, 'abort');
  stopSaving();
  await emulator.close();
  return EXIT.done;
}

async function listen(
  context: Context,
  options: EmulatorCommandOptions,
  stateFile: string | null,
): Promise<Emulator> {
  const state = stateFile === null ? undefined : (readJson(stateFile) as Seed | undefined);
  const faults =
    options.faults === undefined
      ? undefined
      : (requireJson(resolve(context.cwd, options.faults)) as readonly Fault[]);
  try {
    return await startEmulator({
      port: options.port,
      apiKey: options.apiKey,
      plan: options.plan,
      rateLimit: options.rateLimit,
      windowSeconds: options.window,
      state,
      faults,
      now: () => context.clock.now(),
      sleep: (milliseconds) => context.clock.sleep(milliseconds),
      randomId: () => randomUUID(),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      EXIT.failed,
      `the emulator cannot start: ${reason}`,
      'give another --port, or a valid --state',
    );
  }
}

/** Keeps the account in the file: after each write, by an atomic rename. */
function saveAfterWrites(emulator: Emulator, file: string): () => void {
  return emulator.onRequest((event) => {
    if (event.phase === 'after' && event.method !== 'GET') save(emulator, file);
  });
}

function save(emulator: Emulator, file: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(emulator.store.dump(), null, 2)}\n`);
  renameSync(temporary, file);
}

/** Undefined where the file is not there yet. */
function readJson(file: string): unknown {
  try {
    return parse(readFileSync(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function requireJson(file: string): unknown {
  const value = readJson(file);
  if (value !== undefined) return value;
  throw new CommandError(EXIT.failed, `${file} is not there`, 'check the path');
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CommandError(
      EXIT.failed,
      `${file} is not JSON: ${(error as Error).message}`,
      'mend or remove the file',
    );
  }
}
