import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { SavedPlan } from '../../../src/core/plan/document/saved.ts';
import { fwdsync, type CommandResult } from '../../support/command.ts';
import { openTwoAccounts, type TwoAccounts } from '../support/two-accounts.ts';

interface PlansFile {
  readonly accounts: readonly { readonly name: string; readonly document: SavedPlan | null }[];
}

type Run = (...args: readonly string[]) => Promise<CommandResult>;

async function pair(): Promise<TwoAccounts & { readonly run: Run }> {
  const accounts = await openTwoAccounts();
  const { directory, env } = accounts;
  return { ...accounts, run: (...args) => fwdsync(args, { cwd: directory, env }) };
}

/** Saves the plans of both accounts in `plans.json`, and clears the recorded requests. */
async function saved(...flags: readonly string[]): Promise<TwoAccounts & { readonly run: Run }> {
  const accounts = await pair();
  await accounts.run('plan', '--accounts', 'many', '--out', 'plans.json', ...flags);
  for (const { journal } of [accounts.acme, accounts.beta]) journal.clear();
  return accounts;
}

async function editFile({ directory }: TwoAccounts, edit: (file: PlansFile) => object): Promise<void> {
  const path = join(directory, 'plans.json');
  await writeFile(path, JSON.stringify(edit(JSON.parse(await readFile(path, 'utf8')) as PlansFile)));
}

const requested = ({ acme, beta }: TwoAccounts): number =>
  acme.journal.entries().length + beta.journal.entries().length;

describe('the next command, once, below the line of each account', () => {
  test('applies the plans with the options that selected them', async () => {
    const accounts = await pair();
    const selected = ['--domain', 'beta.example', '--allow-deletes', '3'];
    const { stdout } = await accounts.run('plan', '--accounts', 'many', ...selected);
    const many = join(accounts.directory, 'many');
    expect(stdout).toMatch(/\n {2}beta {2}1 to add.*\nApply with: .*\n$/);
    expect(stdout).toContain(`fwdsync apply --domain beta.example --allow-deletes 3 --accounts ${many}\n`);
    const again = await accounts.run('plan', '--detailed-exitcode', '--accounts', 'many');
    expect([again.code, again.stdout.match(/^Apply with: .*$/gm)]).toEqual([
      2,
      [`Apply with: fwdsync apply --accounts ${many}`],
    ]);
  });

  test('names the file of saved plans', async () => {
    const accounts = await pair();
    const planned = await accounts.run('plan', '--accounts', 'many', '--out', 'plans.json');
    const shown = await accounts.run('show', 'plans.json');
    for (const { stdout } of [planned, shown])
      expect(stdout.match(/^Apply with: .*$/gm)).toEqual(['Apply with: fwdsync apply plans.json']);
  });

  test('is not there where an account is refused, failed or nothing is to be done', async () => {
    const accounts = await pair();
    const manifest = join(accounts.directory, 'many/beta.yaml');
    await writeFile(
      manifest,
      (await readFile(manifest, 'utf8')).replace('sales:', 'info: x.example, sales:'),
    );
    expect((await accounts.run('plan', '--accounts', 'many')).stdout).not.toContain('Apply with');
    await rm(manifest);
    expect((await accounts.run('apply', '--accounts', 'many', '--yes')).code).toBe(0);
    expect((await accounts.run('plan', '--accounts', 'many')).stdout).not.toContain('Apply with');
  });
});

describe('plans of many accounts in one file', () => {
  test('show prints all of them, under their names, offline', async () => {
    const accounts = await saved();
    const { code, stdout } = await accounts.run('show', 'plans.json');
    for (const name of ['acme', 'beta']) expect(stdout).toContain(`==> ${name} <==\nowner@${name}.example`);
    expect(code).toBe(0);
    const json = await accounts.run('show', 'plans.json', '--format', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      kind: 'fwdsync/accounts@1',
      accounts: [
        { name: 'acme', document: { kind: 'fwdsync/plan@1' } },
        { name: 'beta', document: { kind: 'fwdsync/plan@1' } },
      ],
    });
    expect((await accounts.run('show', 'plans.json', '--accounts', 'many')).code).toBe(0);
    expect(requested(accounts)).toBe(0);
  });

  test('apply works from the file alone, and from the directory that it was made of', async () => {
    const accounts = await saved();
    const { code, stdout, stderr } = await accounts.run('apply', 'plans.json');
    expect(code, stderr).toBe(0);
    expect(stdout.match(/^ {2}\w+ {2}converged: 1 added\./gm)).toHaveLength(2);
    const again = await accounts.run('apply', 'plans.json', '--accounts', './many');
    expect(again.code, again.stderr).toBe(0);
  });

  test('with --domain only those domains are applied, and the other account is unchanged', async () => {
    const accounts = await saved('--domain', 'beta.example');
    const { code, stderr } = await accounts.run('apply', 'plans.json');
    expect(code, stderr).toBe(0);
    expect(accounts.acme.journal.entries()).toEqual([]);
  });

  test.each<[string, (accounts: TwoAccounts) => Promise<void>, RegExp]>([
    [
      'one is gone from the directory',
      ({ directory }) => rm(join(directory, 'many/beta.yaml')),
      /the account beta is not in many any more/,
    ],
    [
      'one was added to it',
      ({ directory }) =>
        writeFile(
          join(directory, 'many/gamma.yaml'),
          'version: 1\napi: { account: c@gamma.example, key: { env: KEY } }\ndomains: {}\n',
        ),
      /the account gamma was added to many/,
    ],
    [
      'one is gone from the file',
      (accounts) => editFile(accounts, (file) => ({ ...file, accounts: file.accounts.slice(0, 1) })),
      /the account beta was added/,
    ],
    [
      'one is said to have been left out',
      (accounts) =>
        editFile(accounts, (file) => ({ ...file, accounts: file.accounts.slice(0, 1), others: ['beta'] })),
      /the plan of acme was edited/,
    ],
    [
      'one was edited',
      (accounts) =>
        editFile(accounts, (file) => ({
          ...file,
          accounts: file.accounts.map(({ document, ...account }) =>
            account.name === 'beta'
              ? { ...account, document: { ...document, changes: [] } }
              : { ...account, document },
          ),
        })),
      /the plan of beta was edited/,
    ],
    [
      'two were exchanged',
      (accounts) =>
        editFile(accounts, (file) => ({
          ...file,
          accounts: file.accounts.map((account, at) => ({
            ...account,
            document: file.accounts[1 - at]?.document,
          })),
        })),
      /the plan of acme, beta was edited/,
    ],
    [
      'one is nested by the thousand',
      (accounts) =>
        editFile(accounts, (file) => ({
          ...file,
          accounts: file.accounts.map((account) => ({ ...account, document: 7 })),
        })),
      /the plan of acme, beta was edited/,
    ],
  ])('6, named, and no request: %s', async (_, edit, message) => {
    const accounts = await saved();
    await edit(accounts);
    const { code, stderr } = await accounts.run('apply', 'plans.json');
    expect(stderr).toMatch(message);
    expect(requested(accounts)).toBe(0);
    expect(code).toBe(6);
  });

  test('6: another directory, one manifest, or the plan of one account alone', async () => {
    const accounts = await saved();
    const { directory } = accounts;
    expect((await accounts.run('apply', 'plans.json', '--accounts', '.')).code).toBe(6);
    expect((await accounts.run('apply', 'plans.json', '-f', 'many/acme.yaml')).code).toBe(6);
    const file = JSON.parse(await readFile(join(directory, 'plans.json'), 'utf8')) as PlansFile;
    await writeFile(join(directory, 'one.json'), JSON.stringify(file.accounts[0]?.document));
    const { code, stderr } = await accounts.run('apply', 'one.json');
    expect(stderr).toContain('for one of several accounts');
    expect(code).toBe(6);
    expect((await accounts.run('apply', 'one.json', '--accounts', 'many')).code).toBe(6);
    expect(requested(accounts)).toBe(0);
  });

  test('show: 1, and nothing of the file, where one was edited', async () => {
    const accounts = await saved();
    await editFile(accounts, (file) => ({
      ...file,
      accounts: file.accounts.map((account) => ({
        ...account,
        document: { ...account.document, changes: [] },
      })),
    }));
    const { code, stdout, stderr } = await accounts.run('show', 'plans.json');
    expect(stderr).toContain('the plan of acme, beta was edited');
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});

describe('3 once one account was written and another failed', () => {
  test.each([
    [
      'it cannot be read',
      'api: { account: owner@beta.example, key: { env: KEY }, url: "http://127.0.0.1:9/v4" }',
      'domains: {}',
      1,
    ],
    ['its manifest is invalid', 'api: { account: owner@beta.example, key: { env: KEY } }', 'domain: {}', 5],
  ])('%s', async (_, api, domains, code) => {
    const accounts = await pair();
    await writeFile(join(accounts.directory, 'many/beta.yaml'), ['version: 1', api, domains, ''].join('\n'));
    expect((await accounts.run('apply', '--accounts', 'many', '--yes')).code).toBe(3);
    const nothingWritten = await accounts.run('apply', '--accounts', 'many', '--yes');
    expect(nothingWritten.code).toBe(code);
  });
});

describe('other commands over many accounts', () => {
  test('account: each by the key and address of its manifest', async () => {
    const { run } = await pair();
    const { code, stdout, stderr } = await run('account', '--accounts', 'many');
    expect(code, stderr).toBe(0);
    for (const name of ['acme', 'beta'])
      expect(stdout).toMatch(new RegExp(`==> ${name} <==\naccount +owner@${name}.example`));
    const json = await run('account', '--accounts', 'many', '--format', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      accounts: [{ document: { kind: 'fwdsync/account@1' } }, { document: { kind: 'fwdsync/account@1' } }],
    });
  });

  test('account: 4 for a key of another account', async () => {
    const { directory, run, acme } = await pair();
    const text = `version: 1\napi: { account: x@other.example, key: { env: KEY }, url: "${acme.urls.v4}" }\ndomains: {}\n`;
    await writeFile(join(directory, 'many/beta.yaml'), text);
    const { code, stderr } = await run('account', '--accounts', 'many');
    expect(stderr).toContain('the key belongs to owner@acme.example');
    expect(code).toBe(4);
  });

  test('export: a directory an account, which --accounts takes as it is, and whose plan is empty', async () => {
    const { directory, run } = await pair();
    await run('apply', '--accounts', 'many', '--yes');
    expect((await run('export', '--accounts', 'many')).code).toBe(64);
    const { code, stderr } = await run('export', '--accounts', 'many', '--out-dir', 'copy');
    expect(code, stderr).toBe(0);
    const text = await readFile(join(directory, 'copy/beta/account.yaml'), 'utf8');
    expect(parse(text)).toMatchObject({ api: { account: 'owner@beta.example', key: { env: 'KEY' } } });
    const plan = await run('plan', '--accounts', 'copy', '--detailed-exitcode');
    expect(plan.stdout).toContain('Nothing to change');
    expect(plan.code, plan.stderr).toBe(0);
  });

  test('verify: all domains, or the named ones in the accounts that have them', async () => {
    const { run, acme, beta } = await pair();
    const all = await run('verify', '--accounts', 'many');
    for (const name of ['acme', 'beta']) expect(all.stdout).toContain(`==> ${name} <==\n; ${name}.example: `);
    acme.journal.clear();
    beta.journal.clear();
    const one = await run('verify', 'beta.example', '--accounts', 'many');
    expect(one.stdout).toContain('; beta.example: ');
    expect(acme.journal.entries()).toEqual([]);
    expect((await run('verify', 'gamma.example', '--accounts', 'many')).code).toBe(64);
  });
});
