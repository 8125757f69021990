import { describe, expect, test } from 'vitest';
import { startPolicyHost, type PolicyHost } from '../../../support/dns/policy-host.ts';
import { ACME, startMove, type Moving } from './support/moving.ts';

const OLD = ['version: STSv1', 'mode: enforce', 'mx: mail.acme.example', 'max_age: 604800'];
const WEEK = 604_800_000;

interface Published extends Moving {
  readonly host: PolicyHost;
  /** Publishes a policy file and the id of its record. */
  readonly publish: (id: string, lines: readonly string[]) => void;
}

/** A manifest without test mail, because only the policy counts. */
const MANIFEST = 'domains: { acme.example: { aliases: { info: ana@corp.example } } }\n';

async function open(): Promise<Published> {
  const aliases = [{ alias: 'info', forward: 'ana@corp.example' }];
  const moving = await startMove({ manifest: MANIFEST, seed: { domains: [{ domain: ACME, aliases }] } });
  const host = await startPolicyHost(ACME, moving.dns.port);
  moving.dns.put(`mta-sts.${ACME}`, 'A', [host.address]);
  return {
    ...moving,
    host,
    publish(id, lines) {
      moving.dns.put(`_mta-sts.${ACME}`, 'TXT', [`v=STSv1; id=${id};`]);
      host.text = lines.join('\r\n');
    },
  };
}

test('a policy that forbids the service holds the switch back until senders have forgotten it', async () => {
  const { scene, move, publish } = await open();
  publish('20260901', OLD);
  const first = await move();
  expect(first.gate('policy')).toMatchObject({
    state: 'next',
    evidence: ['the policy has mode enforce and allows only: mail.acme.example'],
    todo: expect.arrayContaining(['mx: mx1.improvmx.com', 'mx: mx2.improvmx.com']) as never,
  });
  expect(first.gate('switch').evidence[0]).toBe('it comes after policy');

  const added = [...OLD, 'mx: *.improvmx.com'];
  publish('20260901', added);
  expect((await move()).gate('policy')).toMatchObject({
    state: 'next',
    todo: ['give the TXT record _mta-sts.acme.example a new id'],
  });

  publish('20260902', added);
  const waiting = (await move()).gate('policy');
  expect([waiting.state, waiting.until]).toEqual([
    'waiting',
    new Date(scene.clock.now() + WEEK).toISOString(),
  ]);

  scene.clock.advance(WEEK);
  expect((await move()).states).toMatchObject({ policy: 'done', switch: 'next' });
});

describe('a policy', () => {
  test.each<[string, readonly string[], 'done' | 'blocked', string]>([
    [
      'in mode testing',
      ['version: STSv1', 'mode: testing', 'mx: x.example', 'max_age: 9'],
      'done',
      'forbids nothing',
    ],
    ['in mode none', ['version: STSv1', 'mode: none', 'max_age: 9'], 'done', 'forbids nothing'],
    ['that allows the service', [...OLD, 'mx: *.improvmx.com'], 'done', "allows the service's MX"],
    ['that is broken', ['version: STSv1', 'mode: \u001b[31mall'], 'blocked', 'its mode is not enforce'],
  ])('%s', async (_, lines, state, words) => {
    const { move, publish } = await open();
    publish('1', lines);
    const { state: found, evidence } = (await move()).gate('policy');
    expect([found, evidence.join(' ')]).toEqual([state, expect.stringContaining(words)]);
  });

  test('that cannot be fetched, redirects, or has two records', async () => {
    const { move, publish, host, dns } = await open();
    publish('1', OLD);
    host.status = 302;
    expect((await move()).gate('policy').evidence.join()).toContain('mta-sts.acme.example answered 302');
    dns.put(`mta-sts.${ACME}`, 'A', []);
    expect((await move()).gate('policy').evidence.join()).toContain('mta-sts.acme.example has no address');
    dns.put(`_mta-sts.${ACME}`, 'TXT', ['v=STSv1; id=1', 'v=STSv1; id=2']);
    expect((await move()).gate('policy')).toMatchObject({ state: 'blocked', todo: ['remove all but one'] });
  });
});
