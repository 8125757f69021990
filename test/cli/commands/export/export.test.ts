import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifestSchema from '../../../../schemas/manifest.v1.schema.json' with { type: 'json' };
import { openWorkspace, OWNER } from '../../../support/workspace.ts';

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

  test('the file names its schema and the account, and the command says what it wrote', async () => {
    const { run, directory } = await openWorkspace(ACCOUNT);
    const { stderr } = await run(['export', '--out', 'below/../all.yaml']);
    expect(stderr).toBe(
      'wrote below/../all.yaml: 2 domains, 3 aliases, 0 rules, 0 credentials\nrecorded 2 domains as the baseline: changes from now on are drift\n',
    );
    const lines = (await readFile(join(directory, 'all.yaml'), 'utf8')).split('\n');
    const [, schema = ''] = /^# yaml-language-server: \$schema=(file:\S+)$/.exec(lines[0] ?? '') ?? [];
    expect(JSON.parse(await readFile(new URL(schema), 'utf8'))).toEqual(manifestSchema);
    expect(lines).toContain(`  account: ${OWNER}`);
  });

  test('64: a file that exists is replaced with --force only', async () => {
    const { run, write, directory, emulator } = await openWorkspace(ACCOUNT);
    await write('mine', 'all.yaml');
    const refused = await run(['export', '--out', 'all.yaml']);
    expect(refused.code).toBe(64);
    expect(refused.stderr).toContain('all.yaml exists: nothing was written');
    expect(refused.stderr).toContain('--update');
    expect(emulator.journal.entries()).toEqual([]);
    expect(await readFile(join(directory, 'all.yaml'), 'utf8')).toBe('mine');
    expect((await run(['export', '--out', 'all.yaml', '--force'])).code).toBe(0);
    await run(['export', '--out-dir', 'domains', '--domain', 'acme.example']);
    const before = await readdir(join(directory, 'domains'));
    expect((await run(['export', '--out-dir', 'domains'])).code).toBe(64);
    expect(await readdir(join(directory, 'domains'))).toEqual(before);
    expect((await run(['export', '--out-dir', 'domains', '--force'])).code).toBe(0);
  });

  test('64: a domain that the account does not have, with what was probably meant', async () => {
    const { run } = await openWorkspace(ACCOUNT);
    const { code, stdout, stderr } = await run(['export', '--domain', 'amce.example']);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toContain(`--domain amce.example: the account ${OWNER} does not have it`);
    expect(stderr).toContain('did you mean "acme.example"?');
  });

  test.each([
    [['--format', 'json']],
    [['-f', 'fwdsync.yaml']],
    [['--force']],
    [['--state-dir', 'state']],
    [['--update', 'fwdsync.yaml', '--prune']],
  ])('64: %j has no effect', async (args) => {
    const { run, emulator } = await openWorkspace(ACCOUNT);
    expect((await run(['export', ...args])).code).toBe(64);
    expect(emulator.journal.entries()).toEqual([]);
  });

  test('--prune: the plan is empty, and what cannot be named is not pruned', async () => {
    const odd = { domain: 'odd.example', aliases: [{ alias: 'a/b', forward: 'ana@corp.example' }] };
    const { run, directory } = await openWorkspace([...ACCOUNT, odd]);
    await run(['export', '--prune', '--out', 'all.yaml']);
    const text = await readFile(join(directory, 'all.yaml'), 'utf8');
    expect(text.match(/prune: true/g)).toHaveLength(2);
    expect(text).toContain('`prune` is left out: it would delete unmanaged items');
    const plan = await run(['plan', '-f', 'all.yaml', '--detailed-exitcode']);
    expect(plan.code, plan.stdout + plan.stderr).toBe(0);
  });

  test('rules that share a rank: the first is named, the plan is empty', async () => {
    const rules = ['one', 'two', 'three'].map((alias, index) => ({
      type: 'alias' as const,
      config: { alias, forward: 'ana@corp.example' },
      rank: index === 2 ? 7 : 5,
    }));
    const { run, directory } = await openWorkspace([{ domain: 'acme.example', rules }]);
    await run(['export', '--out', 'all.yaml']);
    const text = await readFile(join(directory, 'all.yaml'), 'utf8');
    expect(text).toContain('name: one');
    expect(text).toMatch(/# rule \S+ \(two\) is not managed: it has the rank of another rule, 5/);
    expect(text).toContain('name: three');
    const plan = await run(['plan', '-f', 'all.yaml', '--detailed-exitcode']);
    expect(plan.code, plan.stdout + plan.stderr).toBe(0);
  });

  test('0: into a file, or one file a domain', async () => {
    const { run, directory } = await openWorkspace(ACCOUNT);
    expect((await run(['export', '--out', 'all.yaml'])).code).toBe(0);
    expect(await readFile(join(directory, 'all.yaml'), 'utf8')).toContain('acme.example:');
    expect((await run(['export', '--out-dir', 'domains'])).code).toBe(0);
    expect(await readdir(join(directory, 'domains'))).toEqual([
      'account.yaml',
      'acme.example.yaml',
      'xn--mnchen-3ya.example.yaml',
    ]);
    expect((await run(['plan', '--detailed-exitcode', '-f', 'all.yaml'])).code).toBe(0);
    expect((await run(['plan', '--detailed-exitcode', '-f', 'domains'])).code).toBe(0);
  });

  test('1: a domain cannot be read: what could be is written, and the domain is named', async () => {
    const { run, write, directory, emulator } = await openWorkspace(ACCOUNT);
    emulator.faults.push({
      match: { method: 'GET', path: '^/domains/acme\\.example/aliases', times: 'always' },
      do: { kind: 'listing', empty: true },
    });
    const { code, stdout, stderr } = await run(['export']);
    expect(stderr).toContain('acme.example');
    expect(stdout).toContain('xn--mnchen-3ya.example');
    expect(code).toBe(1);
    await write('of before', 'all.yaml');
    await mkdir(join(directory, 'domains'));
    await write('of before', 'domains/acme.example.yaml');
    const forced = await run(['export', '--out', 'all.yaml', '--force']);
    expect([forced.code, await readFile(join(directory, 'all.yaml'), 'utf8')]).toEqual([1, 'of before']);
    expect(forced.stderr).toContain('all.yaml is not replaced');
    expect((await run(['export', '--out-dir', 'domains', '--force'])).code).toBe(1);
    const files = join(directory, 'domains');
    expect(await readFile(join(files, 'acme.example.yaml'), 'utf8')).toBe('of before');
    expect(await readFile(join(files, 'xn--mnchen-3ya.example.yaml'), 'utf8')).toContain('version: 1');
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

test('a rule with an emoji and one with parentheses are exported, and expectations about them hold', async () => {
  const { run, write } = await openWorkspace([
    {
      domain: 'acme.example',
      rules: ['subject.contains("🎉")', '(subject == "x") == (body == "y")'].map((expression) => {
        return { type: 'cel', config: { expression, forward: 'ana@corp.example' } };
      }),
    },
  ]);
  const { code, stdout } = await run(['export']);
  expect(code).toBe(0);
  expect(stdout).toContain('🎉');
  const expectations = `    expect:
      - { to: a@acme.example, subject: "won 🎉", forward: ana@corp.example }
      - { to: a@acme.example, subject: x, body: y, forward: ana@corp.example }
      - { to: a@acme.example, subject: x, body: z, forward: refused }
`;
  await write(stdout + expectations, 'fwdsync.yaml');
  const validated = await run(['validate']);
  expect(validated.code, stdout + validated.stderr).toBe(0);
});

describe('demo', () => {
  test('0: tells its story and ends by itself', async () => {
    const { code, stdout, stderr } = await (await openWorkspace([])).run(['demo']);
    expect(stdout).toMatch(/acme\/acme\.example\.yaml:\d+:\d+: alias acme\.example\/press: /);
    expect(stdout).toContain('[exit 3: ');
    expect(stdout).toContain('Nothing to change');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(250);
    const warned = stderr.split('\n').filter((line) => line.includes('warning: '));
    expect(warned.every((line) => line.endsWith('[same-domain-destination]'))).toBe(true);
    expect(stderr).not.toContain('error');
    expect(code).toBe(0);
  });
});
