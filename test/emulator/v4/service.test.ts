import { describe, expect, test } from 'vitest';
import { LOG_STATUSES } from '../../../src/emulator/logs/logs-events.ts';
import type { DnsState, MailStatus } from '../../../src/emulator/account/model.ts';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import type { Emulator } from '../../../src/emulator/http/server.ts';
import { expectFailure, startTestEmulator, TIMESTAMP, type Body, type Send } from '../support/target.ts';

/** State that only the service can cause: DNS, mail, plans. The API cannot set it. */

const ROOT = '/domains/acme.example';
const forward = 'ana@corp.example';
const FOUND: DnsState = { mx: true, spf: true, dkim1: true, dkim2: true, dmarc: true };
const MISSING: DnsState = { mx: false, spf: false, dkim1: false, dkim2: false, dmarc: false };

async function start(state: Seed = {}): Promise<{ emulator: Emulator; send: Send }> {
  const { emulator, send } = await startTestEmulator({ state, rateLimit: 1e6 });
  return { emulator, send };
}

/** A domain that was added through the API, with these DNS records. */
async function added(dns: Partial<DnsState>): Promise<{ emulator: Emulator; send: Send }> {
  const started = await start();
  await started.send('POST', '/domains', { domain: 'acme.example' });
  const domain = started.emulator.store.state.domains.get('acme.example');
  Object.assign(domain?.fields.dns ?? {}, { ...MISSING, ...dns });
  return started;
}

const get = async (send: Send, path: string): Promise<Body> => (await send('GET', path)).body;

describe('v4: What the service does: a domain is added and then verified', () => {
  test('both flags are false before the check, whatever DNS says', async () => {
    const { send } = await added(FOUND);
    const { domain } = await get(send, ROOT);
    expect([domain.forwarding_ready, domain.send_ready]).toEqual([false, false]);
  });

  test('once it is verified, both are true, and the result is valid without an error', async () => {
    const { send } = await added(FOUND);
    const { records } = (await send('POST', `${ROOT}/verify`)).body;
    expect([records.valid, records.error]).toEqual([true, null]);
    const { domain } = await get(send, ROOT);
    expect([domain.forwarding_ready, domain.send_ready]).toEqual([true, true]);
  });

  test.each(['mx', 'spf', 'dkim1', 'dkim2', 'dmarc'] as const)(
    'a verification checks the %s record',
    async (record) => {
      const { send } = await added({ ...FOUND, [record]: false });
      const missing = (await send('POST', `${ROOT}/verify`)).body.records;
      expect([missing[record].valid, missing.valid]).toEqual([false, false]);
      const other = await added({ [record]: true });
      const found = (await other.send('POST', `${ROOT}/verify`)).body.records;
      expect([found[record].valid, found.valid]).toEqual([true, false]);
    },
  );

  test('forwarding_ready is true when MX is found, error holds the reason when it is not', async () => {
    const { send } = await added({ mx: true });
    expect((await send('POST', `${ROOT}/verify`)).body.records.error).toBeNull();
    const { domain } = await get(send, ROOT);
    expect([domain.forwarding_ready, domain.send_ready]).toEqual([true, false]);
    const other = await added({ ...FOUND, mx: false });
    expect((await other.send('POST', `${ROOT}/verify`)).body.records.error).toEqual(expect.any(String));
  });
});

describe('v4: States and transitions: sending', () => {
  test.each([
    [{}, false],
    [{ dkim1: true, dkim2: true }, false],
    [{ dkim1: true, dmarc: true }, false],
    [{ dkim1: true, dkim2: true, dmarc: true }, true],
  ])('after the first credential it stays blocked with %j: not %s', async (dns, isReady) => {
    const { send } = await added({ mx: true, spf: true, ...dns });
    const credential = { username: 'carol', password: 'correct horse' };
    expect((await send('POST', `${ROOT}/credentials`, credential)).body.requires_new_mx_check).toBe(true);
    await send('POST', `${ROOT}/verify`);
    expect((await get(send, ROOT)).domain.send_ready).toBe(isReady);
  });
});

describe('v4: Resources: Domain: values that the API cannot set', () => {
  const domains = [
    { domain: 'a.example', routing_engine: 'alias', forwarding_ready: true, send_ready: true },
    { domain: 'b.example', routing_engine: 'rules', forwarding_ready: true, send_ready: false },
    { domain: 'c.example', routing_engine: null, forwarding_ready: false, send_ready: false },
  ] as const;

  test.each([
    ['forwarding_ready=true', ['a', 'b']],
    ['forwarding_ready=false', ['c']],
    ['send_ready=true', ['a']],
    ['send_ready=false', ['b', 'c']],
    ['routing_engine=alias', ['a']],
    ['routing_engine=rules', ['b']],
    ['routing_engine=null', ['c']],
    ['forwarding_ready=true&send_ready=false', ['b']],
    ['', ['a', 'b', 'c']],
  ])('filter %j', async (filter, names) => {
    const { send } = await start({ domains });
    const { domains: found, total } = await get(send, `/domains?${filter}`);
    expect(found.map(({ domain }: Body) => domain)).toEqual(names.map((name) => `${name}.example`));
    expect(total).toBe(names.length);
  });

  test.each([
    ['banned', true],
    ['strict_mxes', true],
    ['notify_when_spam_blocked', true],
    ['rules_fallback_email', forward],
    ['notification_email', null],
  ])('%s may be %j', async (field, value) => {
    const { send } = await start({ domains: [{ domain: 'acme.example', [field]: value }] });
    expect((await get(send, ROOT)).domain[field]).toBe(value);
  });
});

describe('v4: Events: what mail leaves in the log', () => {
  test.each(LOG_STATUSES)('%s is one of the statuses, and a filter', async (status) => {
    const events: readonly MailStatus[] = status === 'QUEUED' ? ['QUEUED'] : ['QUEUED', status];
    const logs = [
      { sender: forward, recipient: 'x@acme.example', forward, events },
      { sender: forward, recipient: 'y@acme.example', forward, events: [] },
    ];
    const { send } = await start({ domains: [{ domain: 'acme.example', logs }] });
    const { logs: found } = await get(send, `${ROOT}/logs?status=${status}`);
    expect(found).toHaveLength(1);
    expect(found[0].events.map((event: Body) => event.status)).toEqual(events);
    for (const event of found[0].events) expect(Number.isInteger(event.code)).toBe(true);
    expect(await get(send, `${ROOT}/logs/count?status=${status}`)).toEqual({ total: 1 });
  });

  test.each(['mx', 'smtp', 'api'] as const)(
    '%s is one of the transports, and a filter',
    async (transport) => {
      const logs = (['mx', 'smtp', 'api'] as const).map((which) => ({
        sender: forward,
        recipient: 'x@acme.example',
        transport: which,
      }));
      const { send } = await start({ domains: [{ domain: 'acme.example', logs }] });
      const { logs: found } = await get(send, `${ROOT}/logs?transport=${transport}`);
      expect(found.map((entry: Body) => entry.transport)).toEqual([transport]);
    },
  );

  test('mail that is forwarded is QUEUED, then DELIVERED, by mx', async () => {
    const { emulator, send } = await start({
      domains: [{ domain: 'acme.example', aliases: [{ alias: 'sales', forward }] }],
    });
    emulator.deliver({ to: 'sales@acme.example', from: 'ben@x.example', subject: 'Hello' });
    const [entry] = (await get(send, `${ROOT}/logs`)).logs;
    expect(entry).toMatchObject({ transport: 'mx', subject: 'Hello', forward: { email: forward } });
    expect(entry.events.map((event: Body) => event.status)).toEqual(['QUEUED', 'DELIVERED']);
  });

  test('mail that nothing takes has a single REFUSED event', async () => {
    const { emulator, send } = await start({ domains: [{ domain: 'acme.example' }] });
    emulator.deliver({ to: 'nobody@acme.example', from: 'ben@x.example' });
    const [entry] = (await get(send, `${ROOT}/logs`)).logs;
    expect([entry.forward, entry.events.map((event: Body) => event.status)]).toEqual([null, ['REFUSED']]);
  });
});

describe('v4: Resources: Account: nullable fields that are set', () => {
  test.each([
    ['billing_email', 'bills@corp.example', 'bills@corp.example'],
    ['company_vat', 'XX123', 'XX123'],
    ['lock_reason', 'unpaid', 'unpaid'],
    ['locked', true, true],
    ['cancels_at', '2026-03-01T00:00:00Z', expect.stringMatching(TIMESTAMP)],
  ])('%s', async (field, value, shown) => {
    const { send } = await start({ account: { [field]: value } });
    expect((await get(send, '/account')).account[field]).toEqual(shown);
  });
});

describe('v4: Errors: 403', () => {
  test('a request that needs a premium account has message and errors, and changes nothing', async () => {
    const { send } = await start({ tier: 'free', domains: [{ domain: 'acme.example' }] });
    const aliases = [{ alias: 'sales', forward }];
    const body = expectFailure(await send('POST', `${ROOT}/aliases/batch`, { aliases }), 403);
    expect(body.errors).toEqual({});
    expect((await get(send, `${ROOT}/aliases`)).total).toBe(0);
  });
});
