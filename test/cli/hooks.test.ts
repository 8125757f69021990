import { execFile } from 'node:child_process';
import { chmod, copyFile, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/directory.ts';
import { createRepository, GIT_ENV, type Repository } from './support/repository.ts';
import { INSTALLED } from '../support/package.ts';
import { PROGRAM_PATH } from '../support/program.ts';
import { IS_FULL } from '../support/share.ts';

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

/** Output of a commit that failed. */
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

  test('checks what is committed, not what lies there, and is silent about commits without a manifest', async () => {
    const made = await withHook();
    await writeFile(join(made.directory, 'fwdsync.yaml'), BAD);
    await made.commit({ 'README.md': 'x' });
    expect(await commits(made)).toBe(1);
    await made.stage({ 'fwdsync.yaml': BAD });
    await writeFile(join(made.directory, 'fwdsync.yaml'), GOOD);
    const said = await refusal(made.git('commit', '--quiet', '--message', 'Staged is bad'));
    expect(said).toContain('fwdsync.yaml:4:22: error');
    await made.git('commit', '--quiet', '--all', '--message', 'All is good');
    await writeFile(join(made.directory, 'fwdsync.yaml'), BAD);
    expect(await refusal(made.git('commit', '--quiet', '--message', 'x', 'fwdsync.yaml'))).toContain('oncal');
    expect(await commits(made)).toBe(2);
  });
});

describe('.pre-commit-hooks.yaml', () => {
  test('the example is a configuration that the framework takes', async () => {
    const { env } = await repository();
    const example = join(ROOT, 'examples/hooks/.pre-commit-config.yaml');
    await run('pre-commit', ['validate-config', example], { env });
  });

  test.runIf(IS_FULL)(
    'run by the framework with the installed package: real commits pass and fail',
    async () => {
      const path = [join(INSTALLED, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
      const { repository: made, env } = await repository(path);
      const source = await createRepository(await temporaryDirectory());
      const definition = await readFile(join(ROOT, '.pre-commit-hooks.yaml'), 'utf8');
      const rev = await source.commit({ '.pre-commit-hooks.yaml': definition });
      const config = { repos: [{ repo: source.directory, rev, hooks: [{ id: 'fwdsync-validate' }] }] };
      await made.commit({ '.pre-commit-config.yaml': JSON.stringify(config) });
      await run('pre-commit', ['install'], { cwd: made.directory, env: { ...env, ...GIT_ENV } });

      await made.commit({ 'fwdsync/acme.yaml': GOOD });
      // The framework puts unstaged changes aside, so the committed file is checked.
      await made.stage({ 'fwdsync/acme.yaml': BAD });
      await writeFile(join(made.directory, 'fwdsync/acme.yaml'), GOOD);
      expect(await refusal(made.git('commit', '--quiet', '--message', 'Staged is bad'))).toContain(
        'fwdsync/acme.yaml:4:22: error',
      );
      await made.git('add', 'fwdsync');
      await made.commit({ 'docs/notes.yaml': 'anything: [' });
      await symlink('../mail/shop.yaml', join(made.directory, 'fwdsync/shop.yaml'));
      await made.git('add', 'fwdsync');
      expect(await refusal(made.commit({ 'mail/shop.yaml': BAD.replace('acme', 'shop') }))).toContain(
        'fwdsync/shop.yaml:4:22: error',
      );
      expect(await commits(made)).toBe(3);
    },
  );
});
