import { describe, expect, test } from 'vitest';
import { UNKNOWN_BUDGET, type Budget } from '../../../../src/core/rate-limit/budget.ts';
import type { Desired, DesiredDomain } from '../../../../src/core/model/desired.ts';
import type { Observed, ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { Prior } from '../../../../src/core/model/prior.ts';
import { NO_PRIOR } from '../../../../src/core/model/prior.ts';
import { forecast, type ForecastOptions } from '../../../../src/core/plan/requests/forecast.ts';
import { requestsOf } from '../../../../src/core/plan/requests/requests.ts';
import { dueDomains, plannedVerifications } from '../../../../src/core/plan/requests/verification.ts';
import {
  absent,
  ACME,
  aliasSection,
  credentialSection,
  desired,
  live,
  liveAliases,
  liveRule,
  NOW,
  MONOTONIC,
  numbered,
  observed,
  plan,
  present,
  prior,
  rule,
  ruleSection,
} from '../support/build.ts';

function told(limit: number, remaining = limit): Budget {
  return {
    ...UNKNOWN_BUDGET,
    limit,
    remaining,
    answered: true,
    refillAt: 61_000,
    window: { step: 60_000, ahead: 60 },
  };
}

function forecastOf(
  wanted: Desired,
  found: Observed,
  options: Partial<ForecastOptions> = {},
): ReturnType<typeof forecast> {
  const all: ForecastOptions = {
    version: 'v4',
    batches: 'allowed',
    desired: wanted,
    observed: found,
    prior: NO_PRIOR,
    budgets: new Map(),
    monotonic: MONOTONIC,
    now: NOW,
    reading: NOTHING,
    latency: null,
    ...options,
  };
  return forecast(requestsOf(plan(wanted, found), all), all);
}

const NOTHING = { requests: 0, seconds: 0 };
const GET_ALIASES = 'GET /domains/:domain/aliases';

/** Returns `endpoint requests/items` for each endpoint. */
function endpoints({ endpoints: found }: ReturnType<typeof forecast>): readonly string[] {
  return found.map(({ endpoint, requests, items }) => `${endpoint} ${requests}/${items}`);
}

describe('the requests of applying a plan', () => {
  const rows = (aliases: Record<string, string>, parts: Partial<ObservedDomain> = {}) =>
    observed([live(ACME, { aliases: liveAliases(aliases), ...parts })]);
  const wanted = (entries: Record<string, string | false>, options = {}) =>
    desired([present(ACME, { aliases: aliasSection(entries, options) })]);

  test('nothing', () => {
    expect(forecastOf(wanted({}), rows({}))).toEqual({
      requests: 0,
      writes: 0,
      seconds: 0,
      limit: null,
      windowSeconds: null,
      endpoints: [],
      phases: { reading: NOTHING, writing: NOTHING, verifying: NOTHING },
      total: NOTHING,
    });
  });

  test('writes first, in the order of their names, then the reads that verify', () => {
    const result = forecastOf(
      wanted({ n0: 'b@x.example', x: 'a@x.example', y: 'a@x.example' }),
      rows(numbered(2)),
    );
    expect(result).toEqual({
      requests: 3,
      writes: 2,
      // The two writes run one after another, and then the read.
      seconds: 0.5,
      limit: null,
      windowSeconds: null,
      phases: {
        reading: NOTHING,
        writing: { requests: 2, seconds: 0.3 },
        verifying: { requests: 1, seconds: 0.2 },
      },
      total: { requests: 3, seconds: 0.5 },
      endpoints: [
        { endpoint: 'POST /domains/:domain/aliases/batch', requests: 1, items: 2 },
        { endpoint: 'PUT /domains/:domain/aliases/:id', requests: 1, items: 1 },
        { endpoint: GET_ALIASES, requests: 1, items: 0 },
      ],
    });
  });

  test.each([
    ['v4', 199, 1],
    ['v4', 200, 2],
    ['v3', 99, 1],
    ['v3', 100, 2],
  ] as const)('on %s %i aliases and one more are verified in %i pages', (version, count, requests) => {
    const result = forecastOf(wanted({ x: 'a@x.example' }), rows(numbered(count)), { version });
    expect(endpoints(result).at(-1)).toBe(`${GET_ALIASES} ${requests}/0`);
  });

  test.each([
    [0, 2],
    [1, 2],
    [19, 2],
    [20, 4],
    [199, 4],
    [200, 4],
    [219, 4],
    [220, 6],
  ])(
    'on v3 %i credentials have no total: read twice until a page is short, %i requests',
    (count, requests) => {
      const names = Array.from({ length: count }, (_, index) => ({ name: `c${index}` }));
      const all = desired([
        present(ACME, {
          credentials: credentialSection({}),
          settings: { whitelabel: { value: 'w.example', source: { file: 'f', line: 1, column: 1 } } },
        }),
      ]);
      const found = observed([live(ACME, { credentials: names })]);
      const listing = (version: 'v3' | 'v4') =>
        forecastOf(all, found, { version }).endpoints.find(({ endpoint }) =>
          endpoint.endsWith('/credentials'),
        );
      expect(listing('v3')?.requests).toBe(requests);
      expect(listing('v4')?.requests).toBe(Math.max(1, Math.ceil(count / 200)));
    },
  );

  test('a domain in which stage 2 takes routes away is read again right before it, at its size by then', () => {
    const gone = (entries: Record<string, string | false>) =>
      endpoints(forecastOf(wanted({ n0: false, ...entries }), rows(numbered(200)))).at(-1);
    // Before the delete there are 200 aliases in one page or 201 in two; after it 199 or 200 in one.
    expect(gone({})).toBe(`${GET_ALIASES} 2/0`);
    expect(gone({ x: 'a@x.example' })).toBe(`${GET_ALIASES} 3/0`);
    const sections = forecastOf(
      desired([present(ACME, { aliases: aliasSection({ n0: false }), rules: ruleSection([]) })]),
      observed([live(ACME, { aliases: liveAliases(numbered(1)), rules: [] })]),
    );
    expect(endpoints(sections).slice(1)).toEqual([`${GET_ALIASES} 2/0`, 'GET /domains/:domain/rules 2/0']);
    const added = forecastOf(wanted({ x: 'a@x.example' }), rows({}, { readAt: MONOTONIC - 500_000 }));
    expect(endpoints(added).at(-1)).toBe(`${GET_ALIASES} 1/0`);
  });

  test('before credentials alone are deleted, only a listing that is over two minutes old is read again', () => {
    const gone = desired([present(ACME, { credentials: credentialSection({}, { prune: true }) })]);
    const read = (readAt: number | null, monotonic = MONOTONIC) => {
      const found = observed([live(ACME, { credentials: [{ name: 'c' }], readAt })]);
      return endpoints(forecastOf(gone, found, { monotonic })).at(-1);
    };
    expect(read(MONOTONIC)).toBe('GET /domains/:domain/credentials 1/0');
    expect(read(MONOTONIC - 120_000)).toBe('GET /domains/:domain/credentials 1/0');
    expect(read(MONOTONIC - 120_001)).toBe('GET /domains/:domain/credentials 2/0');
    expect(read(null)).toBe('GET /domains/:domain/credentials 1/0');
    expect(read(null, 500_000)).toBe('GET /domains/:domain/credentials 1/0');
  });

  test('before credentials are deleted together with aliases, all is read again', () => {
    const gone = desired([
      present(ACME, {
        aliases: aliasSection({ n0: false }),
        credentials: credentialSection({}, { prune: true }),
      }),
    ]);
    const found = observed([live(ACME, { aliases: liveAliases(numbered(9)), credentials: [{ name: 'c' }] })]);
    expect(endpoints(forecastOf(gone, found)).slice(2)).toEqual([
      `${GET_ALIASES} 2/0`,
      'GET /domains/:domain/credentials 2/0',
    ]);
  });

  test('all managed sections at their later size; none for a deleted domain', () => {
    const all = desired([
      present(ACME, {
        aliases: aliasSection({}, { prune: true }),
        rules: ruleSection([rule('r', 'a@x.example')]),
        credentials: credentialSection({ p: 'password' }),
      }),
      absent('old.example'),
      present('b.example', { aliases: aliasSection({}) }),
    ]);
    const found = observed([
      live(ACME, { aliases: liveAliases(numbered(201)), rules: [], credentials: [] }),
      live('old.example', { aliases: [], rules: [liveRule('r', 1, 'a@x.example')], credentials: [] }),
      live('b.example', { aliases: [] }),
    ]);
    expect(endpoints(forecastOf(all, found))).toEqual([
      'DELETE /domains/:domain 1/1',
      'DELETE /domains/:domain/aliases/batch 1/201',
      'POST /domains/:domain/credentials 1/1',
      'POST /domains/:domain/rules 1/1',
      'GET /domains 1/0',
      // Before stage 2: acme.example (201 aliases in two pages) and old.example; after it: acme.example.
      `${GET_ALIASES} 4/0`,
      'GET /domains/:domain/credentials 3/0',
      'GET /domains/:domain/rules 3/0',
    ]);
  });

  test('for a new domain its aliases right after it is added, and itself, or the list if that is as short', () => {
    const fresh = desired([present('new.example', { aliases: aliasSection({ '*': 'a@x.example' }) })]);
    const account = observed(Array.from({ length: 200 }, (_, index) => live(`d${index}.example`)));
    expect(endpoints(forecastOf(fresh, account))).toEqual([
      'POST /domains 1/1',
      'POST /domains/:domain/aliases 1/1',
      'GET /domains/:domain 1/0',
      `${GET_ALIASES} 2/0`,
    ]);
    const two = desired(
      ['new.example', 'more.example'].map((text) =>
        present(text, { aliases: aliasSection({ '*': 'a@x.example' }) }),
      ),
    );
    expect(endpoints(forecastOf(two, account)).at(-1)).toBe(`${GET_ALIASES} 4/0`);
    const settled = desired([present('new.example', { aliases: aliasSection({ a: 'a@x.example' }) })]);
    expect(endpoints(forecastOf(settled, observed([])))).toContain(`${GET_ALIASES} 1/0`);
    const updated = desired([
      present('d1.example', {
        settings: { whitelabel: { value: 'w', source: { file: 'f', line: 1, column: 1 } } },
      }),
    ]);
    expect(endpoints(forecastOf(updated, account))).toEqual([
      'PUT /domains/:domain 1/1',
      'GET /domains 1/0',
      'GET /domains/:domain 1/0',
    ]);
  });

  test('for a new domain whose * may be deleted, its aliases after the add, before that delete and at the end', () => {
    const fresh = desired([
      present('new.example', { aliases: aliasSection({ a: 'a@x.example' }, { prune: true }) }),
    ]);
    expect(endpoints(forecastOf(fresh, observed([])))).toEqual([
      'DELETE /domains/:domain/aliases/:id 1/1',
      'POST /domains 1/1',
      'POST /domains/:domain/aliases 1/1',
      'GET /domains 1/0',
      `${GET_ALIASES} 3/0`,
    ]);
  });

  /** Plans acme.example with these entries beside `count` live aliases, while the hub's alias is deleted. Returns its last endpoint. */
  const leaving = (count: number, entries: Record<string, string | false>) =>
    endpoints(
      forecastOf(
        desired([
          present(ACME, { aliases: aliasSection(entries) }),
          present('hub.example', { aliases: aliasSection({ desk: false }) }),
        ]),
        observed([
          live(ACME, { aliases: liveAliases({ ...numbered(count), info: 'desk@hub.example' }) }),
          live('hub.example', { aliases: liveAliases({ ...numbered(9), desk: 'info@acme.example' }) }),
        ]),
      ),
    ).at(-1);

  test.each<[string, number, Record<string, string | false>, number]>([
    // Both domains are read right before the hub's delete, and the hub at the end.
    ['once', 9, { info: 'x@x.example' }, 3],
    // With the added alias there are 201: two pages.
    ['at its size by then', 199, { info: 'x@x.example', new: 'x@x.example' }, 4],
    // acme.example is read before each delete, the hub before the last one, and both at the end.
    ['and at the end, where it changes in stage 2', 9, { info: 'x@x.example', n0: false }, 5],
    // Both wait for each other, so they are read for that, before their deletes and at the end.
    ['also where it waits for the other', 9, { info: false }, 6],
  ])('a domain that forwards to what another takes away is read %s', (_, count, entries, requests) => {
    expect(leaving(count, entries)).toBe(`${GET_ALIASES} ${requests}/0`);
  });

  test('changes in one section, or of domains, do not count for the size of another', () => {
    const found = observed([
      live(ACME, { aliases: liveAliases(numbered(200)), rules: [], credentials: [] }),
      ...Array.from({ length: 198 }, (_, index) => live(`d${index}.example`)),
    ]);
    const all = desired([
      present(ACME, {
        aliases: aliasSection({ n0: 'b@x.example' }),
        rules: ruleSection([rule('r', 'a@x.example')]),
        credentials: credentialSection({ p: 'password' }),
      }),
      present('new.example', { aliases: aliasSection(numbered(2)) }),
    ]);
    expect(endpoints(forecastOf(all, found)).filter((line) => line.startsWith('GET'))).toEqual([
      'GET /domains 1/0',
      `${GET_ALIASES} 2/0`,
      'GET /domains/:domain/credentials 1/0',
      'GET /domains/:domain/rules 1/0',
    ]);
  });

  test('the items of all domains', () => {
    const names = ['a.example', 'b.example'];
    const all = desired(names.map((text) => present(text, { aliases: aliasSection(numbered(3)) })));
    const found = observed(names.map((text) => live(text, { aliases: [] })));
    expect(endpoints(forecastOf(all, found))).toEqual([
      'POST /domains/:domain/aliases/batch 2/6',
      `${GET_ALIASES} 2/0`,
    ]);
  });

  test('verifications of domains that are not ready, and of those that are added', () => {
    const domains = desired([
      present(ACME, { verify: true }),
      present('new.example', { verify: true }),
      present('b.example'),
    ]);
    const found = observed([live(ACME, { forwardingReady: false }), live('b.example')]);
    expect(endpoints(forecastOf(domains, found))).toContain('POST /domains/:domain/verify 2/0');
    expect(endpoints(forecastOf(domains, found, { version: 'v3' }))).toContain(
      'GET /domains/:domain/check 2/0',
    );
  });
});

describe('how long it takes', () => {
  /** Creates this many domains; each gets one new alias. */
  const adding = (count: number): [Desired, Observed] => {
    const names = Array.from({ length: count }, (_, index) => `d${String(index).padStart(3, '0')}.example`);
    return [
      desired(names.map((domain) => present(domain, { aliases: aliasSection({ x: 'a@x.example' }) }))),
      observed(names.map((domain) => live(domain, { aliases: [] }))),
    ];
  };

  test('eight requests of an endpoint at a time, 150 ms each', () => {
    // The writes, then the same number of reads.
    expect(forecastOf(...adding(8)).seconds).toBe(0.3);
    expect(forecastOf(...adding(9)).seconds).toBe(0.6);
  });

  test('an endpoint of which nothing is known has 200 a minute, 30 where batches are refused, or the least told', () => {
    expect(forecastOf(...adding(200)).seconds).toBeLessThan(10);
    expect(forecastOf(...adding(201)).seconds).toBeGreaterThan(60);
    const free = { batches: 'refused' } as const;
    expect(forecastOf(...adding(30), free).seconds).toBeLessThan(3);
    expect(forecastOf(...adding(31), free).seconds).toBeGreaterThan(60);
    const budgets = new Map([
      ['GET /account', told(50)],
      ['GET /domains', told(40)],
      ['GET /else', UNKNOWN_BUDGET],
    ]);
    expect(forecastOf(...adding(40), { budgets }).seconds).toBeLessThan(5);
    expect(forecastOf(...adding(41), { budgets }).seconds).toBeGreaterThan(60);
  });

  test('requests that an endpoint has already used count, and the tightest used limit is shown', () => {
    const budgets = new Map([
      ['POST /domains/:domain/aliases', told(100, 3)],
      [GET_ALIASES, told(60)],
      ['GET /account', told(10)],
    ]);
    const [wanted, found] = adding(4);
    const result = forecastOf(wanted, found, { budgets });
    // Three requests at once; the fourth after the window ends at 61 s, which is 60 s from now.
    expect(result.seconds).toBeGreaterThanOrEqual(60.3);
    expect([result.limit, result.windowSeconds]).toEqual([60, 60]);
  });

  test.each([
    [60, 100],
    [100, 60],
  ])('with the limits %i and %i the smaller one is shown', (ofWrites, ofReads) => {
    const budgets = new Map([
      ['POST /domains/:domain/aliases', told(ofWrites)],
      [GET_ALIASES, told(ofReads)],
    ]);
    expect(forecastOf(...adding(4), { budgets }).limit).toBe(60);
  });

  test.each([
    ['writes', UNKNOWN_BUDGET, told(60)],
    ['reads', told(60), UNKNOWN_BUDGET],
  ])('an endpoint of %s whose limit is not known is not the tightest', (_, ofWrites, ofReads) => {
    const budgets = new Map([
      ['POST /domains/:domain/aliases', ofWrites],
      [GET_ALIASES, ofReads],
    ]);
    const { limit, windowSeconds } = forecastOf(...adding(4), { budgets });
    expect([limit, windowSeconds]).toEqual([60, 60]);
  });

  test('the whole run is what was read and what is forecast', () => {
    const [wanted, found] = adding(4);
    const reading = { requests: 7, seconds: 61.2 };
    const { phases, total, requests, seconds } = forecastOf(wanted, found, { reading });
    expect(phases.reading).toEqual(reading);
    expect(phases.writing.requests + phases.verifying.requests).toBe(requests);
    expect(total).toEqual({ requests: requests + 7, seconds: seconds + 61.2 });
  });

  test('requests of one domain go one after another', () => {
    const entries = numbered(1200);
    const wanted = desired([present(ACME, { aliases: aliasSection(entries) })]);
    // Three batches; one page, and then the five others.
    expect(forecastOf(wanted, observed([live(ACME, { aliases: [] })])).seconds).toBe(0.8);
  });
});

describe('domains whose DNS is asked about', () => {
  const due = (wanted: readonly DesiredDomain[], rows: readonly ObservedDomain[], memory: Prior = NO_PRIOR) =>
    dueDomains({ desired: desired(wanted), observed: observed(rows), prior: memory, now: NOW }).map(
      ({ domain }) => domain,
    );
  const wanted = present(ACME, { verify: true });

  test.each<[string, DesiredDomain, readonly ObservedDomain[], boolean]>([
    ['not ready', wanted, [live(ACME)], true],
    ['ready to forward only', wanted, [live(ACME, { forwardingReady: true, sendReady: false })], true],
    ['ready to send only', wanted, [live(ACME, { forwardingReady: false, sendReady: true })], true],
    ['ready', wanted, [live(ACME, { forwardingReady: true, sendReady: true })], false],
    ['not live', wanted, [], false],
    ['not asked for', present(ACME), [live(ACME)], false],
    ['to be absent', absent(ACME), [live(ACME)], false],
  ])('%s', (_, entry, rows, expected) => {
    expect(due([entry], rows)).toEqual(expected ? [ACME] : []);
  });

  test.each([
    [NOW - 3600, true],
    [NOW - 3599, false],
  ])('again once the wait is over (last at %i)', (at, expected) => {
    const memory = prior(ACME, { verified: { at, waitMs: 3600 } });
    expect(due([wanted], [live(ACME)], memory)).toEqual(expected ? [ACME] : []);
  });

  test('the ones that have waited longest come first, new ones before all', () => {
    const names = ['a.example', 'b.example', 'c.example'];
    const last = new Map([
      ['a.example', 20],
      ['b.example', 10],
    ]);
    const domains = new Map(
      names.flatMap((text) => {
        const at = last.get(text);
        const [entry] = prior(text, at === undefined ? {} : { verified: { at, waitMs: 1 } }).domains;
        return entry === undefined ? [] : [entry];
      }),
    );
    const entries = names.map((text) => present(text, { verify: true }));
    expect(
      due(
        entries,
        names.map((text) => live(text)),
        { ...NO_PRIOR, domains },
      ),
    ).toEqual(['c.example', 'b.example', 'a.example']);
  });

  test('no more than a hundred in a run, those that are added included', () => {
    const count = (live_: number, added: number) => {
      const names = (what: string, length: number) =>
        Array.from({ length }, (_, index) => `${what}${index}.example`);
      const entries = [...names('live', live_), ...names('new', added)].map((text) =>
        present(text, { verify: true }),
      );
      const without = present('plain.example');
      const found = observed(names('live', live_).map((text) => live(text)));
      const all = desired([...entries, without]);
      const context = { desired: all, observed: found, prior: NO_PRIOR, now: NOW };
      return plannedVerifications(plan(all, found), context);
    };
    expect(count(0, 0)).toEqual([]);
    expect(count(2, 3)).toEqual([{ operation: 'verifyDomain', domain: null, requests: 5 }]);
    expect(count(60, 41)).toMatchObject([{ requests: 100 }]);
  });
});
