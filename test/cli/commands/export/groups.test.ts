import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWorkspace } from '../../../support/workspace.ts';

const PEOPLE = 'ben@corp.example, ana@corp.example';
const OTHERS = 'eve@corp.example, zoe@corp.example';

const ACCOUNT = [
  {
    domain: 'acme.example',
    aliases: [
      { alias: 'sales', forward: PEOPLE },
      { alias: 'shop', forward: 'ana@corp.example, ben@corp.example' },
      { alias: 'one', forward: 'ana@corp.example' },
      { alias: 'two', forward: OTHERS },
      { alias: 'three', forward: OTHERS },
    ],
  },
  {
    domain: 'beta.example',
    aliases: [
      { alias: '*', forward: PEOPLE },
      { alias: 'discard', forward: 'x@corp.example, y@corp.example' },
      { alias: 'x1', forward: 'x@corp.example, y@corp.example' },
      { alias: 'y1', forward: 'x@corp.example, y@corp.example' },
    ],
  },
];

test('export --groups names what three or more aliases share, and its plan is empty', async () => {
  const { run, directory } = await openWorkspace(ACCOUNT);
  expect((await run(['export', '--groups', '--out', 'fwdsync.yaml'])).code).toBe(0);
  const text = await readFile(join(directory, 'fwdsync.yaml'), 'utf8');
  expect(text).toContain(`destinations:
  sales: [ana@corp.example, ben@corp.example]
  discard-2: [x@corp.example, y@corp.example]
`);
  expect(text).toContain('      shop: sales\n');
  expect(text).toContain('      "*": sales\n');
  expect(text).toContain('      two: [eve@corp.example, zoe@corp.example]\n');
  const plan = await run(['plan', '--detailed-exitcode']);
  expect(plan.code, plan.stdout + plan.stderr).toBe(0);
});

test('export --groups --out-dir states the groups once, beside the account', async () => {
  const { run, directory } = await openWorkspace(ACCOUNT);
  expect((await run(['export', '--groups', '--out-dir', 'all'])).code).toBe(0);
  expect(await readFile(join(directory, 'all/account.yaml'), 'utf8')).toContain('  discard-2: [');
  expect(await readFile(join(directory, 'all/beta.example.yaml'), 'utf8')).not.toContain('destinations');
  const plan = await run(['plan', '--detailed-exitcode', '-f', 'all']);
  expect(plan.code, plan.stdout + plan.stderr).toBe(0);
});

test('a catch-all alone names everyone, and --update takes no --groups', async () => {
  const aliases = ['*', 'a', 'b'].map((alias) => ({ alias, forward: PEOPLE }));
  const { run } = await openWorkspace([{ domain: 'acme.example', aliases }]);
  const { stdout } = await run(['export', '--groups']);
  expect(stdout).toContain('  everyone: [ana@corp.example, ben@corp.example]\n');
  expect((await run(['export', '--groups', '--update', 'x.yaml'])).code).toBe(64);
});
