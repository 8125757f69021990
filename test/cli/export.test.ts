import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWorkspace, OWNER } from '../support/workspace.ts';

const ACCOUNT = [
  {
    domain: 'acme.example',
    aliases: [
      { alias: '*', forward: 'ana@corp.example' },
      { alias: '007', forward: 'bob@corp.example,https://hooks.corp.example/in' },
      { alias: 'spam', forward: 'null' },
    ],
  },
  { domain: 'xn--mnchen-3ya.example' },
];

describe('export', () => {
  test('0: a manifest of the account, whose plan is empty', async () => {
    const { run, writes } = await openWorkspace(ACCOUNT);
    const { code, stdout } = await run(['export']);
    expect(stdout).toContain('spam: discard');
    expect(stdout).toContain(`account: ${OWNER}`);
    expect(code).toBe(0);
    const plan = await run(['plan', '--detailed-exitcode', '-f', '-'], { stdin: stdout });
    expect(plan.code, plan.stdout + plan.stderr).toBe(0);
    expect(writes()).toEqual([]);
  });

  test('64: a masked account is no manifest', async () => {
    const { run, directory, emulator } = await openWorkspace(ACCOUNT);
    for (const [args, env] of [
      [['export', '--mask', '--out', 'all.yaml'], {}],
      [['export', '--update', 'fwdsync.yaml'], { FWDSYNC_MASK: '1' }],
    ] as const) {
      const { code, stdout, stderr } = await run(args, { env });
      expect([code, stdout]).toEqual([64, '']);
      expect(stderr).toContain('--mask cannot be used with export');
    }
    expect(await readdir(directory)).toEqual([]);
    expect(emulator.journal.entries()).toEqual([]);
  });

  test('0: into a file, or one file a domain', async () => {
    const { run, directory } = await openWorkspace(ACCOUNT);
    expect((await run(['export', '--out', 'all.yaml'])).code).toBe(0);
    expect(await readFile(join(directory, 'all.yaml'), 'utf8')).toContain('acme.example:');
    expect((await run(['export', '--out-dir', 'domains'])).code).toBe(0);
    expect(await readdir(join(directory, 'domains'))).toEqual([
      'acme.example.yaml',
      'xn--mnchen-3ya.example.yaml',
    ]);
    expect((await run(['plan', '--detailed-exitcode', '-f', 'all.yaml'])).code).toBe(0);
    expect((await run(['plan', '--detailed-exitcode', '-f', 'domains'])).code).toBe(0);
  });

  test('1: a domain cannot be read: what could be is written, and the domain is named', async () => {
    const { run, emulator } = await openWorkspace(ACCOUNT);
    emulator.faults.push({
      match: { method: 'GET', path: '^/domains/acme\\.example/aliases', times: 'always' },
      do: { kind: 'listing', empty: true },
    });
    const { code, stderr } = await run(['export']);
    expect(stderr).toContain('acme.example');
    expect(code).toBe(1);
  });

  test.each([
    ['--out', 'missing/all.yaml'],
    ['--out-dir', 'a-file/below'],
  ])('1: %s %s cannot be written', async (flag, path) => {
    const { run, write } = await openWorkspace(ACCOUNT);
    await write('', 'a-file');
    const { code, stderr } = await run(['export', flag, path]);
    expect(stderr).toContain(`error: ${path} cannot be written: `);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(code).toBe(1);
  });

  test('64: two targets', async () => {
    const { run } = await openWorkspace(ACCOUNT);
    expect((await run(['export', '--out', 'a', '--out-dir', 'b'])).code).toBe(64);
  });
});

describe('demo', () => {
  test('0: tells its story and ends by itself', async () => {
    const { code, stdout, stderr } = await (await openWorkspace([])).run(['demo']);
    expect(stdout).toMatch(/acme\/acme\.example\.yaml:\d+:\d+: alias acme\.example\/press: /);
    expect(stdout).toContain('[exit 3: ');
    expect(stdout).toContain('Nothing to change');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(250);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });
});
