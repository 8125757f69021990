import { expect, test } from 'vitest';
import type { MoveDocument } from '../../../../src/service/move/move-document.ts';
import { startDns } from '../../../support/dns/dns-server.ts';
import { deliver } from '../../support/deliver.ts';
import { commandScene } from '../../support/scene.ts';
import { openTwoAccounts } from '../../support/two-accounts.ts';
import { ACME, OLD_MX, SERVICE_MX, startMove } from './support/moving.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test('through version 3, a domain moves to the end', async () => {
  const { scene, dns, move, check } = await startMove({ version: 'v3' });
  const first = await move();
  expect(first.states).toMatchObject({ account: 'done', ttl: 'waiting', both: 'done', switch: 'waiting' });
  scene.clock.advance(DAY);
  expect((await move()).states).toMatchObject({ switch: 'next' });

  dns.put(ACME, 'MX', SERVICE_MX);
  check({ mx: true });
  expect((await move()).states).toMatchObject({ switch: 'done', receiving: 'waiting' });
  scene.clock.advance(HOUR);
  deliver(scene, { to: `sales@${ACME}` });
  expect((await move()).states).toMatchObject({ receiving: 'done', watch: 'done', hold: 'waiting' });
  scene.clock.advance(5 * DAY);
  const last = await move();
  expect([last.code, last.gate('hold').state]).toEqual([0, 'done']);
});

test('with many accounts, asks the one whose manifest has the domain, and remembers it there', async () => {
  const { acme, beta, directory, env } = await openTwoAccounts();
  const scene = await commandScene();
  const dns = await startDns(['beta.example']);
  dns.put('beta.example', 'MX', [OLD_MX]);
  const input = { env: { ...env, FWDSYNC_ACCOUNT: '', FWDSYNC_API_URL: '', FWDSYNC_API_KEY: '' } };
  const args = ['--accounts', `${directory}/many`, '--resolver', dns.resolver, '--format', 'json'];
  const { code, stdout } = await scene.run(['move', 'beta.example', ...args], input);
  const { domain, gates } = JSON.parse(stdout) as MoveDocument;
  const account = gates.find(({ gate }) => gate === 'account');
  expect([code, domain, account?.state]).toEqual([2, 'beta.example', 'next']);
  expect(account?.todo).toEqual([expect.stringContaining(`--accounts ${directory}/many`)]);
  expect([acme.journal.total(), beta.journal.total() > 0]).toEqual([0, true]);
  const none = await scene.run(['move', 'gamma.example', ...args], input);
  expect([none.code, none.stderr]).toMatchObject([64, expect.stringContaining('gamma.example')]);
});

test('two people who call it at once both get an answer, and the memory is that of one', async () => {
  const { dns, move } = await startMove();
  dns.put(ACME, 'MX', [OLD_MX], { ttl: 7200 });
  await move();
  dns.put(ACME, 'MX', [OLD_MX], { ttl: 300 });
  const both = await Promise.all([move(), move()]);
  const next = await move();
  for (const { code, states, gate } of both) {
    expect([code, states.ttl, states.switch]).toEqual([2, 'waiting', 'waiting']);
    expect(gate('ttl').until).toBe(next.gate('ttl').until);
  }
});
