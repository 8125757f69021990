import { describe, expect, test } from 'vitest';
import { createDns } from '../../../src/client/dns/ask.ts';
import { recordsOf, type Dns } from '../../../src/client/dns/dns.ts';
import { createResolver, findZone } from '../../../src/client/dns/zone.ts';
import { virtualClock } from '../../support/clock.ts';
import { startDns, type DnsFaultKind, type TestDns } from '../../support/dns/dns-server.ts';

const ACME = 'acme.example';

function open(): Dns {
  return createDns({ clock: virtualClock(), random: () => 0.5 });
}

async function askMx(dns: TestDns, server = 0): Promise<unknown> {
  const { address } = dns.servers[server] ?? { address: '' };
  const question = { name: 'ACME.example', type: 'MX' } as const;
  const answer = await open().ask({ host: address, port: dns.port }, question, 'direct');
  if (!answer.ok) return answer.error.message;
  const { code, isAuthoritative, answers } = answer.value;
  return [code, isAuthoritative, ...recordsOf(answers, 'MX').map(({ ttl, exchange }) => [ttl, exchange])];
}

describe('asking a server', () => {
  test.each<[DnsFaultKind | null, unknown, number]>([
    [null, ['NOERROR', true, [300, 'mx.old.example']], 1],
    ['truncated', ['NOERROR', true, [300, 'mx.old.example']], 2],
    ['other', ['NOERROR', true, [300, 'mx.old.example']], 1],
    ['lame', ['NOERROR', false], 1],
    ['servfail', ['SERVFAIL', false], 1],
    ['silent', 'no answer within 2 s', 3],
  ])('that is %s', async (fault, wanted, asked) => {
    const dns = await startDns([ACME]);
    dns.put(ACME, 'MX', ['10 MX.old.example']);
    const [server] = dns.servers;
    if (server !== undefined) server.fault = fault;
    expect([await askMx(dns), server?.asked]).toEqual([wanted, asked]);
  });

  test('by IPv6', async () => {
    const dns = await startDns([ACME], { addresses: ['::1'] });
    dns.put(ACME, 'MX', ['10 mx.old.example']);
    expect(await askMx(dns)).toEqual(['NOERROR', true, [300, 'mx.old.example']]);
  });

  test('that is not there', async () => {
    const question = { name: ACME, type: 'MX' } as const;
    const answer = await open().ask({ host: '127.0.0.77', port: 9 }, question, 'direct');
    expect(answer.ok ? '' : answer.error.message).toContain('ECONNREFUSED');
  });
});

describe('finding the zone', () => {
  async function find(dns: TestDns, name: string): Promise<unknown> {
    const [host = '', port] = dns.resolver.split(':');
    const found = await findZone(createResolver(open(), { host, port: Number(port) }), name, dns.port);
    if (!found.ok) return found.error.message;
    const { servers, unknown } = found.value;
    return [
      found.value.name,
      ...servers.map(({ server }) => server.host),
      ...unknown.map(({ name }) => name),
    ];
  }

  test('takes the nearest name with an SOA record', async () => {
    const dns = await startDns([ACME]);
    const servers = ['127.0.0.2', '127.0.0.3'];
    expect(await find(dns, ACME)).toEqual([ACME, ...servers]);
    expect(await find(dns, `a.b.${ACME}`)).toEqual([ACME, ...servers]);
    expect(await find(dns, 'other.example')).toContain(
      'no name from other.example upwards has an SOA record',
    );
  });

  test('names servers without an address', async () => {
    const dns = await startDns([ACME]);
    dns.put(ACME, 'NS', ['ns1.dns.example', 'gone.example']);
    expect(await find(dns, ACME)).toEqual([ACME, '127.0.0.2', 'gone.example']);
  });

  test('a resolver that fails is an error, not another zone', async () => {
    const dns = await startDns([ACME]);
    dns.recursive.fault = 'servfail';
    expect(await find(dns, ACME)).toContain('answered SERVFAIL (acme.example SOA)');
    dns.recursive.fault = 'silent';
    expect(await find(dns, ACME)).toContain('no answer within 2 s');
  });
});
