import { describe, expect, test } from 'vitest';
import type { Expectation, PresentDomain } from '../../../../src/core/model/desired.ts';
import { NO_PRIOR, type Prior } from '../../../../src/core/model/prior.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { RuleMatch, Scope } from '../../../../src/core/model/resources.ts';
import type { DesiredRule, ObservedRule } from '../../../../src/core/kinds/rule/fields.ts';
import {
  absent,
  ACME,
  aliasSection,
  at,
  credentialSection,
  desired,
  live,
  liveAliases,
  liveRule,
  observed,
  plan,
  present,
  prior,
  rule,
  ruleSection,
} from '../support/build.ts';

const HUB = 'hub.example';
const PATTERN = '(help|hilfe)-.*';
const HELP = 'help-desk@hub.example';
const OTHERS = '*@hub.example';
/** Entries that keep sections from being empty, and the share of deletes small. */
const REST = { r1: 'a@x.example', r2: 'a@x.example', r3: 'a@x.example', r4: 'a@x.example' };

interface Unrouted {
  readonly addresses: readonly (string | undefined)[];
  /** Withheld part: the domain's deletes, or the whole domain. */
  readonly holds: readonly string[];
}

/** Returns the hub's addresses that lose delivery, from its live and wanted state and ACME's forwards to it. */
function unrouted(
  hub: Partial<ObservedDomain>,
  wanted: Partial<PresentDomain>,
  forwards: Readonly<Record<string, string>> = {},
  memory: Prior = NO_PRIOR,
): Unrouted {
  const acme = present(ACME, { aliases: aliasSection(forwards) });
  const { guards } = plan(
    desired([acme, present(HUB, wanted), absent('old.example')]),
    observed([live(ACME, { aliases: liveAliases(forwards) }), live(HUB, hub)]),
    { prior: memory },
  );
  const found = guards.filter(({ guard, scope }) => guard === 'unrouted' && scope === HUB);
  return {
    addresses: found.map(({ allow }) => allow?.replace('--allow-unrouted ', '').replaceAll("'", '')),
    holds: [...new Set(found.map(({ holds }) => holds.kind))],
  };
}

describe('a pattern that goes', () => {
  const rows = { ...REST, [PATTERN]: 'a@x.example' };
  const without = aliasSection({ [PATTERN]: false });

  test.each<[string, Record<string, string>, readonly string[]]>([
    ['one address', { a: HELP }, [HELP]],
    ['each address, in order', { a: 'hilfe-x@hub.example', b: HELP }, [HELP, 'hilfe-x@hub.example']],
    ['one of a list', { a: `b@x.example,${HELP}` }, [HELP]],
    ['named twice, in any case', { a: HELP, b: 'HELP-desk@hub.example' }, [HELP]],
    ['an address in another domain', { a: 'help-desk@else.example' }, []],
    ['a webhook whose path looks like the address', { a: `https://hook.example/${HELP}` }, []],
  ])('named by another domain: %s', (_, forwards, expected) => {
    expect(unrouted({ aliases: liveAliases(rows) }, { aliases: without }, forwards).addresses).toEqual(
      expected,
    );
  });

  test('named by a rule', () => {
    const rules = ruleSection([rule('r', HELP)]);
    const { addresses } = unrouted({ aliases: liveAliases(rows), rules: [] }, { aliases: without, rules });
    expect(addresses).toEqual([HELP]);
  });

  test.each<[string, Record<string, string | false>, Record<string, string>]>([
    ['it', { 'help-desk': false }, { a: HELP }],
    ['the alias of a label', { 'help-desk': false }, { a: 'help-desk+x@hub.example' }],
    ['it, now discarding', { 'help-desk': 'null' }, { a: HELP }],
    ['it, spelled otherwise', { 'HELP-desk': false }, { a: HELP }],
  ])('and with it the address’s own alias: that is what somebody wrote (%s)', (_, entries, forwards) => {
    const hub = { aliases: liveAliases({ ...rows, 'help-desk': 'b@x.example' }) };
    const aliases = aliasSection({ ...entries, [PATTERN]: false });
    expect(unrouted(hub, { aliases }, forwards).addresses).toEqual([]);
  });
});

test('the catch-all goes that a named address needs, and with it no pattern', () => {
  const hub = { aliases: liveAliases({ ...REST, '*': 'a@x.example' }) };
  const wanted = { aliases: aliasSection({ '*': false }) };
  const forwards = { a: 'any@hub.example', b: 'https://hook.example/x@hub.example', c: 'null' };
  expect(unrouted(hub, wanted, forwards).addresses).toEqual(['any@hub.example']);
});

test('items that the service made with the domain are no routes in use', () => {
  const wanted = { aliases: aliasSection({ '*': false, [PATTERN]: false }) };
  const known = (rows: Record<string, string>, given: string) =>
    unrouted(
      { aliases: liveAliases({ ...REST, ...rows }) },
      wanted,
      { a: HELP },
      prior(HUB, { givenCatchAll: given }),
    ).addresses;
  const made = { '*': 'a@x.example' };
  expect(known(made, 'a@x.example')).toEqual([]);
  expect(known(made, 'b@x.example')).toEqual([HELP]);
  expect(known({ ...made, [PATTERN]: 'a@x.example' }, 'a@x.example')).toEqual([HELP]);
});

describe('the withheld part', () => {
  const rows = { ...REST, [PATTERN]: 'a@x.example', '(b)-.*': 'b@x.example' };
  const hub = {
    aliases: liveAliases(rows),
    credentials: [],
    rules: [liveRule('sleeping', 1, 'a@x.example')],
  };
  const gone = { [PATTERN]: false } as const;

  test.each<[string, Partial<PresentDomain>]>([
    ['nothing', { aliases: aliasSection(gone) }],
    ['an alias that discards', { aliases: aliasSection({ ...gone, r1: 'null' }) }],
    ['another pattern that goes elsewhere', { aliases: aliasSection({ ...gone, '(b)-.*': 'c@x.example' }) }],
    ['a new pattern that discards', { aliases: aliasSection({ ...gone, '(c)-.*': 'null' }) }],
    [
      'a rule that goes elsewhere',
      {
        aliases: aliasSection(gone),
        rules: ruleSection([
          rule('s', 'b@x.example', {
            id: 'sleeping',
            idIsWritten: true,
            match: { type: 'alias', alias: 'sleeping' },
          }),
        ]),
      },
    ],
    ['a new rule', { aliases: aliasSection(gone), rules: ruleSection([rule('n', 'a@x.example')]) }],
    ['a new credential', { aliases: aliasSection(gone), credentials: credentialSection({ p: 'password' }) }],
    [
      'a setting',
      { aliases: aliasSection(gone), settings: { whitelabel: { value: 'w.example', source: at(1) } } },
    ],
  ])('a pattern goes, and beside it %s: the deletes', (_, wanted) => {
    expect(unrouted(hub, wanted, { a: HELP })).toEqual({ addresses: [HELP], holds: ['domain-deletes'] });
  });

  test('a rule discards from now on, a pattern discards from now on: the domain', () => {
    const aliases = aliasSection({ [PATTERN]: 'null', new: 'a@x.example' });
    expect(unrouted(hub, { aliases }, { a: HELP })).toEqual({ addresses: [HELP], holds: ['domain'] });
    const ruled = {
      routingEngine: 'rules',
      rules: [liveRule('r', 1, 'a@x.example', { match: { type: 'alias', alias: 'help-desk' } })],
    } as const;
    const discarding = rule('r', 'null', {
      id: 'r',
      idIsWritten: true,
      match: { type: 'alias', alias: 'help-desk' },
    });
    const found = unrouted(ruled, { rules: ruleSection([discarding]) }, { a: HELP });
    expect(found).toEqual({ addresses: [HELP], holds: ['domain'] });
  });
});

describe('a deleted rule, if rules decide and nothing matches the rest', () => {
  const ALL: RuleMatch = { type: 'regex', regex: '.', scopes: ['recipient'] };
  const goes = { state: 'absent', id: 'r', name: 'jobs', derivedIds: [], source: at(1) } as const;
  function ruled(match: RuleMatch, more: readonly ObservedRule[] = []): Partial<ObservedDomain> {
    return {
      routingEngine: 'rules',
      rulesFallbackEmail: null,
      rules: [liveRule('r', 1, 'a@x.example', { match }), ...more],
    };
  }
  const expectation = (to: string, parts: Partial<Expectation> = {}): Expectation => ({
    to,
    from: '',
    subject: '',
    body: '',
    source: at(1),
    forward: { kind: 'refused' },
    ...parts,
  });
  const rulesOf = (...more: readonly DesiredRule[]) => ({ rules: ruleSection([goes, ...more]) });

  test('live aliases, patterns and the catch-all aside', () => {
    const names = {
      jobs: 'a@x.example',
      '*': 'a@x.example',
      'sales*': 'a@x.example',
      '(a|b)': 'a@x.example',
    };
    const hub = { ...ruled(ALL), aliases: liveAliases(names) };
    expect(unrouted(hub, rulesOf()).addresses).toEqual([OTHERS, 'jobs@hub.example']);
  });

  test('its own alias only goes elsewhere', () => {
    const hub = { ...ruled(ALL), aliases: liveAliases({ jobs: 'a@x.example' }) };
    const wanted = { ...rulesOf(), aliases: aliasSection({ jobs: 'b@x.example' }) };
    expect(unrouted(hub, wanted).addresses).toEqual([OTHERS, 'jobs@hub.example']);
  });

  test('aliases and rules of the manifest that do not take mail themselves', () => {
    const asleep = rule('asleep', 'b@x.example', { active: false });
    const other = rule('other', 'b@x.example', {
      match: { type: 'regex', regex: '^jobs@', scopes: ['recipient'] },
    });
    const wanted = { ...rulesOf(asleep, other), aliases: aliasSection({ info: 'b@x.example' }) };
    expect(unrouted({ ...ruled(ALL), aliases: [] }, wanted).addresses).toEqual([
      OTHERS,
      'asleep@hub.example',
      'info@hub.example',
    ]);
  });

  test.each<[string, Expectation, readonly string[]]>([
    ['an address', expectation('x@hub.example'), ['x@hub.example']],
    ['an address in capitals', expectation('X@HUB.example'), ['x@hub.example']],
    ['an address in another domain', expectation('x@else.example'), []],
    ['one whose rule has its name', expectation('jobs@hub.example'), ['jobs@hub.example']],
  ])('expected mail: %s', (_, expected, addresses) => {
    expect(unrouted(ruled(ALL), { ...rulesOf(), expect: [expected] }).addresses).toEqual([
      OTHERS,
      ...addresses,
    ]);
  });

  test.each<[Scope, Partial<Expectation>]>([
    ['sender', { from: 'eve@x.example' }],
    ['subject', { subject: 'invoice' }],
    ['body', { body: 'dear' }],
  ])('by its %s: only mail in `expect`', (scope, parts) => {
    const hub = ruled({ type: 'regex', regex: '.', scopes: [scope] });
    const named = { a: 'x@hub.example' };
    expect(unrouted(hub, rulesOf(), named).addresses).toEqual([]);
    const expected = { ...rulesOf(), expect: [expectation('x@hub.example', parts)] };
    expect(unrouted(hub, expected, named).addresses).toEqual(['x@hub.example']);
  });

  test('in one reading of its pattern alone', () => {
    const hub = ruled({ type: 'regex', regex: 'jobs', scopes: ['recipient'] });
    expect(unrouted(hub, rulesOf(), { a: 'jobs@hub.example' }).addresses).toEqual(['jobs@hub.example']);
  });

  test('mail that stage 2 alone takes away, beside mail to the same address that stage 1 does: the domain', () => {
    const match: RuleMatch = { type: 'regex', regex: 'odd', scopes: ['subject'] };
    const every: RuleMatch = { type: 'regex', regex: '.*', scopes: ['recipient'] };
    const hub = ruled(every, [liveRule('o', 0, 'b@x.example', { match })]);
    const wanted = rulesOf(rule('o', 'null', { id: 'o', idIsWritten: true, match }));
    const expected = [expectation('x@hub.example', { subject: 'odd' }), expectation('x@hub.example')];
    expect(unrouted(hub, { ...wanted, expect: expected })).toEqual({
      addresses: [OTHERS, 'x@hub.example'],
      holds: ['domain-deletes', 'domain'],
    });
  });

  test('a rule that sleeps takes nothing, and another rule may take over', () => {
    const sleeping = {
      ...ruled(ALL),
      rules: [liveRule('r', 1, 'a@x.example', { match: ALL, active: false })],
    };
    expect(unrouted(sleeping, rulesOf(), { a: HELP }).addresses).toEqual([]);
    const taken = ruled(ALL, [liveRule('s', 2, 'b@x.example', { match: ALL })]);
    expect(unrouted(taken, rulesOf(), { a: HELP }).addresses).toEqual([]);
  });

  test('if the engine is not shown, and if the deciding section is unknown', () => {
    const { rules = [] } = ruled(ALL);
    const named = { a: HELP };
    expect(unrouted({ rules }, rulesOf(), named).addresses).toEqual([OTHERS, HELP]);
    expect(unrouted({ routingEngine: 'alias', rules }, rulesOf(), named).addresses).toEqual([]);
    // A v4 account refuses this plan, although a catch-all would match if aliases decided.
    const aliases = liveAliases({ ...REST, '*': 'a@x.example' });
    expect(unrouted({ aliases, rules }, rulesOf(), named).addresses).toEqual(
      unrouted({ ...ruled(ALL), aliases }, rulesOf(), named).addresses,
    );
    expect(unrouted({ routingEngine: 'alias', aliases, rules }, rulesOf(), named).addresses).toEqual([]);
  });
});

describe('a discard', () => {
  const EVERY: RuleMatch = { type: 'regex', regex: '.*', scopes: ['recipient'] };
  const DESK: RuleMatch = { type: 'regex', regex: '^desk@', scopes: ['recipient'] };
  const ODD: RuleMatch = { type: 'regex', regex: 'odd', scopes: ['subject'] };
  const SPAM: RuleMatch = { type: 'regex', regex: '^spam@', scopes: ['recipient'] };
  const aliases = liveAliases({ desk: 'a@x.example', '*': 'a@x.example' });
  const section = aliasSection({});
  const entry = (id: string, forward: string, match: RuleMatch, active = true) =>
    rule(id, forward, { id, idIsWritten: true, match, active });
  const delivering = (rank: number) => liveRule('d', rank, 'a@x.example', { match: EVERY });
  const all = [OTHERS, 'desk@hub.example'];
  type Case = [
    string,
    readonly ObservedRule[],
    readonly DesiredRule[],
    readonly string[],
    'domain' | 'domain-deletes',
  ];

  const CASES: readonly Case[] = [
    [
      'is added before',
      [delivering(5)],
      [entry('n', 'null', EVERY), entry('d', 'a@x.example', EVERY)],
      all,
      'domain',
    ],
    [
      'is moved before',
      [delivering(5), liveRule('n', 9, 'null', { match: EVERY })],
      [entry('n', 'null', EVERY), entry('d', 'a@x.example', EVERY)],
      all,
      'domain',
    ],
    [
      'comes before what is moved behind it',
      [
        delivering(5),
        liveRule('n', 9, 'null', { match: EVERY }),
        liveRule('z', 10, 'a@x.example', { match: ODD }),
      ],
      [entry('n', 'null', EVERY), entry('z', 'a@x.example', ODD), entry('d', 'a@x.example', EVERY)],
      all,
      'domain',
    ],
    [
      'is switched on',
      [liveRule('n', 1, 'null', { match: EVERY, active: false }), delivering(5)],
      [entry('n', 'null', EVERY), entry('d', 'a@x.example', EVERY)],
      all,
      'domain',
    ],
    [
      'is widened',
      [liveRule('n', 1, 'null', { match: SPAM }), delivering(5)],
      [entry('n', 'null', DESK), entry('d', 'a@x.example', EVERY)],
      ['desk@hub.example'],
      'domain-deletes',
    ],
    ['takes the place of a destination', [delivering(5)], [entry('d', 'null', EVERY)], all, 'domain'],
  ];

  test.each(CASES)('%s, if rules decide or the engine is unknown', (_, rules, entries, addresses, holds) => {
    const wanted = { aliases: section, rules: ruleSection(entries) };
    const found = { addresses, holds: [holds] };
    expect(unrouted({ routingEngine: 'rules', rules, aliases }, wanted)).toEqual(found);
    expect(unrouted({ rules, aliases }, wanted)).toEqual(found);
    expect(unrouted({ routingEngine: 'alias', rules, aliases }, wanted).addresses).toEqual([]);
  });

  test.each<[string, readonly ObservedRule[], readonly DesiredRule[]]>([
    ['sleeps', [delivering(5)], [entry('n', 'null', EVERY, false), entry('d', 'a@x.example', EVERY)]],
    ['comes last', [delivering(5)], [entry('d', 'a@x.example', EVERY), entry('n', 'null', EVERY)]],
    [
      'was there before',
      [liveRule('n', 1, 'null', { match: EVERY }), delivering(5)],
      [entry('d', 'b@x.example', EVERY)],
    ],
    ['is none: something else delivers', [delivering(5)], [entry('d', 'b@x.example', EVERY)]],
  ])('that %s takes nothing away', (_, rules, entries) => {
    const wanted = { aliases: section, rules: ruleSection(entries) };
    expect(unrouted({ routingEngine: 'rules', rules, aliases }, wanted).addresses).toEqual([]);
  });

  test.each<[string, string, readonly string[]]>([
    ['a pattern for everything', '(.*)', [OTHERS, 'any@hub.example']],
    ['a pattern for nearly everything', '([a-z]+)', [OTHERS, 'any@hub.example']],
    ['a pattern for some', '(an|un).*', ['any@hub.example']],
    ['what may be a pattern for everything', '.*', [OTHERS, 'any@hub.example']],
    ['what may be a pattern for some', 'an.*', ['any@hub.example']],
    ['what may be a pattern for others', 'un.*', []],
    ['a name', 'some', []],
  ])('is added beside the catch-all: %s', (_, text, addresses) => {
    const wanted = { aliases: aliasSection({ [text]: 'null' }) };
    expect(unrouted({ aliases }, wanted, { a: 'any@hub.example' }).addresses).toEqual(addresses);
  });

  test('is added as a pattern beside another: which of them is asked first is not known', () => {
    const hub = { aliases: liveAliases({ ...REST, [PATTERN]: 'a@x.example' }) };
    for (const [text, addresses] of [
      ['(help)-d.*', [HELP]],
      ['(hulp)-d.*', []],
    ] as const) {
      expect(unrouted(hub, { aliases: aliasSection({ [text]: 'null' }) }, { a: HELP }).addresses).toEqual(
        addresses,
      );
    }
  });

  test('in a domain that is to be made takes nothing away', () => {
    const made = present('new.example', { aliases: aliasSection({ '*': 'null', '(a).*': 'null' }) });
    expect(plan(desired([made]), observed([])).guards).toEqual([]);
  });
});

describe('a name that may be a pattern goes', () => {
  test.each<[string, string, readonly string[]]>([
    ['help-.*', HELP, [HELP]],
    ['help*', HELP, [HELP]],
    ['hel?-desk', HELP, [HELP]],
    ['.*', HELP, [OTHERS, HELP]],
    ['hulp-.*', HELP, []],
    ['help.desk', HELP, []],
  ])('%s, and somebody names %s', (text, named, addresses) => {
    const hub = { aliases: liveAliases({ ...REST, [text]: 'a@x.example' }) };
    const wanted = { aliases: aliasSection(REST, { prune: true }) };
    expect(unrouted(hub, wanted, { a: named }).addresses).toEqual(addresses);
  });

  test('the name of a rule likewise', () => {
    const match: RuleMatch = { type: 'alias', alias: 'h.*-desk' };
    const hub = {
      routingEngine: 'rules',
      rulesFallbackEmail: null,
      rules: [liveRule('r', 1, 'a@x.example', { match })],
    } as const;
    const goes = { state: 'absent', id: 'r', derivedIds: [], source: at(1) } as const;
    expect(unrouted(hub, { rules: ruleSection([goes]) }, { a: HELP }).addresses).toEqual([HELP]);
  });
});

describe('forwards to an address that is no longer delivered', () => {
  const ELSE = 'else.example';
  /** Returns `DOMAIN: address ...` for each finding, and the withheld part. */
  function found(
    hub: Partial<PresentDomain> | 'absent',
    accounts: readonly ObservedDomain[],
    more: readonly PresentDomain[] = [],
  ): readonly string[] {
    const wanted = hub === 'absent' ? absent(HUB) : present(HUB, hub);
    const { guards } = plan(desired([wanted, ...more]), observed(accounts), {
      with: { domainDeletes: 'allowed' },
    });
    return guards
      .filter(({ guard }) => guard === 'unrouted')
      .map(({ allow, holds }) => `${allow?.replace('--allow-unrouted ', '')} ${JSON.stringify(holds)}`);
  }
  const deletes = (domain: string) => JSON.stringify({ kind: 'domain-deletes', domain });
  const old = { ...REST, old: 'o@x.example' };
  const withoutOld = { aliases: aliasSection({ old: false }) };
  const ruled = (id: string, match: RuleMatch, parts: Partial<ObservedDomain> = {}) =>
    live(ELSE, {
      routingEngine: 'rules',
      rulesFallbackEmail: 'f@x.example',
      rules: [liveRule(id, 1, 'old@hub.example', { match })],
      ...parts,
    });

  test.each<[string, readonly ObservedDomain[], readonly string[]]>([
    [
      'an alias beside it that the manifest does not name',
      [live(HUB, { aliases: liveAliases({ ...old, desk: 'old@hub.example' }) })],
      [`desk@hub.example ${deletes(HUB)}`],
    ],
    [
      'one with a label, one in another spelling, one with more destinations, and one that still has another',
      [
        live(HUB, {
          aliases: liveAliases({
            ...old,
            a: 'old+x@hub.example',
            b: 'OLD@hub.example',
            c: 'old@hub.example,null',
            d: 'old@hub.example,d@x.example',
          }),
        }),
      ],
      [`a@hub.example ${deletes(HUB)}`, `b@hub.example ${deletes(HUB)}`, `c@hub.example ${deletes(HUB)}`],
    ],
    [
      'an alias, a catch-all and a pattern of a domain that the manifest does not name, over two hops',
      [
        live(HUB, { aliases: liveAliases(old) }),
        live(ELSE, {
          aliases: liveAliases({
            info: 'x@third.example',
            '*': 'old@hub.example',
            '(a|b)': 'info@else.example',
          }),
        }),
        live('third.example', { aliases: liveAliases({ x: 'old@hub.example', y: 'y@x.example' }) }),
      ],
      [
        `'(a|b)@else.example' ${deletes(HUB)}`,
        `'*@else.example' ${deletes(HUB)}`,
        `info@else.example ${deletes(HUB)}`,
        `x@third.example ${deletes(HUB)}`,
      ],
    ],
    [
      'a rule for a name',
      [live(HUB, { aliases: liveAliases(old) }), ruled('r', { type: 'alias', alias: 'jobs' })],
      [`jobs@else.example ${deletes(HUB)}`],
    ],
    [
      'a rule with a condition: its mail may have any address',
      [
        live(HUB, { aliases: liveAliases(old) }),
        ruled('r', { type: 'regex', regex: 'urgent', scopes: ['subject'] }),
      ],
      [`'*@else.example' ${deletes(HUB)}`],
    ],
    [
      'the fallback of rules',
      [
        live(HUB, { aliases: liveAliases(old) }),
        live(ELSE, { routingEngine: 'rules', rulesFallbackEmail: 'old@hub.example', rules: [] }),
      ],
      [`'*@else.example' ${deletes(HUB)}`],
    ],
    [
      'nothing where a rule sleeps, or is of a domain that routes by aliases',
      [
        live(HUB, { aliases: liveAliases(old) }),
        ruled(
          'r',
          { type: 'alias', alias: 'jobs' },
          { rules: [liveRule('r', 1, 'old@hub.example', { active: false })] },
        ),
        live('third.example', {
          routingEngine: 'alias',
          aliases: [],
          rules: [liveRule('s', 1, 'old@hub.example')],
        }),
      ],
      [],
    ],
    [
      'nothing where a catch-all takes over',
      [live(HUB, { aliases: liveAliases({ ...old, desk: 'old@hub.example', '*': 'z@x.example' }) })],
      [],
    ],
    [
      'nothing that was not delivered before',
      [
        live(HUB, {
          aliases: liveAliases({
            ...REST,
            old: 'null',
            desk: 'old@hub.example',
            b: 'c@hub.example',
            c: 'b@hub.example',
          }),
        }),
      ],
      [],
    ],
  ])('%s', (_, accounts, expected) => {
    expect(found(withoutOld, accounts)).toEqual(expected);
  });

  test('not what goes itself in the same plan, and not what the manifest points elsewhere', () => {
    const forwards = { ...old, desk: 'old@hub.example', info: 'old@hub.example' };
    const wanted = { aliases: aliasSection({ old: false, desk: false, info: 'i@x.example' }) };
    expect(found(wanted, [live(HUB, { aliases: liveAliases(forwards) })])).toEqual([]);
  });

  test('a domain that is deleted: what other domains forward there, not what goes with it', () => {
    const gone = live(HUB, {
      aliases: liveAliases({ a: 'b@hub.example', b: 'b@x.example' }),
      rules: [],
      credentials: [],
    });
    const other = live(ELSE, { aliases: liveAliases({ desk: 'a@hub.example', own: 'o@x.example' }) });
    expect(found('absent', [gone, other])).toEqual([`desk@else.example ${deletes(HUB)}`]);
  });

  test('an entry of the manifest that forwards to an address without a match: its own domain is withheld', () => {
    const section = { aliases: aliasSection({ info: 'nobody@else.example', '*': 'discard@else.example' }) };
    const accounts = [
      live(HUB, { aliases: liveAliases({ ...REST, info: 'i@x.example' }) }),
      live(ELSE, { aliases: liveAliases({ own: 'o@x.example', discard: 'null' }) }),
    ];
    expect(found(section, accounts)).toEqual([
      `info@hub.example ${JSON.stringify({ kind: 'domain', domain: HUB })}`,
    ]);
  });

  test('two domains that lose it together are both held', () => {
    const accounts = [
      live(HUB, { aliases: liveAliases({ ...REST, desk: 'old@else.example' }) }),
      live(ELSE, { aliases: liveAliases({ ...REST, old: 'o@x.example', older: 'p@x.example' }) }),
    ];
    const other = present(ELSE, { aliases: aliasSection({ old: false, older: false }) });
    const wanted = { aliases: aliasSection({ desk: 'older@else.example' }) };
    expect(found(wanted, accounts, [other])).toEqual([
      `desk@hub.example ${JSON.stringify({ kind: 'domains-deletes', domains: [HUB, ELSE] })}`,
    ]);
  });
});
