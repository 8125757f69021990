import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkPrinted } from '../../../support/documents.ts';
import type { TestType } from '../../../support/dns/dns-server.ts';
import { loadZone, parseZone } from '../../../support/dns/zone-file.ts';
import { deliver } from '../../support/deliver.ts';
import { ACME, OLD_MX, SERVICE_MX, startMove } from './support/moving.ts';

const FROM = ['--from', 'postfix:virtual'] as const;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test('a domain moves from an old server to the service', async () => {
  const moving = await startMove({ seed: {} });
  const { scene, dns, move, check } = moving;
  dns.put(ACME, 'MX', [OLD_MX], { ttl: 7200 });

  const first = await move(...FROM);
  expect([first.code, first.states]).toEqual([
    2,
    {
      inventory: 'done',
      account: 'next',
      rehearsal: 'done',
      policy: 'waiting',
      ttl: 'next',
      both: 'waiting',
      sending: 'waiting',
      switch: 'waiting',
      receiving: 'waiting',
      watch: 'waiting',
      hold: 'waiting',
    },
  ]);
  expect(first.gate('account').todo).toEqual([
    expect.stringMatching(/^fwdsync apply --domain acme\.example -f \//),
  ]);

  expect((await scene.run(['apply', '--yes'])).code).toBe(0);
  dns.put(ACME, 'MX', [OLD_MX], { ttl: 300 });
  const lowered = await move(...FROM);
  expect(lowered.states).toMatchObject({
    account: 'done',
    policy: 'done',
    ttl: 'waiting',
    both: 'next',
    switch: 'waiting',
  });
  expect(lowered.gate('switch').until).toBe(lowered.gate('ttl').until);

  scene.clock.advance(2 * HOUR);
  const ready = await move(...FROM);
  expect(ready.states).toMatchObject({ ttl: 'done', switch: 'next', receiving: 'waiting' });
  expect(ready.gate('both').todo).toContain('acme.example. IN MX 20 mx1.improvmx.com.');
  expect(ready.gate('switch').todo).toEqual([
    'the MX records of acme.example, and no others:',
    'acme.example. IN MX 10 mx1.improvmx.com.',
    'acme.example. IN MX 20 mx2.improvmx.com.',
    expect.stringMatching(/^then run this again at once, and every minute until receiving says/),
  ]);

  dns.put(ACME, 'MX', SERVICE_MX);
  check({ mx: true });
  const switched = await move(...FROM);
  expect(switched.states).toMatchObject({
    switch: 'done',
    receiving: 'waiting',
    watch: 'waiting',
    hold: 'waiting',
  });

  scene.clock.advance(HOUR);
  deliver(scene, { to: `sales@${ACME}` });
  const received = await move(...FROM);
  expect(received.states).toMatchObject({ receiving: 'done', watch: 'done', hold: 'waiting' });

  scene.clock.advance(5 * DAY);
  const last = await move(...FROM);
  expect([last.code, last.gate('hold')]).toMatchObject([
    0,
    { state: 'done', todo: ['the address records of mail.acme.example, if nothing else uses it'] },
  ]);
  const { stdout } = await scene.run(['move', ACME, ...FROM, '--resolver', dns.resolver]);
  expect(stdout).toMatch(/^acme\.example: 11 of 11 gates done\n/);
  expect(stdout).toContain('\n           do: the address records of mail.acme.example');
  dns.put(ACME, 'MX', [OLD_MX]);
  expect((await move(...FROM)).states).toMatchObject({ switch: 'next', receiving: 'waiting' });
  // The last call starts no check, because the service forwards already and a check could stop it.
  const asked = scene.writes().filter(({ path }) => path.endsWith('/verify'));
  expect(asked.length).toBe(6);
});

test('the text of `verify --format zone`, loaded into the zone, is all that the switch and sending ask for', async () => {
  const { scene, dns, move, check } = await startMove();
  await move();
  scene.clock.advance(DAY);
  expect((await move()).states).toMatchObject({ switch: 'next' });

  const { stdout } = await scene.run(['verify', ACME, '--format', 'zone']);
  loadZone((name, type, data) => dns.put(name, type, data), parseZone(stdout));
  const has = (name: string, type: TestType): boolean =>
    dns.servers.every(({ records }) =>
      records.some((record) => record.name === name && record.type === type),
    );
  check({
    mx: has(ACME, 'MX'),
    spf: has(ACME, 'TXT'),
    dkim1: has(`dkimprovmx1._domainkey.${ACME}`, 'CNAME'),
    dkim2: has(`dkimprovmx2._domainkey.${ACME}`, 'CNAME'),
    dmarc: has(`_dmarc.${ACME}`, 'TXT'),
  });
  const { states, gate } = await move();
  expect(states).toMatchObject({ sending: 'done', switch: 'done', receiving: 'waiting' });
  expect(gate('sending')).toMatchObject({
    evidence: ['SPF, DKIM and DMARC are correct'],
    todo: [],
  });
  expect((await scene.run(['verify', ACME])).code).toBe(0);
});

test('its memory is a file of the state with a schema', async () => {
  const { scene, move } = await startMove();
  await move();
  const state = join(scene.directory, 'state');
  const [account = ''] = await readdir(state);
  const text = await readFile(join(state, account, 'moves', `${ACME}.json`), 'utf8');
  checkPrinted({ stdout: text, stderr: '', env: {} });
  expect(JSON.parse(text)).toMatchObject({
    kind: 'fwdsync/move-memory@1',
    mx: [{ preference: 10, exchange: 'mail.acme.example' }],
    ttl: { seconds: 300 },
    switchedAt: null,
  });
});
