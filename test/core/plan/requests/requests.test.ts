import { describe, expect, test } from 'vitest';
import type { DesiredDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import type { DesiredRule } from '../../../../src/core/kinds/rule/fields.ts';
import { dependenciesOf } from '../../../../src/core/plan/requests/dependencies.ts';
import {
  firstRequestsOf,
  requestsOf,
  type StageRequests,
} from '../../../../src/core/plan/requests/requests.ts';
import {
  absent,
  ACME,
  aliasSection,
  credentialSection,
  desired,
  live,
  liveAliases,
  liveRule,
  liveTwin,
  observed,
  plan,
  planAliases,
  planRules,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';

const V4 = { version: 'v4', batches: 'allowed' } as const;
const FREE = { version: 'v4', batches: 'refused' } as const;
const CEL: RuleMatch = { type: 'cel', expression: 'true' };

/** Returns lines such as `1 acme.example addAlias info`, one per request. */
function sent(stages: readonly StageRequests[]): readonly string[] {
  return stages.flatMap(({ stage, domains }) =>
    domains.flatMap(({ domain, requests }) =>
      requests.map(
        ({ operation, items }) =>
          `${stage} ${domain} ${operation} ${items.map(({ change }) => change.name).join(' ')}`,
      ),
    ),
  );
}

function planOf(domains: readonly DesiredDomain[], rows: readonly ObservedDomain[]) {
  return plan(desired(domains), observed(rows));
}

function many(count: number, forward = 'a@x.example'): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`n${String(index).padStart(4, '0')}`, forward]),
  );
}

/** A batch without an id could match every item of its kind. */
describe('without the id that the request needs', () => {
  const planned = () =>
    planOf(
      [
        present(ACME, {
          aliases: aliasSection({ b: 'new@x.example' }, { prune: true }),
          rules: ruleSection([rule('r1', 'new@x.example', { id: 'r1' })], { prune: true }),
        }),
      ],
      [
        live(ACME, {
          aliases: liveAliases({ a: 'a@x.example', b: 'b@x.example' }),
          rules: [liveRule('r1', 1, 'a@x.example'), liveRule('r2', 2, 'a@x.example')],
        }),
      ],
    ).changes;

  test.each(['update alias', 'delete alias', 'update rule', 'delete rule'])('%s throws', (what) => {
    const changes = planned();
    const concerned = changes.filter(({ action, kind }) => `${action} ${kind}` === what);
    expect(concerned).toHaveLength(1);
    for (const id of [null, '']) {
      const broken = concerned.map((change) => ({ ...change, id }));
      expect(() => requestsOf({ changes: [...changes, ...broken] }, V4)).toThrow('has no id');
    }
  });
});

describe('requests', () => {
  test('before anything is known of batches: as they are allowed, in the version of the plan', () => {
    const result = planAliases(aliasSection(many(2)), {});
    expect(firstRequestsOf(result)).toEqual(requestsOf(result, V4));
    // On v3 an alias whose id is also a name is addressed in a batch.
    const twins = planAliases(aliasSection({ info: 'b@x.example' }), {
      info: 'a@x.example',
      2: 'a@x.example',
    });
    expect(sent(firstRequestsOf({ ...twins, api: { ...twins.api, version: 'v3' } }))).toEqual([
      '1 acme.example updateAliases info',
    ]);
    expect(sent(firstRequestsOf(twins))).toEqual(['1 acme.example updateAlias info']);
  });

  test('adds, then updates, and deletes in stage 2', () => {
    const section = aliasSection({ b: 'new@x.example', c: 'c@x.example' }, { prune: true });
    const result = planAliases(section, { a: 'a@x.example', b: 'b@x.example' });
    expect(sent(requestsOf(result, V4))).toEqual([
      '1 acme.example addAlias c',
      '1 acme.example updateAlias b',
      '2 acme.example deleteAlias a',
    ]);
  });

  test.each([
    [1, ['addAlias'], ['addAlias']],
    [2, ['addAliases'], ['addAlias', 'addAlias']],
    [500, ['addAliases'], null],
    [501, ['addAliases', 'addAlias'], null],
    [1002, ['addAliases', 'addAliases', 'addAliases'], null],
  ])('%i additions', (count, operations, singles) => {
    const result = planAliases(aliasSection(many(count)), {});
    const requests = requestsOf(result, V4).flatMap(({ domains }) => domains[0]?.requests ?? []);
    expect(requests.map(({ operation }) => operation)).toEqual(operations);
    expect(requests.flatMap(({ items }) => items)).toHaveLength(count);
    if (singles === null) return;
    const free = requestsOf(result, FREE).flatMap(({ domains }) => domains[0]?.requests ?? []);
    expect(free.map(({ operation }) => operation)).toEqual(singles);
  });

  test('a free account may still update and delete in batches', () => {
    const result = planAliases(aliasSection(many(2, 'b@x.example')), many(2));
    expect(sent(requestsOf(result, FREE))).toEqual(['1 acme.example updateAliases n0000 n0001']);
  });

  test('bodies are bounded in bytes, and an item that is larger goes alone', () => {
    const long = `${'ä'.repeat(300_000)}@x.example`;
    const result = planAliases(aliasSection({ a: long, b: long, c: 'c@x.example' }), {});
    expect(sent(requestsOf(result, V4))).toEqual([
      '1 acme.example addAlias a',
      '1 acme.example addAliases b c',
    ]);
  });

  test('a whole domain, from nothing to everything', () => {
    const wanted = present('new.example', {
      aliases: aliasSection({ '*': 'a@x.example', info: 'b@x.example' }),
      rules: ruleSection([rule('two', 'a@x.example'), rule('one', 'a@x.example')]),
      credentials: credentialSection({ printer: 'password', carol: 'password' }),
    });
    expect(sent(requestsOf(planOf([wanted], []), V4))).toEqual([
      '1 new.example addDomain new.example',
      '1 new.example addCredential carol',
      '1 new.example addCredential printer',
      '1 new.example addAliases info *',
      '1 new.example addRules two one',
    ]);
  });

  test('domains are deleted after everything else', () => {
    const old = live('a.example', { aliases: [], rules: [], credentials: [] });
    const rows = [
      old,
      live('b.example', { aliases: liveAliases({ x: 'a@x.example', y: 'a@x.example', z: 'a@x.example' }) }),
    ];
    const result = planOf(
      [absent('a.example'), present('b.example', { aliases: aliasSection({ x: false }) })],
      rows,
    );
    const stages = requestsOf(result, V4);
    expect(stages.map(({ stage }) => stage)).toEqual([2, 2]);
    expect(sent(stages)).toEqual(['2 b.example deleteAlias x', '2 a.example deleteDomain a.example']);
  });
});

describe('requests of rules', () => {
  const rows = [
    liveTwin('a', 10, 'x@x.example'),
    liveTwin('b', 20, 'x@x.example'),
    liveTwin('c', 30, 'x@x.example'),
    liveTwin('d', 40, 'x@x.example'),
  ];

  test('upward moves in final order, downward ones from the last', () => {
    const order = ['d', 'c', 'b', 'a'];
    const result = planRules(
      order.map((text) => rule(text, 'x@x.example')),
      rows,
    );
    const items = requestsOf(result, V4)[0]?.domains[0]?.requests[0]?.items ?? [];
    expect(items.map(({ change }) => change.name)).toEqual(['a', 'b', 'c']);
    expect(items.map(({ part, sent }) => [part?.action, sent])).toMatchObject([
      ['move', { rank: 70 }],
      ['move', { rank: 60 }],
      ['move', { rank: 50 }],
    ]);
  });

  test('a move sends the whole live config, which a single update requires', () => {
    const result = planRules(
      ['b', 'c', 'd', 'a'].map((text) => rule(text, 'x@x.example')),
      rows,
    );
    const item = requestsOf(result, V4)[0]?.domains[0]?.requests[0]?.items[0];
    expect(item).toMatchObject({
      change: { kind: 'rule' },
      part: { action: 'move' },
      sent: {
        id: 'derived-alias-a',
        match: { type: 'alias', alias: 'a' },
        forward: ['x@x.example'],
        active: true,
        rank: 50,
      },
    });
  });

  type Parts = Partial<Extract<DesiredRule, { state: 'present' }>>;
  /** Plans two rules; the second one changes, and may also move before the first. */
  const asleep = { active: false };
  test.each<[string, Parts & { to?: string; first?: true; live?: { active: boolean } }, readonly string[]]>([
    ['nothing', {}, []],
    ['moves', { first: true }, ['1 rule-moves rank']],
    ['forward', { to: 'y@x.example' }, ['1 rule-changes forward']],
    ['forward and moves', { to: 'y@x.example', first: true }, ['1 rule-moves forward,rank']],
    ['condition', { match: { type: 'alias', alias: 'z' } }, ['2 rule-narrowings alias']],
    [
      'condition and forward',
      { match: { type: 'alias', alias: 'z' }, to: 'y@x.example' },
      ['2 rule-narrowings forward,alias'],
    ],
    [
      'condition and moves',
      { match: { type: 'alias', alias: 'z' }, first: true },
      ['1 rule-moves rank', '2 rule-narrowings alias'],
    ],
    ['switched off', { active: false }, ['2 rule-narrowings active']],
    [
      'switched off, changes and moves',
      { active: false, to: 'y@x.example', first: true },
      ['2 rule-narrowings forward,active,rank'],
    ],
    ['switched on', { live: asleep }, ['1 rule-changes active']],
    [
      'switched on, changes and moves',
      { live: asleep, match: { type: 'alias', alias: 'z' }, first: true },
      ['1 rule-changes alias,active,rank'],
    ],
    [
      'asleep and changes',
      { live: asleep, active: false, match: { type: 'alias', alias: 'z' } },
      ['1 rule-changes alias'],
    ],
    ['asleep and moves', { live: asleep, active: false, first: true }, ['1 rule-moves rank']],
  ])('%s', (_, { to = 'x@x.example', first, live: liveParts, ...parts }, expected) => {
    const live = [
      liveTwin('k', 10, 'k@x.example'),
      liveTwin('l', 15, 'k@x.example'),
      liveTwin('m', 20, 'x@x.example', liveParts),
    ];
    const moving = rule('m', to, { id: 'derived-alias-m', ...parts });
    const others = [rule('k', 'k@x.example'), rule('l', 'k@x.example')];
    const result = planRules(first ? [moving, ...others] : [...others, moving], live);
    const steps = requestsOf(result, V4).flatMap(({ stage, domains }) =>
      domains.flatMap(({ requests }) =>
        requests.flatMap(({ step, items }) =>
          items.map(({ part }) => `${stage} ${step} ${part?.fields.join()}`),
        ),
      ),
    );
    expect(steps).toEqual(expected);
    if (expected.length > 0) expect(result.changes[0]?.stage).toBe(Number(expected.at(-1)?.[0]));
  });

  test('a live rank that is no number is not sent back', () => {
    const result = planRules(
      [rule('a', 'y@x.example', { active: false })],
      [liveTwin('a', Number.NaN, 'x@x.example', { active: false })],
    );
    const item = requestsOf(result, V4)[0]?.domains[0]?.requests[0]?.items[0];
    expect(item).toMatchObject({ sent: { rank: 10 } });
    const back = planRules([rule('k', 'x@x.example')], [liveTwin('k', Number.NaN, 'x@x.example')], {
      prune: true,
    });
    expect(back.changes).toMatchObject([{ action: 'move', desired: { rank: 10 } }]);
  });

  test('type changes: the new one before the old one goes', () => {
    const result = planRules([rule('a', 'x@x.example', { match: CEL })], [liveTwin('a', 1, 'x@x.example')]);
    expect(sent(requestsOf(result, V4))).toEqual(['1 acme.example addRule a', '2 acme.example deleteRule a']);
  });
});

describe('forwards from one domain to another', () => {
  const hub = (aliases: Record<string, string>) => live('hub.example', { aliases: liveAliases(aliases) });
  const wanted = (forward: string, entries: Record<string, string | false>) => [
    present(ACME, { aliases: aliasSection({ info: forward }) }),
    present('hub.example', { aliases: aliasSection(entries) }),
  ];
  const rows = { desk: 'a@x.example', office: 'a@x.example', '*': 'a@x.example' };

  test.each<[string, string, Record<string, string | false>, readonly string[]]>([
    ['its own address', 'desk@hub.example', { desk: false }, ['desk <- acme.example']],
    ['another address', 'desk@hub.example', { office: false }, []],
    ['with a label', 'desk+acme@HUB.example', { desk: false }, ['desk <- acme.example']],
    ['what the catch-all takes', 'any@hub.example', { '*': false }, ['* <- acme.example']],
  ])('%s', (_, forward, entries, expected) => {
    const accounts = [live(ACME, { aliases: liveAliases({ info: forward }) }), hub(rows)];
    const result = planOf(wanted('b@x.example', entries), accounts);
    const found = [...dependenciesOf(result.changes)].map(
      ([change, domains]) => `${change.name} <- ${[...domains].join()}`,
    );
    expect(found).toEqual(expected);
  });

  test('a route that another domain leaves only in stage 2 goes after that', () => {
    const accounts = [
      live(ACME, { rules: [liveRule('r', 1, 'desk@hub.example')] }),
      hub({ desk: 'a@x.example', more: 'a@x.example', most: 'a@x.example' }),
    ];
    const result = planOf(
      [
        present(ACME, { rules: ruleSection([], { prune: true }) }),
        present('hub.example', { aliases: aliasSection({ desk: false, more: false }) }),
      ],
      accounts,
    );
    const stages = requestsOf(result, V4);
    expect(stages.map((stage) => sent([stage]))).toEqual([
      ['2 acme.example deleteRule r', '2 hub.example deleteAlias more'],
      ['2 hub.example deleteAlias desk'],
    ]);
  });
});
