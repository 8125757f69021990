import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SeededAccount } from '../../src/emulator/emulator.ts';

export const DOMAINS = 5;
export const ALIASES = 20;

/** An account that matches its manifest. */
export function seededAccount(index: number): SeededAccount {
  const aliases = Array.from({ length: ALIASES }, (_, alias) => ({
    alias: `name-${alias}`,
    forward: 'ana@corp.example',
  }));
  const domains = domainsOf(index).map((domain) => ({ domain, aliases }));
  return { key: keyOf(index), state: { account: { email: emailOf(index) }, domains } };
}

export function keyOf(index: number): string {
  return `key-of-account-${index}`;
}

function emailOf(index: number): string {
  return `owner@account-${index}.example`;
}

function domainsOf(index: number): readonly string[] {
  return Array.from({ length: DOMAINS }, (_, domain) => `domain-${domain}.account-${index}.example`);
}

function manifestOf(index: number, url: string): string {
  const aliases = Array.from({ length: ALIASES }, (_, alias) => `      name-${alias}: ana@corp.example\n`);
  const domains = domainsOf(index).map((domain) => `  ${domain}:\n    aliases:\n${aliases.join('')}`);
  const api = `{ account: ${emailOf(index)}, key: { env: KEY_${index} }, url: "${url}" }`;
  return `version: 1\napi: ${api}\ndomains:\n${domains.join('')}`;
}

export interface AccountsDaemon {
  readonly child: ChildProcess;
  /** The address of its metrics. */
  readonly metrics: string;
}

export interface ManyAccounts {
  readonly directory: string;
  readonly url: string;
  readonly count: number;
}

/** Writes the manifests of the first `count` accounts. Returns their directory, and an environment with their keys. */
export async function writeManifests({ directory, url, count }: ManyAccounts): Promise<{
  readonly accounts: string;
  readonly keys: Readonly<Record<string, string>>;
}> {
  const accounts = join(directory, `accounts-${count}`);
  await mkdir(accounts);
  const keys: Record<string, string> = {};
  for (let index = 0; index < count; index += 1) {
    await writeFile(join(accounts, `account-${index}.yaml`), manifestOf(index, url));
    keys[`KEY_${index}`] = keyOf(index);
  }
  return { accounts, keys };
}

/**
 * Starts `fwdsync run` for the first `count` accounts as a process with the memory of a container, and waits for its status
 * server. Its state is in the directory.
 */
export async function startAccountsDaemon(
  program: string,
  options: ManyAccounts & { readonly interval: string },
): Promise<AccountsDaemon> {
  const { accounts, keys } = await writeManifests(options);
  return startServing(program, ['run', '--accounts', accounts, '--interval', options.interval], {
    HOME: options.directory,
    NODE_OPTIONS: `--max-old-space-size=${heapLimitOf(options.count)} --max-semi-space-size=4`,
    ...keys,
  });
}

/**
 * Returns the heap limit in MiB that Node takes in a container with the memory that docs/operations.md recommends: half of
 * 256 MiB and 0.2 MiB per account. Node also keeps the space for new objects small there. Without a limit, Node collects
 * garbage only when the heap has several times its size.
 */
function heapLimitOf(accounts: number): number {
  return Math.round((256 + accounts / 5) / 2);
}

/** Starts a command and waits for its status server. */
export async function startServing(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<AccountsDaemon> {
  const child = spawn(process.execPath, [program, ...args, '--listen', '127.0.0.1:0'], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, metrics: `http://127.0.0.1:${await portOf(child)}/metrics` };
}

/** Address of the status server. Later log lines are read and dropped. */
function portOf({ stdout }: ChildProcess): Promise<number> {
  if (stdout === null) throw new Error('the daemon has no standard output');
  return new Promise((resolve) => {
    createInterface(stdout).on('line', (line) => {
      const { event, port } = JSON.parse(line) as { readonly event: string; readonly port?: number };
      if (event === 'status.listening' && port !== undefined) resolve(port);
    });
  });
}
