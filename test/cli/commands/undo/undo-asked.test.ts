import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fwdsync, type CommandResult } from '../../../support/command.ts';
import { ACME, aliasesOf, applied, apply, BEFORE, editAlias, MANIFEST } from '../../support/applied.ts';
import { createRepository } from '../../support/repository.ts';
import type { CommandScene } from '../../support/scene.ts';
import { openTwoAccounts } from '../../support/two-accounts.ts';

interface History {
  readonly runs: readonly { readonly id: string; readonly account: string }[];
}

describe('at a terminal', () => {
  test('the default is the last run that wrote; only "yes" is accepted', async () => {
    const { scene } = await applied(MANIFEST, [ACME]);
    const before = aliasesOf(scene);
    await scene.manifest(MANIFEST.replace('sales: bob', 'sales: carol'));
    const run = await apply(scene);
    // This undo writes nothing.
    await apply(scene);
    const declined = await scene.run(['undo'], { seat: 'terminal', stdin: 'y\n' });
    expect(declined.stdout).toContain(`Undo of apply ${run}: `);
    expect(declined.stdout).toContain('sales  carol@corp.example -> bob@corp.example');
    expect(declined.stdout).toContain('still wants');
    expect(aliasesOf(scene)).toMatchObject({ sales: 'carol@corp.example' });
    expect(declined.code).toBe(1);
    const accepted = await scene.run(['undo'], { seat: 'terminal', stdin: 'yes\n' });
    expect(accepted.code, accepted.stderr).toBe(0);
    expect(accepted.stdout.split('still wants')).toHaveLength(2);
    expect(aliasesOf(scene)).toEqual(before);
    // The undo is now the last run that wrote.
    const again = await scene.run(['undo'], { seat: 'terminal', stdin: 'yes\n' });
    expect(again.code, again.stderr).toBe(0);
    expect(aliasesOf(scene)).toMatchObject({ sales: 'carol@corp.example' });
  });

  test('a guard is confirmed by what it asks for', async () => {
    const { scene } = await applied(
      'domains: { new.example: { aliases: { info: ana@corp.example } } }\n',
      [],
    );
    const { code, stderr } = await scene.run(['undo'], { seat: 'terminal', stdin: 'new.example\nyes\n' });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Type new.example to allow it: ');
    expect(scene.emulator.store.dump().domains).toEqual([]);
  });
});

test('--mask hides local parts in the plan and the report', async () => {
  const { scene, run } = await applied(MANIFEST, [ACME]);
  await editAlias(scene, 'info', 'mallory@elsewhere.example');
  const { code, stdout, stderr } = await scene.run(['undo', '--yes', run, '--mask']);
  expect(code, stdout).toBe(3);
  expect(stdout).toContain('@corp.example -> ***');
  expect(stdout + stderr).not.toMatch(/(?:ana|bob|eve|dan|mallory)@/);
});

test('many items that the manifest still wants are counted', async () => {
  const names = Array.from({ length: 25 }, (_, index) => `      n${index}: a@corp.example\n`).join('');
  const { scene, run } = await applied(`domains:\n  acme.example:\n    aliases:\n${names}`, [ACME]);
  const { stdout } = await scene.run(['undo', '--yes', run]);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'fwdsync.yaml:14:7 alias acme.example/n9 and 15 more; the next apply makes the same changes again',
  );
});

test('for a manifest in a repository: the commit whose manifest still wants the undone changes', async () => {
  const { scene } = await applied(MANIFEST, [ACME]);
  const repository = await createRepository(scene.directory);
  const sha = await repository.commit({
    'fwdsync.yaml': `version: 1\n${MANIFEST.replace('sales: bob', 'sales: carol')}`,
  });
  const clean = await apply(scene, [], { env: { PATH: process.env['PATH'] ?? '' } });
  const { stdout } = await scene.run(['undo', '--yes', clean, '--format', 'json']);
  const { notes } = JSON.parse(stdout) as { readonly notes: readonly string[] };
  expect(notes).toEqual([
    `the manifest at commit ${sha.slice(0, 10)} still wants what this undoes: fwdsync.yaml:4:16 alias acme.example/sales; the next apply makes the same changes again unless the manifest is reverted`,
  ]);
});

test('with --accounts only the account of the run is written to', async () => {
  const { acme, beta, directory, env } = await openTwoAccounts();
  const run = (...args: readonly string[]): Promise<CommandResult> => fwdsync(args, { cwd: directory, env });
  await run('apply', '--accounts', 'many', '--yes');
  const histories = JSON.parse((await run('history', '--format', 'json')).stdout) as History;
  const id = histories.runs.find(({ account }) => account === 'owner@acme.example')?.id ?? 'none';
  for (const { journal } of [acme, beta]) journal.clear();
  const { code, stdout } = await run('undo', '--accounts', 'many', '--yes', id);
  expect(code, stdout).toBe(0);
  expect(stdout).toMatch(/^ {2}acme {2}converged: 1 deleted/m);
  expect(stdout).toMatch(/^ {2}beta {2}nothing to undo$/m);
  expect(beta.journal.entries()).toEqual([]);
  expect([acme, beta].map(({ store }) => store.dump().domains[0]?.aliases.length)).toEqual([0, 1]);
});

describe('which run', () => {
  test.each([
    ['--yes without one', ['undo', '--yes'], '--yes needs the run'],
    ['one that is not in the history', ['undo', '--yes', 'nosuchrun'], 'no run is named "nosuchrun"'],
    ['nobody to ask', ['undo'], 'cannot prompt: not a terminal'],
    ['of another account', ['undo', '--yes', 'RUN', '--account', 'else@account.example'], 'not for else@'],
    [
      'at another address',
      ['undo', '--yes', 'RUN', '--api-url', 'http://127.0.0.1:1/v4'],
      'was made at http',
    ],
  ])('%s: 64, and no request', async (_, args, message) => {
    const { scene, run } = await applied(MANIFEST, [ACME]);
    scene.emulator.journal.clear();
    const { code, stderr } = await scene.run(args.map((word) => (word === 'RUN' ? run : word)));
    expect([code, scene.requests()], stderr).toEqual([64, []]);
    expect(stderr).toContain(message);
  });

  test('the memory of what was applied stays: the next plan is that of the run, and its entries are no drift', async () => {
    const { scene, run } = await applied(MANIFEST, [ACME]);
    await scene.run(['undo', '--yes', run]);
    const { stdout } = await scene.run(['plan', '--format', 'json']);
    const { changes } = JSON.parse(stdout) as { readonly changes: readonly { readonly reason: string }[] };
    expect(changes.map(({ reason }) => reason).sort()).toEqual([
      'absent',
      'manifest',
      'manifest',
      'manifest',
    ]);
  });

  test('one that was killed: what the account does not show as done needs nothing, the rest is undone', async () => {
    const { scene, run } = await applied(MANIFEST, [ACME]);
    await forgetResults(scene);
    // Removes the run, as if its request had never arrived.
    await editAlias(scene, 'sales', 'ana@corp.example');
    const { code, stdout } = await scene.run(['undo', '--yes', run]);
    expect(code, stdout).toBe(0);
    expect(aliasesOf(scene)).toEqual(BEFORE);
  });
});

/** Edits the history to the state after a kill right after the requests. */
async function forgetResults({ directory }: CommandScene): Promise<void> {
  const state = join(directory, 'state');
  const files = await readdir(state, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.jsonl'))) {
    const path = join(state, file);
    const lines = (await readFile(path, 'utf8')).split('\n');
    await writeFile(
      path,
      lines.filter((line) => !/"entry":"(?:item-outcome|run-end)"/.test(line)).join('\n'),
    );
    await appendFile(path, '');
  }
}
