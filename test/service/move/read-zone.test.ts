import { describe, expect, test } from 'vitest';
import { createDns } from '../../../src/client/dns/ask.ts';
import { DISCLOSE_ALL } from '../../../src/core/model/destinations.ts';
import type { ServerAnswer } from '../../../src/core/move/observation.ts';
import { safeTextWith } from '../../../src/service/delivery/safe-text.ts';
import { readDns, type DnsFacts } from '../../../src/service/move/read-zone.ts';
import { virtualClock } from '../../support/clock.ts';
import { startDns, type DnsFaultKind, type TestDns } from '../../support/dns/dns-server.ts';

const ACME = 'acme.example';

function read({ port }: TestDns, name = ACME): Promise<DnsFacts> {
  return readDns(name, {
    dns: createDns({ clock: virtualClock(), random: () => 0.5 }),
    resolver: { host: '127.0.0.1', port },
    serverPort: port,
    show: { text: safeTextWith(() => DISCLOSE_ALL), destinations: (all) => all.join() },
  });
}

async function answers(dns: TestDns, name = ACME): Promise<readonly ServerAnswer[]> {
  const { zone } = await read(dns, name);
  return zone.ok ? zone.value.servers.map(({ answer }) => answer) : [];
}

const OLD = { kind: 'mx', records: [{ preference: 10, exchange: 'mail.acme.example' }], ttl: 300 };

describe('answers of the servers of a zone', () => {
  test.each<[DnsFaultKind, object]>([
    ['lame', { kind: 'lame', reason: 'it is not responsible for the zone' }],
    ['servfail', { kind: 'lame', reason: 'it answers SERVFAIL' }],
    ['silent', { kind: 'silent', reason: 'no answer within 2 s' }],
    ['truncated', OLD],
    ['other', OLD],
  ])('one that is %s does not change what the other says', async (fault, wanted) => {
    const dns = await startDns([ACME]);
    dns.put(ACME, 'MX', ['10 mail.acme.example']);
    const [first] = dns.servers;
    if (first !== undefined) first.fault = fault;
    expect(await answers(dns)).toEqual([wanted, OLD]);
  });

  test('they may differ, have no MX, no name, or a CNAME', async () => {
    const dns = await startDns([ACME]);
    dns.put(ACME, 'MX', ['10 mail.acme.example'], { at: dns.servers.slice(1) });
    expect(await answers(dns)).toEqual([{ kind: 'none', ttl: 60, isMissingName: false }, OLD]);
    expect(await answers(dns, `new.${ACME}`)).toMatchObject([
      { isMissingName: true },
      { isMissingName: true },
    ]);
    dns.put(`www.${ACME}`, 'CNAME', ['x.example']);
    expect((await answers(dns, `www.${ACME}`))[0]).toEqual({ kind: 'cname', target: 'x.example' });
  });

  test('a wildcard below the domain, and a server without an address', async () => {
    const dns = await startDns([ACME]);
    dns.put(`*.${ACME}`, 'MX', ['10 mail.acme.example']);
    dns.put(ACME, 'NS', ['ns1.dns.example', 'gone.example']);
    const { zone } = await read(dns);
    expect(zone.ok ? zone.value : zone.error).toMatchObject({
      servers: [
        { name: expect.stringMatching(/^ns1\.dns\.example \(127\.0\.0\.2:\d+\)$/) as never },
        { name: 'gone.example', answer: { kind: 'silent', reason: 'it has no address' } },
      ],
      wildcard: OLD.records,
    });
  });

  test('MX records of a domain that come from the wildcard above it', async () => {
    const dns = await startDns([ACME]);
    dns.put(`*.${ACME}`, 'MX', ['10 mail.acme.example']);
    const inherited = async (): Promise<boolean | null> => {
      const { zone } = await read(dns, `shop.${ACME}`);
      return zone.ok ? zone.value.isInherited : null;
    };
    expect(await inherited()).toBe(true);
    dns.put(`shop.${ACME}`, 'MX', ['10 mx.service.example']);
    expect(await inherited()).toBe(false);
    dns.put(`*.${ACME}`, 'MX', ['10 mail.acme.example', '20 old.acme.example']);
    dns.put(`shop.${ACME}`, 'MX', ['20 old.acme.example', '10 mail.acme.example']);
    expect(await inherited()).toBe(true);
  });

  test('hostile names and texts come out escaped, on one line and bounded', async () => {
    const dns = await startDns([ACME]);
    dns.put(ACME, 'MX', ['10 a\u001b[31m\nb.example']);
    dns.put(ACME, 'TXT', [`v=spf1 \u001b[2J\n${'x'.repeat(5000)}`.slice(0, 250)]);
    const { zone, spf } = await read(dns);
    const shown = JSON.stringify([zone, spf]);
    expect(shown).not.toMatch(/\\u001b\[|\\n/);
    expect(shown).toContain('a\\\\u{1b}\\\\u{5b}31m\\\\u{a}b.example');
  });

  test('a resolver that is silent or fails makes everything unread', async () => {
    const dns = await startDns([ACME]);
    for (const fault of ['silent', 'servfail'] as const) {
      dns.recursive.fault = fault;
      const { zone, spf } = await read(dns);
      expect([zone.ok, spf.ok]).toEqual([false, false]);
    }
  });
});

describe('SPF', () => {
  test.each<[string, Record<string, readonly string[]>, object]>([
    ['none', {}, { records: [], lookups: null }],
    ['two', { [ACME]: ['v=spf1 -all', 'v=spf1 a -all', 'other'] }, { lookups: null }],
    [
      'nested',
      { [ACME]: ['v=spf1 a mx include:a.example ~all'], 'a.example': ['v=spf1 exists:x ip4:192.0.2.1'] },
      { lookups: 4 },
    ],
    [
      'in a circle',
      { [ACME]: ['v=spf1 include:a.example'], 'a.example': [`v=spf1 redirect=${ACME}`] },
      { lookups: 2 },
    ],
    ['eleven look-ups', { [ACME]: [`v=spf1 ${'a '.repeat(11)}-all`] }, { lookups: 11 }],
  ])('%s', async (_what, texts, wanted) => {
    const dns = await startDns([ACME, 'a.example']);
    for (const [name, values] of Object.entries(texts)) dns.put(name, 'TXT', values);
    const { spf } = await read(dns);
    expect(spf.ok ? spf.value : spf.error).toMatchObject(wanted);
  });
});
