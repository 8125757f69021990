import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../../../src/emulator/http/server.ts';
import { PROGRAM_PATH } from '../../../support/program.ts';
import { openTwoAccounts } from '../../support/two-accounts.ts';

const run = promisify(execFile);

/** Runs a line as a shell does, in the directory of the accounts. */
async function open() {
  const { acme, beta, directory, env: own } = await openTwoAccounts();
  const { FWDSYNC_STATE_DIR: _, ...env } = own;
  const shell = async (line: string): Promise<string> => {
    const options = { cwd: directory, env: { PATH: PROGRAM_PATH, HOME: directory, ...env } };
    return (await run('sh', ['-c', line], options)).stdout;
  };
  return { acme, beta, directory, shell };
}

function aliasesOf({ store }: Emulator): readonly string[] {
  return store.dump().domains.flatMap(({ aliases }) => aliases.map(({ alias }) => alias));
}

/** Lines that a report prints behind a word, such as `undo:`. */
function printedIn(stdout: string, word: string): readonly string[] {
  return [...stdout.matchAll(new RegExp(`^.*?\\b${word}: (.*)$`, 'gm'))].map(([, line = '']) => line);
}

describe.each(['undo', 'snapshot'])('%s: works as it is printed', (word) => {
  test('with --accounts, a state directory and keys that the manifests name', async () => {
    const { acme, beta, shell } = await open();
    const stdout = await shell("fwdsync apply --accounts many --yes --state-dir 'our state'");
    expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([['sales'], ['sales']]);
    const lines = printedIn(stdout, word);
    expect(lines).toHaveLength(2);
    for (const line of lines) await shell(`${line} --yes`);
    expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([[], []]);
  });

  test('with a manifest that names address and key, in text and in JSON', async () => {
    const { acme, shell, directory } = await open();
    for (const format of ['text', 'json']) {
      const stdout = await shell(
        `fwdsync apply -f many/acme.yaml --yes --state-dir state --format ${format}`,
      );
      const { undo } = format === 'json' ? (JSON.parse(stdout) as { readonly undo: string }) : { undo: '' };
      const [line = undo] = printedIn(stdout, word);
      expect(aliasesOf(acme)).toEqual(['sales']);
      await shell(`${format === 'json' ? undo : line} --yes`);
      expect(aliasesOf(acme)).toEqual([]);
    }
    await rm(join(directory, 'state'), { recursive: true });
  });

  test('with a key in a file', async () => {
    const { acme, shell, directory } = await open();
    await writeFile(join(directory, 'the key'), 'key-of-both-accounts\n', { mode: 0o600 });
    await shell(
      `sed -i "s/{ env: KEY }/{ file: '..\\/the key' }/" many/acme.yaml && mv many/acme.yaml acme.yaml`,
    );
    await shell(`sed -i "s/..\\/the key/the key/" acme.yaml`);
    const stdout = await shell('fwdsync apply -f acme.yaml --yes');
    const [line = ''] = printedIn(stdout, word);
    await shell(`${line} --yes`);
    expect(aliasesOf(acme)).toEqual([]);
  });
});

test('the log of run prints an undo that works as it is, with many accounts and a state directory', async () => {
  const { acme, beta, shell } = await open();
  const stdout = await shell(`fwdsync run --once --accounts many --state-dir 'our state' --log-format json`);
  expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([['sales'], ['sales']]);
  const messages = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly message: string }).message);
  const lines = printedIn(messages.join('\n'), 'undo with');
  expect(lines).toHaveLength(2);
  for (const line of lines) await shell(`${line} --yes`);
  expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([[], []]);
});

test('"Apply with:" works as it is printed, for one account and for many', async () => {
  const { acme, beta, shell } = await open();
  const [one = ''] = printedIn(await shell('fwdsync plan -f many/acme.yaml --state-dir "s t"'), 'Apply with');
  await shell(`${one} --yes`);
  expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([['sales'], []]);
  const [many = ''] = printedIn(await shell('fwdsync plan --accounts many'), 'Apply with');
  await shell(`${many} --yes`);
  expect([aliasesOf(acme), aliasesOf(beta)]).toEqual([['sales'], ['sales']]);
});
