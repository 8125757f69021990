import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../../../src/emulator/http/server.ts';
import { runInShell } from '../../../support/shell.ts';
import { daemon } from '../../support/daemon-process.ts';
import { printedCommands } from '../../support/printed-commands.ts';
import { openTwoAccounts } from '../../support/two-accounts.ts';
import { everyNth, IS_FULL } from '../../../support/share.ts';

/** Runs a line as a shell does, in the directory of the accounts. */
async function open() {
  const { acme, beta, directory, env: own } = await openTwoAccounts();
  const { FWDSYNC_STATE_DIR: _, ...env } = own;
  const shellIn = async (cwd: string, line: string): Promise<string> => {
    const { code, stdout, stderr } = await runInShell(line, { cwd, env: { HOME: directory, ...env } });
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const shell = (line: string): Promise<string> => shellIn(directory, line);
  const elsewhere = (line: string): Promise<string> => shellIn('/', line);
  return { acme, beta, directory, env, shell, elsewhere };
}

function aliasesOf({ store }: Emulator): readonly string[] {
  return store.dump().domains.flatMap(({ aliases }) => aliases.map(({ alias }) => alias));
}

/** Returns the lines that a report prints after a word, such as `undo:`. */
function printedIn(stdout: string, word: string): readonly string[] {
  return [...stdout.matchAll(new RegExp(`^.*?\\b${word}: (.*)$`, 'gm'))].map(([, line = '']) => line);
}

/** Allowances that the guards require of the snapshots, which delete the only alias of a domain. */
const EMPTIED = ' --allow-empty acme.example/aliases --allow-empty beta.example/aliases';

describe.each(
  everyNth(2, [
    ['undo', ' --yes'],
    ['snapshot', ` --yes${EMPTIED}`],
  ]),
)('%s: works as it is printed', (word, flags) => {
  test('with --accounts, a state directory and keys that the manifests name', async () => {
    const { acme, beta, shell, elsewhere } = await open();
    const stdout = await shell("fwdsync apply --accounts many --yes --state-dir 'our state'");
    expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([['sales'], ['sales']]);
    const lines = printedIn(stdout, word);
    expect(lines).toHaveLength(2);
    for (const line of lines) await elsewhere(`${line}${flags}`);
    expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([[], []]);
  });

  test('with a manifest that names address and key, in text and in JSON', async () => {
    const { acme, shell, elsewhere, directory } = await open();
    for (const format of everyNth(2, ['text', 'json'])) {
      const stdout = await shell(
        `fwdsync apply -f many/acme.yaml --yes --state-dir state --format ${format}`,
      );
      const { undo } = format === 'json' ? (JSON.parse(stdout) as { readonly undo: string }) : { undo: '' };
      const [line = undo] = printedIn(stdout, word);
      expect(aliasesOf(acme)).toEqual(['sales']);
      await elsewhere(format === 'json' ? `${undo} --yes` : `${line}${flags}`);
      expect(aliasesOf(acme)).toEqual([]);
    }
    await rm(join(directory, 'state'), { recursive: true });
  });

  test('with a key in a file', async () => {
    const { acme, shell, elsewhere, directory } = await open();
    await writeFile(join(directory, 'the key'), 'key-of-both-accounts\n', { mode: 0o600 });
    const manifest = await readFile(join(directory, 'many/acme.yaml'), 'utf8');
    await writeFile(join(directory, 'acme.yaml'), manifest.replace('{ env: KEY }', "{ file: 'the key' }"));
    const stdout = await shell('fwdsync apply -f acme.yaml --yes');
    const [line = ''] = printedIn(stdout, word);
    await elsewhere(`${line}${flags}`);
    expect(aliasesOf(acme)).toEqual([]);
  });
});

test('undo works as it is printed with --mask, under which no address is shown', async () => {
  const { acme, shell, elsewhere } = await open();
  const flags = '--yes --mask --account owner@acme.example --state-dir state';
  const stdout = await shell(`fwdsync apply -f many/acme.yaml ${flags}`);
  const [line = ''] = printedIn(stdout, 'undo');
  expect(line).not.toContain('--account');
  await elsewhere(`${line} --yes`);
  expect(aliasesOf(acme)).toEqual([]);
});

test('the log of run prints an undo that works as it is, with many accounts and a state directory', async () => {
  const { acme, beta, shell, elsewhere } = await open();
  const stdout = await shell(`fwdsync run --once --accounts many --state-dir 'our state' --log-format json`);
  expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([['sales'], ['sales']]);
  const messages = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly message: string }).message);
  const lines = printedIn(messages.join('\n'), 'undo with');
  expect(lines).toHaveLength(2);
  for (const line of lines) await elsewhere(`${line} --yes`);
  expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([[], []]);
});

test('"Apply with:" works as it is printed, for one account and for many', async () => {
  const { acme, beta, shell, elsewhere } = await open();
  const [one = ''] = printedIn(await shell('fwdsync plan -f many/acme.yaml --state-dir "s t"'), 'Apply with');
  await elsewhere(`${one} --yes`);
  expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([['sales'], []]);
  const [many = ''] = printedIn(await shell('fwdsync plan --accounts many'), 'Apply with');
  await elsewhere(`${many} --yes`);
  expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([['sales'], ['sales']]);
});

describe.each(
  everyNth(2, [
    ['many accounts', ['--accounts', 'many', '--state-dir', 'our state']],
    ['one manifest that names address and key', ['-f', 'many/acme.yaml', '--state-dir', 'our state']],
  ] as const),
)('the page of a daemon with %s', (_name, args) => {
  test('prints commands that work as they are, in another directory', async () => {
    const { acme, directory, env: own, elsewhere } = await open();
    const process = daemon({ directory, emulator: acme, env: { ...own, FWDSYNC_LOG_FORMAT: 'json' } }, args);
    const { port } = await process.event('status.listening');
    const account = args[0] === '--accounts' ? 'acme' : 'default';
    const { run } = await process.event('run.finished', account);
    const get = async (path: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${String(port)}${path}`)).text();
    const [undo = ''] = printedCommands(await get(`/runs/${String(run)}`));
    const route = printedCommands(await get('/?route=nobody%40acme.example'));
    await process.end();
    const live = route.find((line) => line.includes('--live')) ?? '';
    expect(await elsewhere(live)).toContain('acme.example');
    expect(undo).toContain('fwdsync undo ');
    await elsewhere(`${undo} --yes`);
    expect([...aliasesOf(acme)]).toEqual([]);
  });
});

test.runIf(IS_FULL)('the log of run of one manifest prints an undo that works as it is', async () => {
  const { acme, shell, elsewhere } = await open();
  const stdout = await shell(
    "fwdsync run --once -f many/acme.yaml --state-dir 'our state' --log-format json",
  );
  expect(aliasesOf(acme)).toEqual(['sales']);
  const [, line = ''] = /undo with: (.*)"\}$/m.exec(stdout) ?? [];
  await elsewhere(`${JSON.parse(`"${line}"`) as string} --yes`);
  expect(aliasesOf(acme)).toEqual([]);
});
