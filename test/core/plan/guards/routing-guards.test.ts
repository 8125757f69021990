import { describe, expect, test } from 'vitest';
import type { Expectation, PresentDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import {
  ACME,
  aliasSection,
  at,
  desired,
  live,
  liveAliases,
  liveRule,
  liveTwin,
  observed,
  plan,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';

const HUB = 'hub.example';

const expectation = (to: string): Expectation =>
  ({ to, from: '', subject: '', body: '', source: at(9) }) as never;

test('one of two patterns with the same destination comes to discard: it may be the one that takes the mail of a named address', () => {
  const rows = { '(help|hilfe)': 'a@x.example', '(h.*)': 'a@x.example', desk: 'a@x.example' };
  const info = { info: `help@${HUB}` };
  const { guards } = plan(
    desired([
      present(ACME, { aliases: aliasSection(info) }),
      present(HUB, { aliases: aliasSection({ ...rows, '(h.*)': 'null' }) }),
    ]),
    observed([live(ACME, { aliases: liveAliases(info) }), live(HUB, { aliases: liveAliases(rows) })]),
  );
  expect(guards.map(({ guard, allow }) => `${guard} ${allow}`)).toEqual([
    'unrouted --allow-unrouted info@acme.example',
    `unrouted --allow-unrouted help@${HUB}`,
  ]);
});

test.each<[string, Partial<ObservedDomain>, Partial<PresentDomain>]>([
  [
    'a new rule',
    {
      routingEngine: 'rules',
      rulesFallbackEmail: null,
      rules: [liveTwin('help', 1, `info@${HUB}`)],
    },
    { rules: ruleSection([rule('(h.*)', `nobody@${HUB}`), rule('help', `info@${HUB}`)]) },
  ],
  [
    'a new pattern',
    { routingEngine: 'alias', aliases: liveAliases({ '(he.*)': `info@${HUB}` }) },
    { aliases: aliasSection({ '(h.*)': `nobody@${HUB}` }), expect: [expectation('help@acme.example')] },
  ],
])(
  '%s that leads to an address where nothing takes mail, in front of what delivers it',
  (_, acme, wanted) => {
    const { guards } = plan(
      desired([present(ACME, wanted)]),
      observed([
        live(ACME, acme),
        live(HUB, { routingEngine: 'alias', aliases: liveAliases({ info: 'a@x.example' }) }),
      ]),
    );
    expect(guards.map(({ guard, allow }) => `${guard} ${allow}`)).toContain(
      'unrouted --allow-unrouted help@acme.example',
    );
  },
);

describe('unrouted', () => {
  const wanted = (forward: string, entries: Record<string, string | false>, prune = true) =>
    desired([
      present(ACME, { aliases: aliasSection({ info: forward }) }),
      present(HUB, { aliases: aliasSection(entries, { prune }) }),
    ]);
  const accounts = (forward: string, rows: Record<string, string>, parts: Partial<ObservedDomain> = {}) =>
    observed([
      live(ACME, { aliases: liveAliases({ info: forward }) }),
      live(HUB, { aliases: liveAliases(rows), ...parts }),
    ]);
  const pattern = '(help|hilfe)-.*';
  const rows = { desk: 'a@x.example', office: 'a@x.example', [pattern]: 'a@x.example' };
  const rest = { desk: 'a@x.example', office: 'a@x.example' };
  const named = 'help-desk@hub.example';

  test.each<[string, string, Record<string, string | false>, readonly string[]]>([
    [
      'a pattern goes that a named address needs',
      named,
      rest,
      ['info@acme.example', 'help-desk@hub.example'],
    ],
    [
      'a pattern discards what a named address needs',
      named,
      { ...rest, [pattern]: 'null' },
      ['info@acme.example', 'help-desk@hub.example'],
    ],
    ['nobody names what only the pattern takes', 'a@x.example', rest, []],
    ['an alias of its own takes over', named, { ...rest, 'help-desk': 'b@x.example' }, []],
    [
      'its own alias is what goes, and what forwards there stays',
      'desk@hub.example',
      { office: 'a@x.example', [pattern]: 'a@x.example' },
      ['info@acme.example'],
    ],
    [
      'the same to the address with a label',
      'desk+x@hub.example',
      { office: 'a@x.example', [pattern]: 'a@x.example' },
      ['info@acme.example'],
    ],
  ])('%s', (_, forward, entries, expected) => {
    const found = plan(wanted(forward, entries), accounts(forward, rows)).guards.filter(
      ({ guard }) => guard === 'unrouted',
    );
    expect(found.map(({ allow }) => allow)).toEqual(expected.map((address) => `--allow-unrouted ${address}`));
  });

  test('deletes are withheld with stage 2, discards with their domain', () => {
    const deleted = plan(wanted(named, rest), accounts(named, rows));
    const deletes = { kind: 'domain-deletes', domain: HUB };
    expect(deleted.guards.map(({ holds }) => holds)).toEqual([deletes, deletes]);
    const discarding = plan(wanted(named, { ...rest, [pattern]: 'null' }), accounts(named, rows));
    const domain = { kind: 'domain', domain: HUB };
    expect(discarding.guards.map(({ holds }) => holds)).toEqual([domain, domain]);
  });

  test('each address is allowed by itself', () => {
    const allowances = [{ kind: 'unrouted', address: 'HELP-desk@hub.example' }] as const;
    const result = plan(wanted(named, rest), accounts(named, rows), { with: { allowances } });
    expect(result.guards.map(({ allowed }) => allowed)).toEqual([false, true]);
  });

  const rulesOf = (fallback: string | null, entries: Parameters<typeof ruleSection>[0]) => {
    const match: RuleMatch = { type: 'regex', regex: '^(jobs|hr)@', scopes: ['recipient'] };
    const rows = observed([
      live(HUB, {
        routingEngine: 'rules',
        rulesFallbackEmail: fallback,
        rules: [
          liveRule('r', 1, 'a@x.example', { match }),
          liveRule('s', 2, 'a@x.example', { match: { type: 'alias', alias: 'x' } }),
        ],
      }),
    ]);
    const expectation = {
      to: 'jobs@hub.example',
      from: '',
      subject: '',
      body: '',
      source: { file: 'f', line: 1, column: 1 },
      forward: { kind: 'refused' },
    } as const;
    return plan(desired([present(HUB, { rules: ruleSection(entries), expect: [expectation] })]), rows);
  };
  const gone = {
    state: 'absent',
    id: 'r',
    derivedIds: [],
    source: { file: 'f', line: 1, column: 1 },
  } as const;
  const narrowed: RuleMatch = { type: 'regex', regex: '^hr@', scopes: ['recipient'] };

  test.each<[string, string | null, Parameters<typeof ruleSection>[0], number]>([
    ['a rule goes, and there is no fallback', null, [gone], 1],
    ['a rule goes, and the fallback takes its mail', 'ops@x.example', [gone], 0],
    [
      'a rule is narrowed',
      null,
      [rule('r', 'a@x.example', { id: 'r', idIsWritten: true, match: narrowed })],
      1,
    ],
    [
      'a rule sleeps',
      null,
      [
        rule('r', 'a@x.example', {
          id: 'r',
          idIsWritten: true,
          active: false,
          match: { type: 'regex', regex: '^(jobs|hr)@', scopes: ['recipient'] },
        }),
      ],
      1,
    ],
    ['another rule takes over', null, [gone, rule('jobs', 'b@x.example')], 0],
  ])('%s', (_, fallback, entries, count) => {
    expect(rulesOf(fallback, entries).guards.filter(({ guard }) => guard === 'unrouted')).toHaveLength(count);
  });
});

describe('loop', () => {
  const domains = (acme: Record<string, string>, hub: Record<string, string>) =>
    desired([present(ACME, { aliases: aliasSection(acme) }), present(HUB, { aliases: aliasSection(hub) })]);
  const accounts = (acme: Record<string, string>, hub: Record<string, string>) =>
    observed([live(ACME, { aliases: liveAliases(acme) }), live(HUB, { aliases: liveAliases(hub) })]);
  const office = { office: 'o@x.example' };

  test.each<
    [string, Record<string, string>, Record<string, string>, Record<string, string>, readonly string[]]
  >([
    ['through a live alias', { info: 'desk@hub.example' }, {}, { desk: 'info@acme.example' }, [ACME]],
    [
      'through a live catch-all',
      { info: 'any@hub.example' },
      {},
      { '*': 'x@y.example,info@ACME.example' },
      [ACME],
    ],
    [
      'to another address of the domain',
      { info: 'desk@hub.example' },
      {},
      { desk: 'sales@acme.example' },
      [],
    ],
    ['to itself with a label', { info: 'info+x@acme.example' }, {}, {}, [ACME]],
    ['to a domain that is not managed', { info: 'desk@else.example' }, {}, { desk: 'info@acme.example' }, []],
    ['both ends change', { info: 'desk@hub.example' }, { desk: 'info@acme.example' }, {}, [ACME, HUB]],
    [
      'a loop elsewhere is only passed by',
      { info: 'a@hub.example' },
      {},
      { a: 'b@hub.example', b: 'a@hub.example' },
      [],
    ],
  ])('%s', (_, acme, hub, liveHub, expected) => {
    const result = plan(
      domains(acme, { ...office, ...hub }),
      accounts({ info: 'ana@x.example' }, { ...office, ...liveHub }),
    );
    const loops = result.guards.filter(({ guard }) => guard === 'loop');
    expect(loops.map(({ scope, allow, holds }) => [scope, allow, holds.kind])).toEqual(
      expected.map((scope) => [scope, null, 'domain']),
    );
  });

  test('the way is told', () => {
    const result = plan(
      domains({ info: 'desk@hub.example' }, office),
      accounts({}, { ...office, desk: 'info@acme.example' }),
    );
    expect(result.guards[0]?.message).toBe(
      'mail to acme.example would return to an address that forwarded it: it is forwarded to desk@hub.example -> info@acme.example',
    );
  });

  test('a loop that the plan takes apart is none', () => {
    const result = plan(
      domains({ info: 'desk@hub.example' }, { desk: 'ana@x.example' }),
      accounts({}, { desk: 'info@acme.example' }),
    );
    expect(result.guards).toEqual([]);
  });
});
