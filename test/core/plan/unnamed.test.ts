import { describe, expect, test } from 'vitest';
import type { PresentDomain } from '../../../src/core/model/desired.ts';
import { NO_PRIOR, type Prior } from '../../../src/core/model/prior.ts';
import type { ObservedDomain } from '../../../src/core/model/observed.ts';
import type { UnnamedEntries } from '../../../src/core/model/status/daemon.ts';
import { unnamedEntries } from '../../../src/core/plan/unnamed.ts';
import {
  absent,
  ACME,
  aliasSection,
  desired,
  live,
  liveAliases,
  liveRule,
  liveTwin,
  numbered,
  observed,
  plan,
  present,
  prior,
  rule,
  ruleSection,
} from './support/build.ts';

/** Wanted and live state of a domain. */
type Domain = readonly [string, Partial<PresentDomain>, Partial<ObservedDomain> | null];

function unnamed(...domains: readonly Domain[]): ReadonlyMap<string, UnnamedEntries> {
  return unnamedSince(NO_PRIOR, domains);
}

function unnamedSince(memory: Prior, domains: readonly Domain[]): ReadonlyMap<string, UnnamedEntries> {
  const wanted = desired([
    ...domains.map(([domain, parts]) => present(domain, parts)),
    absent('old.example'),
  ]);
  const found = observed(
    domains.flatMap(([domain, , parts]) => (parts === null ? [] : [live(domain, parts)])),
  );
  const input = { desired: wanted, observed: found, prior: memory };
  return unnamedEntries(input, plan(wanted, found, { prior: memory }));
}

const OPEN = {
  aliases: aliasSection({ named: 'a@x.example' }),
  rules: ruleSection([rule('r', 'a@x.example')]),
};
const NAMED = { aliases: liveAliases({ named: 'a@x.example' }), rules: [liveTwin('r', 5, 'a@x.example')] };

describe('entries that the manifest does not name', () => {
  test('none: no domain is listed', () => {
    expect(unnamed([ACME, OPEN, NAMED])).toEqual(new Map());
  });

  test('aliases, compared without case', () => {
    const aliases = liveAliases({ NAMED: 'a@x.example', other: 'b@x.example' });
    expect(unnamed([ACME, { aliases: OPEN.aliases }, { aliases }])).toEqual(
      new Map([[ACME, { aliases: [aliases[1]], rules: [], ruleOrder: null, more: 0 }]]),
    );
  });

  test('rules, with the order of all rules: names of the manifest, ids of others', () => {
    const rules = [liveRule('last', 9, 'c@x.example'), ...NAMED.rules, liveRule('first', 1, 'b@x.example')];
    expect(unnamed([ACME, OPEN, { ...NAMED, rules }])).toEqual(
      new Map([
        [ACME, { aliases: [], rules: [rules[2], rules[0]], ruleOrder: ['first', 'r', 'last'], more: 0 }],
      ]),
    );
  });

  test('the order of the rules, if the plan changes one', () => {
    const rules = [liveTwin('r', 5, 'elsewhere@x.example')];
    expect(unnamed([ACME, OPEN, { ...NAMED, rules }])).toEqual(
      new Map([[ACME, { aliases: [], rules: [], ruleOrder: ['r'], more: 0 }]]),
    );
  });

  test('no order of the rules, if the plan changes only aliases', () => {
    const aliases = liveAliases({ named: 'elsewhere@x.example' });
    expect(unnamed([ACME, OPEN, { ...NAMED, aliases }])).toEqual(new Map());
  });

  test('not a rule that an earlier run adopted, with any current manifest', () => {
    const memory = prior(ACME, { ruleIds: new Map([['r', 'adopted']]) });
    const rules = [
      liveRule('adopted', 5, 'elsewhere@x.example', { match: { type: 'alias', alias: 'other' } }),
      liveRule('more', 6, 'b@x.example'),
    ];
    expect(unnamedSince(memory, [[ACME, OPEN, { ...NAMED, rules }]]).get(ACME)).toMatchObject({
      rules: [{ id: 'more' }],
      ruleOrder: ['r', 'more'],
    });
  });

  test('no rules of a domain in which two may be the one that the manifest names', () => {
    const memory = prior(ACME, { ruleIds: new Map([['r', 'adopted']]) });
    const rules = [...NAMED.rules, liveRule('adopted', 6, 'a@x.example'), liveRule('more', 7, 'b@x.example')];
    const found = unnamedSince(memory, [
      [ACME, OPEN, { ...NAMED, rules }],
      ['other.example', { aliases: aliasSection({}) }, { aliases: liveAliases({ b: 'b@x.example' }) }],
    ]);
    expect([...found.keys()]).toEqual(['other.example']);
  });

  test('not those that the plan deletes, of either kind', () => {
    const rows = {
      aliases: liveAliases({ named: 'a@x.example', same: 'b@x.example', gone: 'c@x.example' }),
      rules: [...NAMED.rules, liveRule('2', 6, 'a@x.example'), liveRule('3', 7, 'a@x.example')],
    };
    const wanted = {
      aliases: aliasSection({ named: 'a@x.example' }, { prune: true, ignore: ['same'] }),
      rules: ruleSection([rule('r', 'a@x.example')], { prune: true, ignore: ['2'] }),
    };
    const [found] = unnamed([ACME, wanted, rows]).values();
    expect(found?.aliases.map(({ name }) => name)).toEqual(['same']);
    expect(found?.rules.map(({ id }) => id)).toEqual(['2']);
  });

  test.each<[string, Partial<PresentDomain>, Partial<ObservedDomain> | null]>([
    [
      'in sections that the manifest does not have',
      {},
      { ...NAMED, aliases: liveAliases({ b: 'b@x.example' }) },
    ],
    ['in sections that were not read', OPEN, {}],
    ['in a domain that does not exist yet', OPEN, null],
  ])('not %s', (_, wanted, found) => {
    const other = [
      'other.example',
      { aliases: aliasSection({}) },
      { aliases: liveAliases({ a: 'a@x.example' }) },
    ] as const;
    expect([...unnamed([ACME, wanted, found], other).keys()]).toEqual(['other.example']);
  });
});

test('those in a domain that cannot be planned, because two live rules may be one of the manifest', () => {
  const wanted = desired([present(ACME, OPEN)]);
  const rules = [...NAMED.rules, liveRule('adopted', 6, 'a@x.example')];
  const found = observed([live(ACME, { ...NAMED, aliases: liveAliases({ other: 'b@x.example' }), rules })]);
  const memory = prior(ACME, { ruleIds: new Map([['r', 'adopted']]) });
  const made = plan(wanted, found, { prior: memory });
  expect(made.withheld).toHaveLength(1);
  const [entries] = unnamedEntries({ desired: wanted, observed: found, prior: memory }, made).values();
  expect(entries?.aliases.map(({ name }) => name)).toEqual(['other']);
});

test('2,000 entries of an account are kept, and the others of a domain counted', () => {
  const open = { aliases: aliasSection({}), rules: ruleSection([]) };
  const rules = Array.from({ length: 3 }, (_, index) => liveRule(`r${index}`, index, 'a@x.example'));
  const found = unnamed(
    ['a.example', open, { aliases: liveAliases(numbered(1_997)), rules: [] }],
    ['b.example', open, { aliases: liveAliases(numbered(1)), rules }],
    ['c.example', open, { aliases: liveAliases(numbered(2)), rules }],
  );
  expect(
    Array.from(found.values(), ({ aliases, rules: own, more }) => [aliases.length, own.length, more]),
  ).toEqual([
    [1_997, 0, 0],
    [1, 2, 1],
    [0, 0, 5],
  ]);
});
