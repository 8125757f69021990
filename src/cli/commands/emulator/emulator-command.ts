import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Seed } from '../../../emulator/account/seed.ts';
import { startEmulator, type Emulator } from '../../../emulator/http/server.ts';
import { stateText } from '../../../emulator/account/dump.ts';
import type { Context } from '../../context.ts';
import {
  prepareDirectory,
  readAccountsFile,
  readFaultsFile,
  readStateFile,
  resolveLink,
} from './emulator-files.ts';
import { readMailOptions, startMailFor, type MailCommandOptions, type StartedMail } from './emulator-mail.ts';
import { createSaver, type Saver } from './emulator-saver.ts';
import type { CommandCall, CommandResult } from '../../command.ts';
import type { ManifestSettings } from '../../settings/resolve-settings.ts';
import { EXIT, type ExitCode, commandFailure, usageError } from '../../exit.ts';

export interface EmulatorCommandOptions extends MailCommandOptions {
  readonly port: number;
  readonly apiKey: string;
  readonly plan: 'free' | 'paid';
  readonly rateLimit?: number;
  readonly window: number;
  readonly state?: string;
  readonly accounts?: string;
  readonly faults?: string;
  readonly control?: true;
  readonly from?: string;
  readonly account?: string;
  readonly smtpPassword?: string;
}

/** Serves until a signal comes; prints one JSON line with its addresses as soon as it listens. */
export async function emulatorCommand(
  context: Context,
  { settings: { manifest }, options }: CommandCall<EmulatorCommandOptions>,
): Promise<CommandResult> {
  const file = options.state === undefined ? null : await resolveLink(resolve(context.cwd, options.state));
  const mailOptions = await readMailOptions(context, options);
  const state = await firstState(context, manifest, options, file);
  const emulator = await start(context, options, { file, state });
  const mail = mailOptions === null ? null : await startMailFor(context, emulator, mailOptions, file);
  const saver = file === null ? null : keepState(context, { emulator, mail }, file);
  const { controlUrl: control } = emulator;
  const addresses = { ...emulator.urls, ...(control === null ? {} : { control }), ...mail?.addresses };
  context.stdout.write(`${JSON.stringify(addresses)}\n`);
  context.waitFor?.('service');
  if (!context.signal.aborted) await once(context.signal, 'abort');
  await mail?.close();
  await emulator.close();
  return { exit: saver === null ? EXIT.done : await saveLast(context, saver) };
}

async function saveLast(context: Context, saver: Saver): Promise<ExitCode> {
  const failure = await saver.close();
  if (failure === null) return EXIT.done;
  sayNotSaved(context, failure);
  return EXIT.failed;
}

async function start(
  context: Context,
  options: EmulatorCommandOptions,
  { file, state }: { readonly file: string | null; readonly state: Seed | undefined },
): Promise<Emulator> {
  const { port, apiKey, plan, rateLimit, window, control } = options;
  if (file !== null) await prepareDirectory(file);
  const accounts = await readIfNamed(context, options.accounts, readAccountsFile);
  if (accounts?.some(({ key }) => key === apiKey) === true) {
    throw usageError(
      `${options.accounts} has an account with the key of the first`,
      'give another --api-key',
    );
  }
  const faults = await readIfNamed(context, options.faults, readFaultsFile);
  try {
    return await startEmulator({
      port,
      apiKey,
      plan,
      rateLimit,
      windowSeconds: window,
      state,
      accounts,
      faults,
      control,
      now: () => context.clock.now(),
      sleep: (milliseconds, signal) => context.clock.sleep(milliseconds, signal),
      randomId: () => randomUUID(),
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw commandFailure(`the emulator cannot start: ${reason}`, 'give another --port');
  }
}

async function readIfNamed<T>(
  context: Context,
  file: string | undefined,
  read: (file: string) => Promise<T>,
): Promise<T | undefined> {
  return file === undefined ? undefined : read(resolve(context.cwd, file));
}

/**
 * Returns the account in the file, or one made from the manifest. Options that make an account cannot change an
 * existing one.
 */
async function firstState(
  context: Context,
  manifest: ManifestSettings,
  { from, account, smtpPassword, state }: EmulatorCommandOptions,
  stateFile: string | null,
): Promise<Seed | undefined> {
  if (smtpPassword !== undefined && from === undefined) {
    throw usageError('--smtp-password needs --from', 'leave it out, or add --from MANIFEST');
  }
  const kept = stateFile === null ? undefined : await readStateFile(stateFile);
  if (kept !== undefined && (from !== undefined || account !== undefined)) {
    throw usageError(
      `${state} already has an account; --from and --account create a new one`,
      'name another file with --state, or remove this one',
    );
  }
  if (from === undefined) return account === undefined ? kept : { account: { email: account } };
  const { seedFrom } = await import('./emulator-from.ts');
  return seedFrom(context, manifest, { from, account, smtpPassword: smtpPassword ?? 'emulator' });
}

/** Keeps the account in the file across restarts. */
function keepState(
  context: Context,
  { emulator, mail }: { readonly emulator: Emulator; readonly mail: StartedMail | null },
  file: string,
): Saver {
  const saver = createSaver({
    file,
    text: () => {
      mail?.journal?.turn();
      return stateText(emulator.store.state);
    },
    onSaved: () => mail?.journal?.drop(),
    clock: context.clock,
    onFailure: (message) => {
      sayNotSaved(context, message);
    },
  });
  emulator.onChange(() => {
    saver.changed();
  });
  // Mail creates keys when it starts, and restores what was not saved.
  if (mail !== null) saver.changed();
  return saver;
}

function sayNotSaved(context: Context, reason: string): void {
  context.stderr.write(`the state is not saved: ${reason}\n`);
}
