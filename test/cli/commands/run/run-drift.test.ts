import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { startEmulator } from '../../../../src/emulator/http/server.ts';
import { daemon, place } from '../../support/daemon-process.ts';
import { commandScene } from '../../support/scene.ts';
import { IS_FULL } from '../../../support/share.ts';

test('a daemon checks through v3 what it has read in full before', async () => {
  const here = await place();
  const process = daemon(here, ['--drift-url', here.emulator.urls.v3, '--interval', '1s']);
  const { port } = await process.event('status.listening');
  const checks = (): number =>
    here.emulator.journal
      .entries()
      .filter(({ version, endpoint }) => version === 'v3' && endpoint === '/domains').length;
  await expect.poll(checks).toBeGreaterThan(1);
  const status = await (await fetch(`http://127.0.0.1:${String(port)}/status`)).json();
  expect(status).toMatchObject({
    accounts: [{ ready: true, lastFullReadAt: expect.stringMatching(/^\d{4}-.*Z$/) }],
  });
  const foreign = here.emulator.journal
    .entries()
    .filter(({ version, method }) => version === 'v3' && method !== 'GET');
  expect(foreign).toEqual([]);
  expect(await process.end()).toBe(0);
});

test.runIf(IS_FULL)('another account at that address ends it with 1', async () => {
  const here = await place();
  const other = await startEmulator({
    apiKey: String(here.env['FWDSYNC_API_KEY']),
    plan: 'paid',
    randomId: randomUUID,
    state: { account: { email: 'somebody@else.example' } },
    now: () => Date.now(),
    sleep: () => Promise.resolve(),
    journalSize: 100,
  });
  onTestFinished(() => other.close());
  const process = daemon(here, ['--interval', '1s'], { FWDSYNC_DRIFT_URL: other.urls.v3 });
  expect(await new Promise((resolve) => process.child.once('exit', resolve))).toBe(1);
  expect(await process.lines()).toContainEqual(
    expect.objectContaining({ event: 'run.failed', step: 'account' }),
  );
});

test.each([
  ['--once', ['--once', '--drift-url', 'https://api.improvmx.com/v3']],
  ['an interval without the address', ['--full-interval', '2h']],
  ['plain http elsewhere', ['--drift-url', 'http://x.example/v3']],
  ['an interval that is none', ['--drift-url', 'https://api.improvmx.com/v3', '--full-interval', 'soon']],
])('wrong usage: %s', async (_, args) => {
  const scene = await commandScene({
    manifest: 'domains: { acme.example: { aliases: { a: b@c.example } } }',
  });
  expect((await scene.run(['run', ...args])).code).toBe(64);
  expect(scene.requests()).toEqual([]);
});
