import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import problemsSchema from '../../../../schemas/problems.v1.schema.json' with { type: 'json' };
import { fwdsync } from '../../../support/command.ts';
import { createRepository, type Repository } from '../../support/repository.ts';
import { commandScene, type CommandScene } from '../../support/scene.ts';
import { everyNth, IS_FULL } from '../../../support/share.ts';

const GOOD = 'version: 1\ndomains:\n  acme.example:\n    aliases: { info: ana@corp.example }\n';
const BAD = 'version: 1\ndomains:\n  acme.example:\n    alias: {}\n';

async function repositoryScene(
  files: Readonly<Record<string, string>> = {},
): Promise<{ scene: CommandScene; repository: Repository }> {
  const scene = await commandScene({
    seed: { domains: [{ domain: 'acme.example' }, { domain: 'b.example' }] },
  });
  const repository = await createRepository(scene.directory);
  if (Object.keys(files).length > 0) await commit(repository, files);
  return { scene, repository };
}

async function commit(repository: Repository, files: Readonly<Record<string, string>>): Promise<void> {
  await repository.stage(files);
  await repository.git('commit', '--quiet', '--message', 'Change');
}

const manifestOf = (domains: string): string => `version: 1\ndomains:\n${domains}`;

describe('validate --staged', () => {
  test('reads the index and not the working tree', async () => {
    const { scene, repository } = await repositoryScene();
    await repository.stage({ 'fwdsync.yaml': BAD });
    await writeFile(join(scene.directory, 'fwdsync.yaml'), GOOD);
    const staged = await scene.run(['validate', '--staged']);
    expect(staged.stderr).toContain('fwdsync.yaml:4:5: error');
    expect(staged.code).toBe(5);
    expect((await scene.run(['validate'])).code).toBe(0);

    await repository.stage({ 'fwdsync.yaml': GOOD });
    await writeFile(join(scene.directory, 'fwdsync.yaml'), BAD);
    expect((await scene.run(['validate', '--staged'])).code).toBe(0);
  });

  test.runIf(IS_FULL)('the whole manifest is checked, also what is committed already', async () => {
    const alias = 'version: 1\ndomains:\n  a.example: { aliases: { x: oncall } }\n';
    const { scene, repository } = await repositoryScene({
      'fwdsync/destinations.yaml': 'version: 1\ndestinations: { oncall: a@b.example }\ndomains: {}\n',
    });
    await repository.stage({
      'fwdsync/a.yaml': alias,
      'fwdsync/.hidden.yaml': BAD,
      'fwdsync/notes.txt': 'x',
    });
    const { code, stdout } = await scene.run(['validate', '--staged']);
    expect(stdout).toContain('valid: 1 domain, 1 alias, 0 rules in 2 files');
    expect(code).toBe(0);
  });

  test('ends at once if no manifest is staged, independent of the working tree; a removed manifest is a warning', async () => {
    const { scene, repository } = await repositoryScene({ 'fwdsync.yaml': GOOD });
    await repository.stage({ 'README.md': 'x' });
    await writeFile(join(scene.directory, 'fwdsync.yaml'), BAD);
    const { code, stdout } = await scene.run(['validate', '--staged']);
    expect([code, stdout]).toEqual([0, '']);
    expect(await scene.run(['validate', '--staged', '-f', 'fwdsync.yaml'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const json = await scene.run(['validate', '--staged', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ problems: [], summary: { files: 0 } });

    await repository.git('rm', '--quiet', '--cached', 'fwdsync.yaml');
    const removed = await scene.run(['validate', '--staged']);
    expect(removed.code).toBe(0);
    expect(removed.stderr).toContain('warning: fwdsync.yaml is removed by this commit');
  });

  test('links within the repository are followed', async () => {
    const { scene, repository } = await repositoryScene();
    await mkdir(join(scene.directory, 'fwdsync'));
    await symlink('../shared/one.yaml', join(scene.directory, 'fwdsync/one.yaml'));
    await repository.stage({ 'shared/one.yaml': BAD });
    await repository.git('add', 'fwdsync');
    const { code, stderr } = await scene.run(['validate', '--staged']);
    expect(stderr).toContain('shared/one.yaml:4:5: error');
    expect(code).toBe(5);
  });

  test('works in a directory below the root, for names that are patterns or options elsewhere', async () => {
    const { scene, repository } = await repositoryScene();
    await repository.stage({
      'mail/a[1]*.yaml': BAD,
      'mail/-x.yaml': GOOD,
      'mail/var/ops/snapshots/1.yaml': BAD,
    });
    const cwd = join(scene.directory, 'mail');
    for (const [code, ...args] of everyNth(2, [
      [5, '--file=../mail'],
      [0, '--file=-x.yaml'],
      [5, '-f', 'a[1]*.yaml'],
      // A snapshot that is named directly is checked.
      [5, '-f', 'var/ops/snapshots/1.yaml', '--state-dir', 'var'],
    ] as const)) {
      const staged = await fwdsync(['validate', '--staged', ...args], { cwd });
      expect([args, staged.code]).toEqual([args, code]);
    }
  });

  test('every staged manifest is checked, wherever it is in the repository', async () => {
    const { scene, repository } = await repositoryScene({
      'old/fwdsync.yaml': BAD,
      'shop/fwdsync/groups.yaml': 'version: 1\ndestinations: { oncall: a@b.example }\ndomains: {}\n',
    });
    await repository.stage({
      'shop/fwdsync/a.yaml': 'version: 1\ndomains:\n  a.example: { aliases: { x: oncall } }\n',
      'clients/b/fwdsync.yaml': BAD,
      'clients/c/not-fwdsync.yaml': BAD,
      'clients/fwdsync/.b/x.yaml': BAD,
    });
    const { code, stdout, stderr } = await scene.run(['validate', '--staged']);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^invalid: \d domains?, \d alias(es)?, 0 rules in 3 files; 1 error/);
    expect(stderr).toContain('clients/b/fwdsync.yaml:4:5: error');
    expect(stderr).not.toContain('old/');
    const below = await fwdsync(['validate', '--staged', '--format', 'json'], {
      cwd: join(scene.directory, 'clients'),
    });
    expect(JSON.parse(below.stdout)).toMatchObject({
      problems: [{ source: { file: 'b/fwdsync.yaml' } }],
      summary: { files: 3, errors: 1 },
    });
  });

  test.each(
    everyNth(3, [
      ['the manifests are those of a directory', ['-f', 'mail'], 'mail'],
      ['they are found by their default name', [], 'fwdsync'],
      ['the whole repository is named', ['-f', '.'], 'mail'],
    ]),
  )('a state directory below them is left out, where %s', async (_, args, directory) => {
    const { scene, repository } = await repositoryScene();
    const state = join(directory, 'var/fwdsync');
    const snapshot = {
      [join(state, 'ops/snapshots/1.yaml')]: GOOD,
      [join(state, 'ops/snapshots/2.yaml')]: GOOD,
    };
    const pruned = `${GOOD}    prune: true\n`;
    await repository.stage({ [join(directory, 'fwdsync.yaml')]: pruned, ...snapshot });
    const given = ['--state-dir', join(scene.directory, state)];
    const staged = await scene.run(['validate', '--staged', ...args, ...given]);
    expect([staged.code, staged.stdout]).toEqual([0, expect.stringContaining('0 rules in 1 file;')]);
    // Without it the same domain would occur three times.
    expect((await scene.run(['validate', '--staged', ...args])).code).toBe(5);
    await repository.git('commit', '--quiet', '--message', 'Change');
    await repository.stage({ [join(directory, 'fwdsync.yaml')]: pruned.replace('info', 'sales') });
    const file = args.length === 0 ? ['-f', directory] : args;
    const against = await scene.run(['validate', '--against', 'HEAD', '--format', 'json', ...file, ...given]);
    expect(JSON.parse(against.stdout)).toMatchObject({ deletes: [{ name: 'info' }], summary: { files: 1 } });
  });

  test('1: outside a repository', async () => {
    const outside = await commandScene({ manifest: 'domains: {}\n' });
    expect((await outside.run(['validate', '--staged'])).code).toBe(1);
  });

  test('64: standard input is not in git', async () => {
    const scene = await commandScene();
    expect((await scene.run(['validate', '--staged', '-f', '-'])).code).toBe(64);
  });
});

describe('validate --against', () => {
  const compare = async (before: string, after: string) => {
    const { scene } = await repositoryScene({ 'fwdsync.yaml': manifestOf(before) });
    await writeFile(join(scene.directory, 'fwdsync.yaml'), manifestOf(after));
    const { code, stdout } = await scene.run(['validate', '--against', 'HEAD', '--format', 'json']);
    const document = JSON.parse(stdout) as {
      problems: readonly { code: string; message: string }[];
      deletes: readonly Readonly<Record<string, unknown>>[];
    };
    const validate = new Ajv2020({ validateFormats: false }).compile(problemsSchema);
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(code).toBe(0);
    expect(scene.requests()).toEqual([]);
    return document;
  };

  test('each line that deletes gives one warning, with the count', async () => {
    const aliases = Array.from({ length: 36 }, (_, index) => `a${index + 1}: x@y.example`);
    const pruned = '  acme.example:\n    prune: { aliases: true }\n';
    const { problems, deletes } = await compare(
      `${pruned}    aliases: { keep: x@y.example, ${aliases.join(', ')} }\n`,
      `${pruned}    aliases: { keep: x@y.example }\n`,
    );
    expect(deletes).toHaveLength(36);
    expect(problems.filter(({ code }) => code === 'would-delete').map(({ message }) => message)).toEqual([
      'this change deletes 36 items: alias a1 of acme.example, alias a2 of acme.example, alias a3 of acme.example and 33 more (prune)',
    ]);
  });

  const PRUNED = '  acme.example:\n    prune: { aliases: true, rules: true, credentials: true }\n';

  test.each(
    everyNth(7, [
      [
        'an alias leaves a pruned section',
        `${PRUNED}    aliases: { info: a@x.example, sales: b@x.example }\n`,
        `${PRUNED}    aliases: { info: a@x.example }\n`,
        [{ kind: 'alias', name: 'sales', reason: 'prune' }],
      ],
      [
        'an alias leaves a section that is not pruned',
        '  acme.example: { aliases: { info: a@x.example, sales: b@x.example } }\n',
        '  acme.example: { aliases: { info: a@x.example } }\n',
        [],
      ],
      [
        'an alias is to be absent',
        '  acme.example: { aliases: { info: a@x.example } }\n',
        '  acme.example: { aliases: { info: { state: absent }, old: { state: absent } } }\n',
        [
          { kind: 'alias', name: 'info', reason: 'absent' },
          { kind: 'alias', name: 'old', reason: 'absent' },
        ],
      ],
      [
        'it was to be absent before',
        '  acme.example: { aliases: { info: { state: absent } } }\n',
        '  acme.example: { aliases: { INFO: { state: absent } } }\n',
        [],
      ],
      [
        'a rule changes its type, another goes',
        `${PRUNED}    rules:\n      - { name: a, alias: x, forward: a@x.example }\n      - { name: b, alias: y, forward: a@x.example }\n`,
        `${PRUNED}    rules:\n      - { name: a, expression: 'subject == "x"', forward: a@x.example }\n`,
        [
          { kind: 'rule', name: 'a', reason: 'type-change' },
          { kind: 'rule', name: 'b', reason: 'prune' },
        ],
      ],
      [
        'a credential goes',
        `${PRUNED}    credentials: { carol: {}, printer: {} }\n`,
        `${PRUNED}    credentials: { printer: {} }\n`,
        [{ kind: 'credential', name: 'carol', reason: 'prune' }],
      ],
      [
        'a domain gets a tombstone',
        '  acme.example: { aliases: {} }\n  b.example: { aliases: {} }\n',
        '  acme.example: { state: absent }\n  b.example: { aliases: {} }\n',
        [{ kind: 'domain', name: 'acme.example', reason: 'tombstone' }],
      ],
    ]),
  )('%s', async (_, before, after, expected) => {
    const { deletes, problems } = await compare(before, after);
    expect(deletes).toEqual(
      expected.map((item) => expect.objectContaining({ ...item, domain: 'acme.example' }) as unknown),
    );
    expect(problems.filter(({ code }) => code === 'would-delete')).toHaveLength(expected.length);
  });

  test('warns of what begins to prune, of domains and catch-alls that disappear', async () => {
    const { problems } = await compare(
      '  acme.example: { aliases: { "*": a@x.example } }\n  b.example: { aliases: { "*": a@x.example } }\n  c.example: { aliases: {} }\n',
      '  acme.example: { prune: { aliases: true }, aliases: { "*": discard, x: a@x.example } }\n  b.example: { aliases: {} }\n',
    );
    expect(problems.map(({ code }) => code)).toEqual([
      'would-delete',
      'catch-all-gone',
      'catch-all-gone',
      'domain-gone',
    ]);
    expect(problems[0]?.message).toContain('pruned from now on');
    expect(problems[3]?.message).toContain('c.example');
  });

  test('with --staged it compares the staged manifest', async () => {
    const { scene, repository } = await repositoryScene({ 'fwdsync.yaml': GOOD });
    await repository.stage({ 'fwdsync.yaml': manifestOf('  acme.example: { state: absent }\n') });
    await writeFile(join(scene.directory, 'fwdsync.yaml'), GOOD);
    const { code, stderr } = await scene.run(['validate', '--staged', '--against', 'HEAD']);
    expect(stderr).toContain('[would-delete]');
    expect(code).toBe(0);
  });

  test('a revision without a valid manifest is a warning, and one that is none is 64', async () => {
    const { scene } = await repositoryScene({ 'fwdsync.yaml': BAD });
    await writeFile(join(scene.directory, 'fwdsync.yaml'), GOOD);
    const { code, stderr } = await scene.run(['validate', '--against', 'HEAD']);
    expect(stderr).toContain('[not-comparable]');
    expect(code).toBe(0);
    for (const revision of ['no-such-branch', '--output=/tmp/x', 'HEAD; true']) {
      const none = await scene.run(['validate', `--against=${revision}`]);
      expect([revision, none.code]).toEqual([revision, 64]);
    }
  });
});

describe('plan and apply --against', () => {
  const TWO = manifestOf(
    '  acme.example: { aliases: { info: ana@corp.example } }\n  b.example: { aliases: { x: ben@corp.example } }\n',
  );

  test('read and plan only the domains that the change concerns', async () => {
    const { scene } = await repositoryScene({ 'fwdsync.yaml': TWO });
    await writeFile(join(scene.directory, 'fwdsync.yaml'), `# moved\n${TWO.replace('ben@', 'bea@')}`);
    const { stdout } = await scene.run([
      'plan',
      '--against',
      'HEAD',
      '--format',
      'json',
      '--out',
      'plan.json',
    ]);
    const plan = JSON.parse(stdout) as { options: object; changes: readonly { domain: string }[] };
    expect(plan.options).toMatchObject({ domains: ['b.example'] });
    expect(plan.changes.map(({ domain }) => domain)).toEqual(['b.example']);
    expect(scene.requests().some(({ path }) => path.includes('acme.example'))).toBe(false);

    expect((await scene.run(['apply', 'plan.json', '--against', 'HEAD'])).code).toBe(64);
    // A saved plan keeps the domains but not the revision, which may change with the merge.
    await rm(join(scene.directory, '.git'), { recursive: true });
    expect((await scene.run(['apply', 'plan.json'])).code).toBe(0);
    const written = new Set(scene.writes().map(({ path }) => path.includes('b.example')));
    expect(written).toEqual(new Set([true]));
  });

  test.runIf(IS_FULL)(
    'a value that a reference had at that revision is shown as the reference, also where it is written out now',
    async () => {
      const boss = 'th3.boss@secret-corp.example';
      const at = (sales: string, info: string): string =>
        manifestOf(`  acme.example: { aliases: { sales: ${sales}, info: ${info} } }\n`);
      const { scene } = await repositoryScene({ 'fwdsync.yaml': at('{ env: BOSS }', 'ana@corp.example') });
      await writeFile(join(scene.directory, 'fwdsync.yaml'), at(boss, 'ben@corp.example'));
      const env = { BOSS: boss };
      for (const format of everyNth(2, ['text', 'json', 'markdown', 'github'])) {
        const line = ['plan', '--against', 'HEAD', '--format', format, '--out', 'plan.json'];
        const { code, stdout, stderr } = await scene.run(line, { env });
        const saved = await readFile(join(scene.directory, 'plan.json'), 'utf8');
        expect([code, saved]).toEqual([0, expect.stringContaining('{ env: BOSS }')]);
        expect(stdout + stderr + saved).not.toContain('secret-corp');
      }
      const applied = await scene.run(['apply', '--against', 'HEAD', '--yes'], { env });
      expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('{ env: BOSS }')]);
      expect(applied.stdout + applied.stderr).not.toContain('secret-corp');
    },
  );

  test('nothing concerned: nothing is planned, also where the account has drifted; apply writes only what is', async () => {
    const { scene } = await repositoryScene({ 'fwdsync.yaml': TWO });
    const { code, stdout } = await scene.run(['plan', '--against', 'HEAD', '--detailed-exitcode']);
    expect(stdout).toContain('Nothing to change');
    expect(code).toBe(0);
    expect((await scene.run(['plan', '--detailed-exitcode'])).code).toBe(2);

    await writeFile(join(scene.directory, 'fwdsync.yaml'), TWO.replace('ben@', 'bea@'));
    expect((await scene.run(['apply', '--against', 'HEAD', '--yes'])).code).toBe(0);
    expect(scene.writes().every(({ path }) => path.includes('b.example'))).toBe(true);
    expect(scene.writes()).not.toEqual([]);
  });

  test.runIf(IS_FULL)('another account, or a revision without a manifest: all domains', async () => {
    const { scene, repository } = await repositoryScene({ 'README.md': 'x' });
    await commit(repository, { 'fwdsync.yaml': TWO });
    const plan = async (revision: string): Promise<number> => {
      const { stdout } = await scene.run(['plan', '--against', revision, '--format', 'json']);
      return (JSON.parse(stdout) as { changes: readonly unknown[] }).changes.length;
    };
    expect(await plan('HEAD~')).toBe(2);
    expect(await plan('HEAD')).toBe(0);
    await writeFile(join(scene.directory, 'fwdsync.yaml'), `${TWO}api: { account: owner@account.example }\n`);
    expect(await plan('HEAD')).toBe(2);
  });
});
