import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Fault } from '../../../emulator/faults/faults.ts';
import type { SeededAccount } from '../../../emulator/emulator.ts';
import type { Seed } from '../../../emulator/account/seed.ts';
import { problemsOf } from '../../../emulator/http/schemas.ts';
import { makeDirectory } from '../../../engine/state/own-files.ts';
import { commandFailure } from '../../exit.ts';
import { fileFault } from '../../output/files.ts';

/** Returns the account in a file; undefined if there is no file yet. */
export async function readStateFile(file: string): Promise<Seed | undefined> {
  const text = await readText(file);
  return text === undefined ? undefined : (parseChecked(file, text, 'state') as Seed);
}

export async function readFaultsFile(file: string): Promise<readonly Fault[]> {
  return (await readRequired(file, 'faults')) as readonly Fault[];
}

/** Returns the further accounts that a file lists. */
export async function readAccountsFile(file: string): Promise<readonly SeededAccount[]> {
  return (await readRequired(file, 'accounts')) as readonly SeededAccount[];
}

async function readRequired(file: string, subject: 'faults' | 'accounts'): Promise<unknown> {
  return parseChecked(file, await readOptionFile(file, subject), subject);
}

/** Returns the text of a file that an option names. */
export async function readOptionFile(file: string, option: string): Promise<string> {
  const text = await readText(file);
  if (text !== undefined) return text;
  throw commandFailure(`${file} does not exist`, `check the path of --${option}`);
}

/** Returns the real path of a file, so that writing it keeps a link to it. */
export async function resolveLink(file: string): Promise<string> {
  return fs.realpath(file).catch(() => file);
}

/** Creates the missing directories of a file. Refuses to start if that fails. */
export async function prepareDirectory(file: string): Promise<void> {
  try {
    await makeDirectory(fs, dirname(file), 0o700);
    await fs.access(dirname(file), fs.constants.W_OK);
  } catch (error) {
    const message = fileFault(file, error, 'written');
    throw commandFailure(message, 'name a file in a directory that can be written');
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'ENOENT') return undefined;
    throw commandFailure(fileFault(file, error, 'read'), 'name a file that can be read');
  }
}

function parseChecked(file: string, text: string, subject: 'state' | 'accounts' | 'faults'): unknown {
  const value = parse(file, text);
  const problems = problemsOf(subject, value).map(({ path, message }) => `${file}: ${path} ${message}`);
  if (problems.length === 0) return value;
  throw commandFailure(problems.join('\n'), 'docs/emulator.md describes the format');
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const message = `${file} is not JSON: ${(error as Error).message}`;
    throw commandFailure(message, 'fix the file, or remove it to start with a new account');
  }
}
