import { expect, test } from 'vitest';
import { SEED } from '../../src/cli/commands/demo/demo-account.ts';
import { commandScene } from '../cli/support/scene.ts';
import { searchIn } from '../support/search.ts';
import { everyNth } from '../support/share.ts';
import { ENV, PLANTED } from './support/planted.ts';

/** Secrets of the demo: its key, the value behind a reference of its manifest, a password of its account. */
const OF_THE_DEMO = {
  key: 'demo-key',
  boss: 'bertha@corp.example',
  printer: SEED.domains?.[0]?.credentials?.[0]?.password ?? '',
};

const FLAGS = [['--mail', '--log-level', 'trace'], ['--log-level', 'trace'], [], ['--mask']];

test.each(everyNth(4, FLAGS))(
  'no planted value is in what the demo prints %s',
  { timeout: 60_000 },
  async (...flags) => {
    const scene = await commandScene();
    const { code, stdout, stderr } = await scene.run(['demo', ...flags], { env: ENV });
    expect([code, stdout.includes('To try next')]).toEqual([0, true]);
    for (const secrets of [PLANTED, OF_THE_DEMO]) {
      expect(searchIn({ where: 'the demo', text: stdout + stderr }, secrets)).toEqual([]);
    }
  },
);
