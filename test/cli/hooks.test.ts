import { execFile } from 'node:child_process';
import { chmod, copyFile, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directory.ts';
import { createRepository, GIT_ENV, type Repository } from './support/repository.ts';
import { INSTALLED } from '../support/package.ts';
import { PROGRAM_PATH } from '../support/program.ts';

const ROOT = join(import.meta.dirname, '../..');
const GOOD = 'version: 1\ndomains:\n  acme.example:\n    aliases: { info: ana@corp.example }\n';
const BAD = GOOD.replace('ana@corp.example', 'oncal');
const run = promisify(execFile);

async function repository(PATH = PROGRAM_PATH): Promise<{
  readonly repository: Repository;
  readonly env: Record<string, string>;
}> {
  const env = { PATH, HOME: await temporaryDirectory() };
  return { repository: await createRepository(await temporaryDirectory(), env), env };
}

/** What a commit says that did not come about. */
async function refusal(commit: Promise<unknown>): Promise<string> {
  const failed = await commit.then(
    () => ({ stdout: '', stderr: 'the commit came about' }),
    (error: unknown) => error as { readonly stdout: string; readonly stderr: string },
  );
  return failed.stdout + failed.stderr;
}

const commits = async (made: Repository): Promise<number> =>
  Number(await made.git('rev-list', '--all', '--count'));

describe('the plain hook of examples/hooks', () => {
  const withHook = async (): Promise<Repository> => {
    const { repository: made } = await repository();
    await copyFile(join(ROOT, 'examples/hooks/pre-commit'), join(made.directory, '.git/hooks/pre-commit'));
    await chmod(join(made.directory, '.git/hooks/pre-commit'), 0o755);
    return made;
  };

  test('lets a valid manifest pass and refuses an invalid one, with its place', async () => {
    const made = await withHook();
    await made.commit({ 'fwdsync.yaml': GOOD });
    const said = await refusal(made.commit({ 'fwdsync.yaml': BAD }));
    expect(said).toContain('fwdsync.yaml:4:22: error');
    expect(await commits(made)).toBe(1);
  });

  test('checks what is committed, not what lies there', async () => {
    const made = await withHook();
    await made.stage({ 'fwdsync.yaml': BAD });
    await writeFile(join(made.directory, 'fwdsync.yaml'), GOOD);
    expect(await refusal(made.git('commit', '--quiet', '--message', 'Staged is bad'))).toContain('oncal');
    await made.git('commit', '--quiet', '--all', '--message', 'All is good');
    await writeFile(join(made.directory, 'fwdsync.yaml'), BAD);
    expect(await refusal(made.git('commit', '--quiet', '--message', 'x', 'fwdsync.yaml'))).toContain('oncal');
    expect(await commits(made)).toBe(1);
  });

  test('is silent about commits without a manifest', async () => {
    const made = await withHook();
    await writeFile(join(made.directory, 'fwdsync.yaml'), BAD);
    await made.commit({ 'README.md': 'x' });
    expect(await commits(made)).toBe(1);
  });
});

describe('.pre-commit-hooks.yaml', () => {
  const definition = join(ROOT, '.pre-commit-hooks.yaml');

  test('is a definition that the framework takes', async () => {
    const { env } = await repository();
    await run('pre-commit', ['validate-manifest', definition], { env });
    await run('pre-commit', ['validate-config', join(ROOT, 'examples/hooks/.pre-commit-config.yaml')], {
      env,
    });
  });

  test('run by the framework with the installed package: real commits pass and fail', async () => {
    const path = [join(INSTALLED, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
    const { repository: made, env } = await repository(path);
    const source = await createRepository(await temporaryDirectory());
    const rev = await source.commit({ '.pre-commit-hooks.yaml': await readFile(definition, 'utf8') });
    const config = { repos: [{ repo: source.directory, rev, hooks: [{ id: 'fwdsync-validate' }] }] };
    await made.commit({ '.pre-commit-config.yaml': JSON.stringify(config) });
    await run('pre-commit', ['install'], { cwd: made.directory, env: { ...env, ...GIT_ENV } });

    await made.commit({ 'fwdsync/acme.yaml': GOOD });
    expect(await refusal(made.commit({ 'fwdsync/acme.yaml': BAD }))).toContain(
      'fwdsync/acme.yaml:4:22: error',
    );
    // What is not staged is put aside by the framework: the file as it is committed is checked.
    await writeFile(join(made.directory, 'fwdsync/acme.yaml'), GOOD);
    expect(await refusal(made.git('commit', '--quiet', '--message', 'Staged is bad'))).toContain('oncal');
    await made.git('add', 'fwdsync');
    await made.git('commit', '--quiet', '--allow-empty', '--message', 'Good again');
    await made.commit({ 'docs/notes.yaml': 'anything: [' });
    await symlink('../mail/shop.yaml', join(made.directory, 'fwdsync/shop.yaml'));
    await made.git('add', 'fwdsync');
    expect(await refusal(made.commit({ 'mail/shop.yaml': BAD.replace('acme', 'shop') }))).toContain(
      'fwdsync/shop.yaml:4:22: error',
    );
    expect(await commits(made)).toBe(4);
  });
});
