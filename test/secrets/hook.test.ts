import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRepository } from '../cli/support/repository.ts';
import { commandScene } from '../cli/support/scene.ts';
import type { Found } from '../support/search.ts';
import { everyNth } from '../support/share.ts';
import { ENV, findings, MANIFEST, PLANTED } from './support/planted.ts';
import { PROGRAM_PATH } from '../support/program.ts';

const ROOT = join(import.meta.dirname, '../..');
const WHOLE = `version: 1\n${MANIFEST}`;

/** Manifests that contain a secret as plain text. No error message may repeat it. */
const WRITTEN_OUT: Readonly<Record<string, string>> = {
  'a password': WHOLE.replace('{ env: CAROL }', JSON.stringify(PLANTED.password)),
  'a password without quotes': WHOLE.replace('{ password: { env: CAROL } }', PLANTED.password),
  'a password in bad quotes': WHOLE.replace('{ env: CAROL }', `"${PLANTED.password}"`),
  'a password in a list': WHOLE.replace('{ env: CAROL }', `[${JSON.stringify(PLANTED.password)}]`),
  'a password below a key that is not known': WHOLE.replace(
    'password: { env: CAROL }',
    `pasword: ${JSON.stringify(PLANTED.password)}`,
  ),
  'the key': WHOLE.replace('api: {', `api: { key: ${JSON.stringify(PLANTED.key)},`),
};

test('no planted value is in what the git hook says, or in what validate says of the index', async () => {
  const scene = await commandScene();
  const repository = await createRepository(scene.directory, { PATH: PROGRAM_PATH, ...ENV });
  const hook = join(scene.directory, '.git/hooks/pre-commit');
  await copyFile(join(ROOT, 'examples/hooks/pre-commit'), hook);
  await chmod(hook, 0o755);
  const said: Found[] = [];
  const commit = async (what: string): Promise<'committed' | 'refused'> => {
    try {
      said.push({ where: `a commit of ${what}`, text: await repository.git('commit', '--message', what) });
      return 'committed';
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      said.push({ where: `a refused commit of ${what}`, text: stdout + stderr });
      return 'refused';
    }
  };
  const manifests = Object.entries(WRITTEN_OUT);
  for (const [what, manifest] of everyNth(6, manifests)) {
    await repository.stage({ 'fwdsync.yaml': manifest });
    expect([what, await commit(what)]).toEqual([what, 'refused']);
  }
  for (const [what, manifest] of everyNth(3, manifests)) {
    await repository.stage({ 'fwdsync.yaml': manifest });
    for (const format of everyNth(2, ['json', 'github', 'sarif', 'junit'])) {
      const args = ['validate', '--staged', '--format', format];
      const { code, stdout, stderr } = await scene.run(args, { env: ENV });
      expect([what, code]).toEqual([what, 5]);
      said.push({ where: `${what}, ${args.join(' ')}`, text: stdout + stderr });
    }
  }
  await repository.stage({ 'fwdsync.yaml': WHOLE });
  expect(await commit('references')).toBe('committed');
  expect(said.every(({ text }) => text !== '')).toBe(true);
  expect(findings(said)).toEqual([]);
});
