import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fwdsync } from '../../../support/command.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { everyNth } from '../../../support/share.ts';
import { createRepository, GIT_ENV, type Repository } from '../../support/repository.ts';

const GOOD = 'version: 1\ndomains:\n  acme.example:\n    aliases: { info: ana@corp.example }\n';
const BAD = 'version: 1\ndomains:\n  acme.example:\n    alias: {}\n';

async function commit(repository: Repository): Promise<void> {
  await repository.git('commit', '--quiet', '--message', 'Change');
}

/** A repository with a valid manifest behind links; everything is committed. */
async function linked(links: Readonly<Record<string, string>>, file: string): Promise<Repository> {
  const repository = await createRepository(await temporaryDirectory());
  for (const [path, target] of Object.entries(links)) {
    await mkdir(join(repository.directory, dirname(path)), { recursive: true });
    await symlink(target, join(repository.directory, path));
  }
  await repository.stage({ [file]: GOOD });
  await repository.git('add', '--all');
  await commit(repository);
  return repository;
}

function validate(repository: Repository, args: readonly string[] = [], at = '.') {
  return fwdsync(['validate', '--staged', ...args], { cwd: join(repository.directory, at), env: GIT_ENV });
}

describe('a broken manifest is refused behind', () => {
  const links: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['a link to the file', { 'fwdsync.yaml': 'mail/acme.yaml' }, 'mail/acme.yaml'],
    ['a link to its directory', { fwdsync: 'mail' }, 'mail/acme.yaml'],
    ['a chain of links', { 'fwdsync.yaml': 'a.yaml', 'a.yaml': 'b/c.yaml', b: 'mail' }, 'mail/c.yaml'],
    ['a link below a directory', { 'shop/fwdsync.yaml': '../mail/shop.yaml' }, 'mail/shop.yaml'],
    ['a link to a file of the manifest', { 'fwdsync/acme.yaml': '../mail/acme' }, 'mail/acme'],
    ['a link to a directory of the manifest', { 'fwdsync/clients': '../mail' }, 'mail/sub/acme.yml'],
    ['a link of which the target has no ending', { 'fwdsync.yaml': 'manifest' }, 'manifest'],
  ];

  test.each(everyNth(7, links))('%s', async (_, links, file) => {
    const repository = await linked(links, file);
    expect(await validate(repository)).toMatchObject({ code: 0, stdout: '' });
    await repository.stage({ [file]: BAD });
    const { code, stderr } = await validate(repository);
    expect([code, stderr]).toEqual([5, expect.stringContaining(`${file}:4:5: error`)]);
    const [first = ''] = Object.keys(links);
    const named = first.includes('fwdsync/') ? 'fwdsync' : first;
    expect((await validate(repository, ['-f', named])).code).toBe(5);
  });

  test('a link that the commit leads elsewhere', async () => {
    const repository = await linked({ 'fwdsync.yaml': 'good.yaml' }, 'good.yaml');
    await repository.stage({ 'bad.yaml': BAD });
    await commit(repository);
    await rm(join(repository.directory, 'fwdsync.yaml'));
    await symlink('bad.yaml', join(repository.directory, 'fwdsync.yaml'));
    await repository.git('add', 'fwdsync.yaml');
    expect((await validate(repository)).code).toBe(5);
  });

  test('a directory from which the commit deletes a group', async () => {
    const repository = await linked({ fwdsync: 'mail' }, 'mail/acme.yaml');
    const groups = 'version: 1\ndestinations: { oncall: a@b.example }\ndomains: {}\n';
    await repository.stage({
      'mail/groups.yaml': groups,
      'mail/acme.yaml': GOOD.replace('ana@corp.example', 'oncall'),
    });
    await commit(repository);
    await repository.git('rm', '--quiet', 'mail/groups.yaml');
    expect((await validate(repository)).code).toBe(5);
  });
});

test('a link to what is not committed is refused', async () => {
  const repository = await createRepository(await temporaryDirectory());
  const link = join(repository.directory, 'fwdsync.yaml');
  for (const target of everyNth(4, ['../outside.yaml', '/etc/hostname', 'forgotten.yaml', 'fwdsync.yaml'])) {
    await rm(link, { force: true });
    await symlink(target, link);
    await repository.git('add', '--all');
    const { code, stderr } = await validate(repository);
    expect([target, code, stderr]).toEqual([
      target,
      1,
      expect.stringContaining('fwdsync.yaml is a link to a file outside the repository'),
    ]);
  }
});

describe('any configuration of git', () => {
  const settings = [
    ['diff.relative', 'true'],
    ['diff.noprefix', 'true'],
    ['diff.renames', 'copies'],
    ['diff.external', 'false'],
    ['diff.ignoreSubmodules', 'all'],
    ['core.quotePath', 'true'],
    ['color.ui', 'always'],
    ['core.pager', 'false'],
    ['status.relativePaths', 'false'],
    ['core.fsmonitor', 'false'],
  ] as const;

  test.each(everyNth(10, settings))('%s=%s', async (name, value) => {
    const repository = await createRepository(await temporaryDirectory());
    await repository.git('config', name, value);
    await repository.stage({ 'README.md': 'x' });
    await commit(repository);
    await repository.stage({ 'fwdsync.yaml': BAD, 'münchen/fwdsync/a.yaml': BAD, 'docs/x': 'x' });
    for (const at of everyNth(2, ['.', 'docs', 'münchen/fwdsync'])) {
      const { code, stderr } = await validate(repository, [], at);
      expect([at, code, stderr.match(/4:5: error/g)?.length]).toEqual([at, 5, 2]);
    }
  });

  test('before the first commit', async () => {
    const repository = await createRepository(await temporaryDirectory());
    await repository.stage({ 'mail/fwdsync.yaml': BAD });
    expect((await validate(repository, [], 'mail')).code).toBe(5);
    expect((await validate(repository, ['-f', 'fwdsync.yaml'], 'mail')).code).toBe(5);
  });
});

test('a repository of another user: the advice of git', async () => {
  const repository = await createRepository(await temporaryDirectory());
  await repository.stage({ 'fwdsync.yaml': GOOD });
  await commit(repository);
  const env = { ...GIT_ENV, GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' };
  for (const args of [['--staged'], ['--staged', '-f', 'fwdsync.yaml'], ['--against', 'HEAD']]) {
    const { code, stderr } = await fwdsync(['validate', ...args], { cwd: repository.directory, env });
    expect([args, code]).toEqual([args, 1]);
    expect(stderr).toContain(`detected dubious ownership in repository at '${repository.directory}'`);
    expect(stderr).toContain(`git config --global --add safe.directory ${repository.directory}\n`);
  }
});

test('outside of a repository, --staged and --against say so', async () => {
  const cwd = await temporaryDirectory();
  await writeFile(join(cwd, 'fwdsync.yaml'), GOOD);
  for (const args of [['--staged'], ['--against', 'HEAD', '-f', 'fwdsync.yaml']]) {
    const { code, stderr } = await fwdsync(['validate', ...args], { cwd, env: GIT_ENV });
    expect([code, stderr]).toEqual([1, expect.stringContaining('not a git repository')]);
  }
});
