import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { commandScene } from '../support/scene.ts';

test('the commands of examples/acme find Dan, and hand over to Frank', async () => {
  const scene = await commandScene();
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const files = ['-f', `${root}examples/acme`];
  const env = { BOSS_ADDRESS: 'boss@corp.example', ACME_API_KEY: 'x', CAROL_SMTP_PASSWORD: 'y' };
  const who = await scene.run(['who', 'dan@corp.example', ...files], { env });
  expect([who.code, who.stdout.split('\n')[0]]).toEqual([
    0,
    '9 entries send mail to dan@corp.example; 1 of them has no other destination.',
  ]);
  const args = ['replace', 'dan@corp.example', 'frank@corp.example', ...files, '--dry-run'];
  const replaced = await scene.run(args, { env });
  expect([replaced.code, replaced.stdout]).toEqual([0, expect.stringContaining('at 6 places in 3 files')]);
});
