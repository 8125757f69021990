import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fwdsync } from '../../support/command.ts';
import { daemon } from '../support/daemon-process.ts';
import { openTwoAccounts, type TwoAccounts } from '../support/two-accounts.ts';
import { everyNth } from '../../support/share.ts';

interface Unreadable {
  readonly name: string;
  /** Name of the account in the entry. */
  readonly account: string;
  readonly make: (path: string) => unknown;
  readonly message: string;
}

const UNREADABLE: readonly Unreadable[] = [
  {
    name: 'gone.yaml',
    account: 'gone',
    make: (path) => symlink('nowhere', path),
    message: 'many/gone.yaml does not exist',
  },
  {
    name: 'gone',
    account: 'gone',
    make: (path) => symlink('nowhere', path),
    message: 'many/gone does not exist',
  },
  {
    name: 'loop.yaml',
    account: 'loop',
    make: (path) => symlink('loop.yaml', path),
    message: 'many/loop.yaml: its symbolic links form a loop',
  },
  {
    name: 'loop',
    account: 'loop',
    make: (path) => symlink('loop', path),
    message: 'many/loop: its symbolic links form a loop',
  },
  {
    name: 'pipe.yaml',
    account: 'pipe',
    make: (path) => execFileSync('mkfifo', [path]),
    message: 'many/pipe.yaml: it is a FIFO, not a file or directory',
  },
  {
    name: 'notes',
    account: 'notes',
    make: (path) => mkdir(path),
    message: 'many/notes: the directory has no *.yaml or *.yml file',
  },
  {
    name: 'inner',
    account: 'inner',
    async make(path) {
      await mkdir(path);
      await symlink('all.yaml', join(path, 'all.yaml'));
    },
    message: 'many/inner/all.yaml: its symbolic links form a loop',
  },
];

async function accountsWith({ name, make }: Unreadable): Promise<TwoAccounts> {
  const accounts = await openTwoAccounts();
  await make(join(accounts.directory, 'many', name));
  return accounts;
}

const COMMANDS = [
  ['validate', 0],
  ['plan', 0],
  ['apply --yes', 1],
  ['run --once', 1],
] as const;
const CASES = UNREADABLE.flatMap((entry) =>
  COMMANDS.map(([command, writes]) => ({ ...entry, entry, command, writes })),
);

test.each(everyNth(3, CASES))(
  '$name in the directory of --accounts: $command: is the failure of that account alone',
  async ({ entry, command, writes }) => {
    const { acme, beta, directory, env } = await accountsWith(entry);
    const options = { cwd: directory, env };
    const { code, stdout, stderr } = await fwdsync([...command.split(' '), '--accounts', 'many'], options);
    expect(stderr).toContain(`==> ${entry.account} <==\nerror: ${entry.message}\n  try: `);
    expect(stderr.match(/error: /g)).toHaveLength(1);
    expect(code, `${stdout}${stderr}`).toBe(writes === 1 ? 3 : 1);
    for (const { journal } of [acme, beta])
      expect(journal.entries().filter(({ method }) => method !== 'GET')).toHaveLength(writes);
  },
);

test.each(everyNth(7, UNREADABLE))(
  '$name: the daemon serves the others, and sees at once that it was replaced',
  async (entry) => {
    const { acme, beta, directory, env } = await accountsWith(entry);
    const here = { directory, env: { ...env, FWDSYNC_LOG_FORMAT: 'json' }, emulator: acme };
    const process = daemon(here, ['--accounts', 'many']);
    const refused = await process.event('manifest.refused');
    expect(refused).toMatchObject({ account: entry.account, level: 'error' });
    expect(JSON.stringify(refused)).toContain(entry.message);
    for (const name of ['acme', 'beta'])
      expect(await process.event('run.finished', name)).toMatchObject({ outcome: 'converged' });
    const path = join(directory, 'many', entry.name);
    await rm(path, { recursive: true });
    await writeFile(
      entry.name.endsWith('.yaml') ? path : join(await made(path), 'all.yaml'),
      'version: 1\napi: { account: owner@third.example, key: { env: KEY }, url: "http://127.0.0.1:9" }\ndomains: {}\n',
    );
    await process.event('manifest.accepted', entry.account);
    expect(beta.journal.entries().filter(({ method }) => method !== 'GET')).toHaveLength(1);
    expect(await process.end()).toBe(0);
    expect(await process.output).not.toContain('watcher.failed');
  },
);

async function made(path: string): Promise<string> {
  await mkdir(path);
  return path;
}
