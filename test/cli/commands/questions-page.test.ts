import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { deliver } from '../support/deliver.ts';
import { commandScene } from '../support/scene.ts';

const PAGE = readFileSync(new URL('../../../docs/questions.md', import.meta.url), 'utf8');

/** What stands between fences of three backticks. */
const BLOCKS = [...PAGE.matchAll(/^```(?:yaml)?\n(.*?)^```$/gms)].map(([, text = '']) => text);

/** The same whatever the width of the terminal, and the time. */
function plain(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

test('the page of the three questions shows what the commands print', async () => {
  const [manifest = '', ...shown] = BLOCKS;
  const forward = ['ben@corp.example', 'ana@corp.example,ben@corp.example,carol@corp.example'];
  const aliases = [
    { alias: 'sales', forward: forward[0] ?? '' },
    { alias: 'support', forward: forward[1] ?? '' },
  ];
  const scene = await commandScene({
    manifest: manifest.replace('version: 1\n', ''),
    seed: { domains: [{ domain: 'acme.example', aliases }] },
  });
  const sales = { to: 'sales@acme.example' };
  deliver(scene, { ...sales, from: 'kim@partner.example', subject: 'Order 17' });
  deliver(scene, { ...sales, from: 'eve@partner.example', subject: 'Quote', outcome: 'HARD-BOUNCE' });
  expect(shown.map((block) => block.split('\n')[0])).toEqual([
    '$ fwdsync who ben@corp.example',
    '$ fwdsync replace ben@corp.example dan@corp.example --dry-run',
    '$ fwdsync replace --remove ben@corp.example',
    '$ fwdsync why sales@acme.example',
  ]);
  for (const block of shown) {
    const [line = '', ...output] = block.split('\n');
    const { stdout, stderr } = await scene.run(line.split(' ').slice(2), {
      env: { CHIEF: 'boss@corp.example' },
    });
    expect([plain(stdout), stderr]).toEqual([plain(output.join('\n')), '']);
  }
});

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
