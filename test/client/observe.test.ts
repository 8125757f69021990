import { describe, expect, test } from 'vitest';
import { observe, observeDomains, type ObserveOptions } from '../../src/client/observe.ts';
import type { Fault } from '../../src/emulator/faults/faults.ts';
import type { Seed } from '../../src/emulator/account/seed.ts';
import type { DesiredDomain } from '../../src/core/model/desired.ts';
import type { DomainName } from '../../src/core/model/names.ts';
import type { Section } from '../../src/core/model/kinds.ts';
import { EMAIL, testAccount, type TestAccount } from '../support/account.ts';

const SOURCE = { file: 'fwdsync.yaml', line: 1, column: 1 };
const SEED: Seed = {
  account: { email: EMAIL },
  domains: ['a.example', 'b.example', 'c.example', 'unmanaged.example'].map((domain) => ({
    domain,
    aliases: [{ alias: 'sales', forward: 'ana@corp.example' }],
    rules: [{ type: 'alias', config: { alias: 'jobs', forward: 'hr@corp.example' } }],
    credentials: [{ username: 'carol', password: 'correct horse' }],
  })),
};

function name(text: string): DomainName {
  return text as DomainName;
}

/** A desired domain that manages the given sections, or a tombstone. */
function desiredDomain(domain: string, sections: readonly Section[] | 'absent'): DesiredDomain {
  if (sections === 'absent') return { state: 'absent', domain: name(domain), source: SOURCE };
  const manages = (section: Section): boolean => sections.includes(section);
  return {
    state: 'present',
    domain: name(domain),
    source: SOURCE,
    settings: {},
    expect: [],
    verify: false,
    lint: [],
    delivery: null,
    ...(manages('aliases') ? { aliases: { prune: false, ignore: [], entries: new Map() } } : {}),
    ...(manages('rules') ? { rules: { prune: false, ignore: [], entries: [] } } : {}),
    ...(manages('credentials') ? { credentials: { prune: false, ignore: [], entries: new Map() } } : {}),
  };
}

function options(account: TestAccount, domains: readonly DesiredDomain[]): ObserveOptions {
  const map = new Map(domains.map((domain) => [domain.domain, domain]));
  return { desired: { domains: map }, clock: account.clock };
}

async function connect(...faults: readonly Fault[]): Promise<TestAccount> {
  const account = await testAccount(SEED);
  account.emulator.faults.push(...faults);
  return account;
}

function paths(account: TestAccount): readonly string[] {
  return account
    .requests()
    .map(({ path }) => path.split('?')[0] ?? '')
    .toSorted();
}

const A_AND_B = [desiredDomain('a.example', ['aliases', 'rules']), desiredDomain('b.example', [])];

describe('a reading of the account', () => {
  test('takes the sections that are managed, and no more requests than they need', async () => {
    const account = await connect();
    const observed = await observe(account.client({ mode: 'read-only' }), options(account, A_AND_B));
    if (!observed.ok) throw new Error(observed.error.message);
    const { domains, unproven } = observed.value;
    expect([...domains.keys()]).toEqual(['a.example', 'b.example', 'c.example', 'unmanaged.example']);
    expect(unproven.size).toBe(0);
    expect([...(domains.get(name('a.example'))?.aliases ?? [])]).toMatchObject([{ name: 'sales' }]);
    expect(domains.get(name('a.example'))).toMatchObject({
      rules: [{ forward: ['hr@corp.example'] }],
      readAt: account.clock.monotonic(),
    });
    expect(domains.get(name('a.example'))).not.toHaveProperty('credentials');
    expect(domains.get(name('b.example'))).not.toHaveProperty('aliases');
    expect(domains.get(name('unmanaged.example'))).toMatchObject({ readAt: null });
    expect(paths(account)).toEqual(
      ['/v4/account', '/v4/domains', '/v4/domains/a.example/aliases', '/v4/domains/a.example/rules'].map(
        (path) => expect.stringMatching(new RegExp(`${path.slice(3)}$`)),
      ),
    );
  });

  test('a listing that was begun is read to its end before many others are begun', async () => {
    const aliases = Array.from({ length: 801 }, (_, index) => ({
      alias: `a${index}`,
      forward: 'x@corp.example',
    }));
    const names = Array.from({ length: 60 }, (_, index) => `d${index}.example`);
    const account = await testAccount({ domains: names.map((domain) => ({ domain, aliases })) });
    const wanted = names.map((domain) => desiredDomain(domain, ['aliases']));
    const observed = await observe(account.client(), options(account, wanted));
    expect(observed.ok && observed.value.unproven.size).toBe(0);
    const open = new Map<string, number>();
    let most = 0;
    for (const { path } of account.requests().filter((request) => request.path.includes('/aliases?'))) {
      const [domain = ''] = path.split('?');
      const pages = (open.get(domain) ?? 0) + 1;
      if (pages === 5) open.delete(domain);
      else open.set(domain, pages);
      most = Math.max(most, open.size);
    }
    // Eight requests are sent at a time.
    expect(most).toBeLessThan(20);
  });

  test('a domain with a tombstone is read in full', async () => {
    const account = await connect();
    const observed = await observe(
      account.client(),
      options(account, [desiredDomain('c.example', 'absent')]),
    );
    expect(observed.ok && observed.value.domains.get(name('c.example'))).toMatchObject({
      aliases: { length: 1 },
      rules: [{}],
      credentials: [{ name: 'carol' }],
    });
  });
});

describe('scenario 24: one domain that cannot be read', () => {
  test.each<[string, Fault['do']]>([
    ['500', { kind: 'status', code: 500 }],
    ['403', { kind: 'status', code: 403 }],
    ['404 for a domain that the list names', { kind: 'status', code: 404 }],
    ['an empty list that cannot be', { kind: 'listing', empty: true }],
    ['an empty body', { kind: 'body', body: '' }],
  ])('%s: it is unproven, the others go on', async (_, action) => {
    const account = await connect({ match: { path: '/a\\.example/aliases', times: 'always' }, do: action });
    const both = [desiredDomain('a.example', ['aliases']), desiredDomain('b.example', ['aliases'])];
    const observed = await observe(account.client(), options(account, both));
    if (!observed.ok) throw new Error(observed.error.message);
    expect([...observed.value.unproven.keys()]).toEqual(['a.example']);
    expect(observed.value.unproven.get(name('a.example'))?.reason).toContain(
      'GET /domains/:domain/aliases: ',
    );
    expect(observed.value.domains.get(name('a.example'))).not.toHaveProperty('aliases');
    expect(observed.value.domains.get(name('b.example'))?.aliases).toHaveLength(1);
  });

  test.each<[string, Fault]>([
    ['the account', { match: { endpoint: '/account', times: 'always' }, do: { kind: 'status', code: 500 } }],
    [
      'the list of domains',
      { match: { endpoint: '/domains', times: 'always' }, do: { kind: 'status', code: 500 } },
    ],
    [
      'a list of domains that is short',
      { match: { endpoint: '/domains', times: 'always' }, do: { kind: 'listing', missing: 0 } },
    ],
    [
      'the key, in the middle',
      { match: { path: 'aliases', times: 'always' }, do: { kind: 'status', code: 401 } },
    ],
  ])('%s: there is no observation', async (_, fault) => {
    const account = await connect(fault);
    const observed = await observe(account.client(), options(account, A_AND_B));
    expect(observed.ok).toBe(false);
  });
});

describe('some domains by name', () => {
  test('each is asked for, and absent ones are confirmed by a listing', async () => {
    const account = await connect();
    const both = [...A_AND_B, desiredDomain('new.example', [])];
    const observed = await observe(account.client(), {
      ...options(account, both),
      domains: [name('new.example'), name('a.example')],
    });
    expect(observed.ok && [...observed.value.domains.keys()]).toEqual(['a.example']);
    expect(account.requests().some(({ path }) => path.includes('query=new.example'))).toBe(true);
    expect(account.requests().filter(({ path }) => path.includes('b.example'))).toEqual([]);
  });

  test('a 404 that the listing contradicts is no absence', async () => {
    const account = await connect({
      match: { path: '/domains/a\\.example$', times: 'always' },
      do: { kind: 'status', code: 404 },
    });
    const read = await observeDomains(account.client(), [name('a.example')], options(account, A_AND_B));
    if (!read.ok) throw new Error(read.error.message);
    expect([...read.value.unproven.keys()]).toEqual(['a.example']);
  });

  test('a 404 that the listing cannot confirm is no absence either', async () => {
    const account = await connect({
      match: { endpoint: '/domains', times: 'always' },
      do: { kind: 'status', code: 500 },
    });
    const read = await observeDomains(account.client(), [name('gone.example')], options(account, A_AND_B));
    expect(read.ok && [...read.value.unproven.keys()]).toEqual(['gone.example']);
  });
});
