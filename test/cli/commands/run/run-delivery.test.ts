import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWorkspace, OWNER } from '../../../support/workspace.ts';
import { daemon } from '../../support/daemon-process.ts';
import { expectSchema } from '../../support/schema.ts';

const SCHEMA = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../schemas/status.v1.schema.json'), 'utf8'),
) as object;

test('run --delivery reports where mail fails, and keeps where it was in the state directory', async () => {
  const log = {
    sender: 'a@b.example',
    recipient: 'boss@acme.example',
    forward: 'boss@private.example',
    created_at: new Date(Date.now() - 600_000).toISOString(),
    events: [
      'QUEUED' as const,
      { status: 'HARD-BOUNCE' as const, code: 550, message: '<Boss@private.example> unknown' },
    ],
  };
  const aliases = [{ alias: 'boss', forward: 'boss@private.example' }];
  const here = await openWorkspace([{ domain: 'acme.example', aliases, logs: [log, log, log] }]);
  await here.write(`version: 1
api: { account: ${OWNER} }
domains:
  acme.example:
    aliases: { boss: { env: BOSS } }
`);
  const env = { ...here.env, FWDSYNC_LOG_FORMAT: 'json', BOSS: 'boss@private.example' };
  const process = daemon({ ...here, env }, ['--delivery']);
  const failing = await process.event('delivery.failing');
  expect(failing).toMatchObject({
    domain: 'acme.example',
    alias: 'boss',
    destination: '{ env: BOSS }',
    count: 3,
    code: 550,
    source: { line: 5 },
    message: expect.stringContaining(
      'boss@acme.example -> { env: BOSS }: 3 messages, last 550 ‹{ env: BOSS }› unknown (fwdsync.yaml:5:',
    ) as unknown,
  });
  const { port } = await process.event('status.listening');
  const get = async (path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${String(port)}${path}`)).text();
  await expect.poll(() => get('/metrics')).toContain('fwdsync_delivery_complete{account="default"} 1');
  const metrics = await get('/metrics');
  expect(metrics).toContain(
    'fwdsync_delivery_messages{account="default",domain="acme.example",outcome="hard"} 3',
  );
  expect(metrics).toContain('fwdsync_delivery_failing{account="default",domain="acme.example"} 1');
  const status = await get('/status');
  expect(expectSchema(SCHEMA, status)).toMatchObject({
    accounts: [{ delivery: { complete: true, failing: [{ alias: 'boss', count: 3, source: { line: 5 } }] } }],
  });
  expect(await process.end()).toBe(0);
  const state = here.env['FWDSYNC_STATE_DIR'] ?? '';
  const [account = ''] = await readdir(state);
  const kept = await readFile(join(state, account, 'delivery', 'acme.example.json'), 'utf8');
  expect(kept).toContain('"reported":"failing"');
  expect(`${kept}${status}${metrics}${await process.output}`).not.toMatch(/private\.example/i);
});
