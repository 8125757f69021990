import { describe, expect, test } from 'vitest';
import type { ApiVersion } from '../../../../src/core/model/endpoints.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import type { Observed } from '../../../../src/core/model/observed.ts';
import type { Action, Change } from '../../../../src/core/model/plan.ts';
import {
  listingsOf,
  readsOfChangedDomains,
  readsOfDomainList,
  readsOfSections,
  requestsAtLeast,
  tripsOfReads,
} from '../../../../src/core/plan/requests/reads.ts';
import {
  absent,
  ACME,
  aliasSection,
  change,
  credentialSection,
  desired,
  live,
  liveAliases,
  numbered,
  observed,
  present,
  ruleSection,
} from '../support/build.ts';

/** An account with this many domains, named from `d0.example` on. */
const account = (count: number): Observed =>
  observed(Array.from({ length: count }, (_, index) => live(`d${index}.example`)));

const ofDomain = (domain: string, action: Action): Change =>
  change(domain, domain, { kind: 'domain', action });

/** Returns `operation domain requests` for each read. */
const brief = (reads: ReturnType<typeof readsOfSections>): readonly string[] =>
  reads.map(({ operation, domain, requests }) => `${operation} ${domain ?? 'all'} ${requests}`);

describe('the reads that show changed domains', () => {
  const [add, update, remove] = [
    ofDomain('new.example', 'add'),
    ofDomain('d0.example', 'update'),
    ofDomain('d1.example', 'delete'),
  ];
  const alias = change('d2.example', 'info');
  const ONE = 'getDomain d0.example 1';

  test.each<[string, readonly Change[], number, readonly string[]]>([
    ['none, if only their items change', [alias], 500, []],
    ['the list, if it is as short as the domain alone', [update], 200, ['listDomains all 1']],
    ['the domain alone, if the list is longer', [update, alias], 201, [ONE]],
    ['the list at its size with a new domain', [add], 199, ['listDomains all 1']],
    ['the new domain alone, if it makes the list longer', [add], 200, ['getDomain new.example 1']],
    ['each alone', [update, add], 401, [ONE, 'getDomain new.example 1']],
    ['the list, which alone shows that a domain is gone', [remove], 500, ['listDomains all 3']],
    ['the list, if one of them is gone', [update, remove], 500, ['listDomains all 3']],
    ['the list at its size without the domain', [remove], 201, ['listDomains all 1']],
  ])('%s', (_, changes, live_, expected) => {
    const context = { observed: account(live_), version: 'v4' } as const;
    expect(brief(readsOfChangedDomains(changes, context))).toEqual(expected);
  });
});

test.each([
  ['v4', 0, 1],
  ['v4', 200, 1],
  ['v4', 201, 2],
  ['v3', 101, 2],
] as const)('on %s a list of %i domains takes %i requests', (version, domains, requests) => {
  expect(readsOfDomainList(domains, version)).toBe(requests);
});

describe('the requests that a run certainly sends', () => {
  const wanted = desired([
    present('d0.example', { aliases: aliasSection({}), rules: ruleSection([]) }),
    present('d1.example', { aliases: aliasSection({}) }),
    present('d2.example'),
  ]);
  const found = (parts: Partial<Observed> = {}): Observed => {
    const rows = [...account(300).domains.values()];
    return observed([live('d0.example', { aliases: liveAliases(numbered(201)) }), ...rows.slice(1)], parts);
  };
  const atLeast = (changes: readonly Change[], parts: Partial<Observed> = {}): number => {
    const api = { url: 'https://api.example/v4', version: 'v4', account: 'ops@acme.example' } as const;
    return requestsAtLeast({ changes, api }, { desired: wanted, observed: found(parts), version: 'v4' });
  };

  test('the account, the list of domains, the listings of the managed sections', () => {
    // Two pages of domains; two pages of aliases and the rules of the first domain; the aliases of the second.
    expect(atLeast([])).toBe(1 + 2 + 2 + 1 + 1);
  });

  test('if only the domains of the manifest are read: each of them in place of the list', () => {
    expect(atLeast([], { partial: true })).toBe(1 + 3 + 2 + 1 + 1);
  });

  test('and the writes, of which a batch is one', () => {
    const adds = ['a', 'b'].map((text) => change('d0.example', text, { action: 'add' }));
    const updates = ['d0.example', 'd1.example'].map((domain) => change(domain, 'c'));
    expect(atLeast([...adds, ...updates])).toBe(atLeast([]) + 3);
  });
});

test('reading the account takes at least one listing of each managed section, of a tombstone of all', () => {
  const all = desired([
    present(ACME, { aliases: aliasSection({}), credentials: credentialSection({}) }),
    present('b.example', { aliases: aliasSection({}) }),
    present('c.example'),
    absent('d.example'),
  ]);
  expect(Object.fromEntries(listingsOf(all, 'v4'))).toEqual({
    'GET /domains/:domain/aliases': 3,
    'GET /domains/:domain/credentials': 2,
    'GET /domains/:domain/rules': 1,
  });
});

describe('reads that wait for the answer of another', () => {
  const read = (operation: string, requests: number) => ({ operation, domain: ACME, requests });
  test.each<[string, ApiVersion, ReturnType<typeof read>, number]>([
    ['no page', 'v4', read('listAliases', 0), 0],
    ['one page', 'v4', read('listAliases', 1), 1],
    ['the first page, then eight at a time', 'v4', read('listAliases', 9), 2],
    ['the first page, then more than eight', 'v4', read('listAliases', 10), 3],
    ['page after page, if no page tells how many there are', 'v3', read('listCredentials', 4), 4],
    ['the first page, if it tells how many there are', 'v4', read('listCredentials', 4), 2],
  ])('%s', (_, version, one, expected) => {
    expect(tripsOfReads([one], version)).toBe(expected);
  });

  test('listings side by side take as long as the longest', () => {
    expect(tripsOfReads([read('listAliases', 1), read('listRules', 10), read('listAliases', 2)], 'v4')).toBe(
      3,
    );
    expect(tripsOfReads([], 'v4')).toBe(0);
  });
});

describe('the listings of a domain', () => {
  const wanted = desired([present(ACME, { aliases: aliasSection({}), rules: ruleSection([]) })]);
  const listings = (changes: readonly Change[], found: Observed, domain: DomainName = ACME) =>
    brief(readsOfSections(domain, changes, { desired: wanted, observed: found, version: 'v4' }));

  test('each managed section at its size after the changes', () => {
    const found = observed([live(ACME, { aliases: liveAliases(numbered(200)), rules: [] })]);
    const add = change(ACME, 'new', { action: 'add' });
    expect(listings([add], found)).toEqual([`listAliases ${ACME} 2`, `listRules ${ACME} 1`]);
    expect(listings([add, change(ACME, 'n0', { action: 'delete' })], found)).toEqual([
      `listAliases ${ACME} 1`,
      `listRules ${ACME} 1`,
    ]);
  });

  test('a section that has not been read, or of a domain that is not there, takes one request', () => {
    const unread = observed([live(ACME, { readAt: null })]);
    for (const found of [unread, observed([])]) {
      expect(listings([], found)).toEqual([`listAliases ${ACME} 1`, `listRules ${ACME} 1`]);
    }
  });

  test('none of a domain that is deleted, nor of one that the manifest does not name', () => {
    const found = observed([live(ACME, { aliases: [] })]);
    expect(listings([ofDomain(ACME, 'delete')], found)).toEqual([]);
    expect(listings([], found, 'other.example' as DomainName)).toEqual([]);
  });
});
