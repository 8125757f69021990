import { describe, expect, test } from 'vitest';
import type { DesiredDomain, Expectation } from '../../../../src/core/model/desired.ts';
import type { Destination } from '../../../../src/core/model/destinations.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { PlannedRoute, RouteEnds } from '../../../../src/core/model/plan.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import { planRoutes } from '../../../../src/core/plan/routes/routes.ts';
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
  liveTwin,
  name,
  observed,
  plan,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';

const HUB = 'hub.example';

/** Returns the routes of a plan, one line each. */
function routes(
  wanted: readonly DesiredDomain[],
  found: readonly ObservedDomain[],
  parts: Parameters<typeof observed>[1] = {},
): readonly string[] {
  const manifest = desired(wanted);
  const account = observed(found, { account: { email: 'ops@corp.example' }, ...parts });
  const made = plan(manifest, account);
  return planRoutes({ ...made, desired: manifest, observed: account }).map(shown);
}

function shown(route: PlannedRoute): string {
  const { kind, domain, address, knownBy, rule: taker, was, via, otherwise } = route;
  const who = taker === null ? (address ?? `others at ${domain}`) : `rule ${taker.name} at ${domain}`;
  return [
    `${kind} ${who}${knownBy === 'pattern' ? ' (pattern)' : ''}:`,
    ends(route),
    ...(was === null ? [] : [`was ${was}`]),
    ...(via.length === 0 ? [] : [`via ${via.join()}`]),
    ...(otherwise === null ? [] : [`otherwise ${otherwise.kind}: ${ends(otherwise)}`]),
  ].join(' ');
}

function ends({ from, to, unknown }: RouteEnds): string {
  const list = (side: readonly Destination[] | null): string =>
    side === null ? '?' : side.length === 0 ? 'refused' : side.join();
  return [
    `${list(from)} -> ${list(to)}`,
    ...(unknown.length === 0 ? [] : [`unknown ${unknown.join()}`]),
  ].join(' ');
}

const BY_ALIASES = { routingEngine: 'alias' } as const;
const BY_RULES = { routingEngine: 'rules', rulesFallbackEmail: 'rest@corp.example' } as const;

type Aliases = Readonly<Record<string, string>>;

/** Returns the routes of one pruned domain with aliases. */
function ofAliases(before: Aliases, after: Aliases, parts: Partial<ObservedDomain> = BY_ALIASES) {
  return routes(
    [present(ACME, { aliases: aliasSection(after, { prune: true }) })],
    [live(ACME, { ...parts, aliases: liveAliases(before) })],
  );
}

const A = 'ana@corp.example';
const C = 'cleo@corp.example';
const B = 'ben@corp.example';

test('mail of a domain that the manifest does not name is followed both ways, if the domain was read', () => {
  const wanted = [present(ACME, { aliases: aliasSection({ old: false, info: `x@${HUB}` }) })];
  const acme = live(ACME, { ...BY_ALIASES, aliases: liveAliases({ old: A, info: B }) });
  const hub = { old: `old@${ACME}`, x: A, own: B };
  const lost = `lost old@${ACME}: ${A} -> refused`;
  expect(routes(wanted, [acme, live(HUB, { ...BY_ALIASES, aliases: liveAliases(hub) })])).toEqual([
    `reroute info@${ACME}: ${B} -> ${A} via x@${HUB}`,
    lost,
    `lost old@${HUB}: ${A} -> refused via old@${ACME}`,
  ]);
  expect(routes(wanted, [acme, live(HUB)])).toEqual([`reroute info@${ACME}: ${B} -> x@${HUB}`, lost]);
});

describe('aliases', () => {
  test.each<[string, Aliases, Aliases, readonly string[]]>([
    ['new', {}, { info: A }, [`new info@acme.example: refused -> ${A}`]],
    ['lost', { info: A }, {}, [`lost info@acme.example: ${A} -> refused`]],
    ['discarded', { info: A }, { info: 'null' }, [`lost info@acme.example: ${A} -> null`]],
    ['delivered again', { info: 'null' }, { info: A }, [`new info@acme.example: null -> ${A}`]],
    ['refused instead of dropped', { info: 'null' }, {}, ['reroute info@acme.example: null -> refused']],
    ['elsewhere', { info: A }, { info: B }, [`reroute info@acme.example: ${A} -> ${B}`]],
    ['one more', { info: A }, { info: `${A},${B}` }, [`reroute info@acme.example: ${A} -> ${A},${B}`]],
    ['not at all', { info: A }, { Info: A }, []],
    ['what a catch-all took', { '*': A }, { '*': A, info: B }, [`reroute info@acme.example: ${A} -> ${B}`]],
    ['as a catch-all took it', { '*': A }, { '*': A, info: A }, []],
    [
      'a catch-all',
      { '*': A, info: B },
      { '*': B, info: B },
      [`reroute others at acme.example: ${A} -> ${B}`],
    ],
    [
      'a label',
      { 'info+news': A, info: A },
      { 'info+news': A, info: B },
      [`reroute info@acme.example: ${A} -> ${B}`],
    ],
    ['a pattern', { '(x|y)': A }, { '(x|y)': B }, [`reroute (x|y)@acme.example (pattern): ${A} -> ${B}`]],
    [
      'a pattern before a catch-all',
      { '*': A },
      { '*': A, '(x|y)': '$0@corp.example' },
      [`reroute (x|y)@acme.example (pattern): ${A} -> $0@corp.example`],
    ],
    [
      'renamed',
      { info: A },
      { hello: A },
      [`renamed hello@acme.example: ${A} -> ${A} was info@acme.example`],
    ],
    [
      'renamed beside a catch-all',
      { '*': B, info: A },
      { '*': B, hello: A },
      [
        `renamed hello@acme.example: ${A} -> ${A} was info@acme.example`,
        `reroute info@acme.example: ${A} -> ${B}`,
      ],
    ],
    [
      'which was renamed is not certain',
      { a: A, b: A },
      { c: A },
      [
        `lost a@acme.example: ${A} -> refused`,
        `lost b@acme.example: ${A} -> refused`,
        `new c@acme.example: refused -> ${A}`,
      ],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(ofAliases(before, after)).toEqual(expected);
  });

  test('have no say where rules route, or nothing does', () => {
    expect(ofAliases({ info: A }, { info: B }, BY_RULES)).toEqual([]);
    expect(ofAliases({ info: A }, { info: B }, { routingEngine: null })).toEqual([]);
  });

  test('an address that expect or a destination names is tried too', () => {
    const expectation: Expectation = {
      source: at(9),
      to: 'Jane.Doe@acme.example',
      from: '',
      subject: 'x',
      body: '',
      forward: { kind: 'refused' },
    };
    const hub = { desk: 'help@acme.example' };
    const found = routes(
      [
        present(ACME, { aliases: aliasSection({ '*': B }), expect: [expectation] }),
        present(HUB, { aliases: aliasSection(hub) }),
      ],
      [
        live(ACME, { ...BY_ALIASES, aliases: liveAliases({ '*': A }) }),
        live(HUB, { ...BY_ALIASES, aliases: liveAliases(hub) }),
      ],
    );
    expect(found).toEqual([
      `reroute help@acme.example: ${A} -> ${B}`,
      `reroute Jane.Doe@acme.example: ${A} -> ${B}`,
      `reroute others at acme.example: ${A} -> ${B}`,
      `reroute desk@hub.example: ${A} -> ${B} via help@acme.example`,
    ]);
  });
});

describe('through domains', () => {
  /** ACME forwards to the hub. */
  function chain(before: Aliases, after: Aliases, parts: Partial<ObservedDomain> = BY_ALIASES) {
    const acme = { sales: 'desk@hub.example' };
    return routes(
      [
        present(ACME, { aliases: aliasSection(acme) }),
        present(HUB, { aliases: aliasSection(after, { prune: true }) }),
      ],
      [
        live(ACME, { ...BY_ALIASES, aliases: liveAliases(acme) }),
        live(HUB, { ...parts, aliases: liveAliases(before) }),
      ],
    );
  }

  test('the end counts', () => {
    expect(chain({ desk: A }, { desk: B })).toEqual([
      `reroute sales@acme.example: ${A} -> ${B} via desk@hub.example`,
      `reroute desk@hub.example: ${A} -> ${B}`,
    ]);
    expect(chain({ desk: 'x@hub.example', x: A }, { desk: A, x: A })).toEqual([]);
    expect(chain({ desk: A, '*': B }, { desk: A })).toEqual([`lost others at hub.example: ${B} -> refused`]);
  });

  test('an end that is lost tells the way that it had', () => {
    expect(chain({ desk: A }, {})).toEqual([
      `lost sales@acme.example: ${A} -> refused via desk@hub.example`,
      `lost desk@hub.example: ${A} -> refused`,
    ]);
  });

  test('a section that was not read leaves it open', () => {
    const found = routes(
      [present(ACME, { aliases: aliasSection({ sales: 'desk@hub.example' }) }), present(HUB, {})],
      [live(ACME, { ...BY_ALIASES, aliases: liveAliases({ sales: A }) }), live(HUB, BY_ALIASES)],
    );
    expect(found).toEqual([`reroute sales@acme.example: ${A} -> ? unknown hub.example/aliases`]);
  });

  test('a domain that could not be read leaves it open', () => {
    const found = routes(
      [present(ACME, { aliases: aliasSection({ sales: 'desk@hub.example' }) }), present(HUB, {})],
      [live(ACME, { ...BY_ALIASES, aliases: liveAliases({ sales: A }) })],
      { unproven: new Map([[name(HUB), { reason: 'it takes too long' }]]) },
    );
    expect(found).toEqual([`reroute sales@acme.example: ${A} -> ? unknown hub.example/aliases`]);
  });

  test('a domain that the manifest does not name is an end, and so is a tombstone of one that is gone', () => {
    const wanted = { sales: 'desk@hub.example', help: 'desk@old.example' };
    const found = routes(
      [present(ACME, { aliases: aliasSection(wanted) }), absent('old.example')],
      [live(ACME, { ...BY_ALIASES, aliases: [] }), live(HUB, BY_ALIASES)],
    );
    expect(found).toEqual([
      'new help@acme.example: refused -> desk@old.example',
      'new sales@acme.example: refused -> desk@hub.example',
    ]);
  });

  test('a loop ends nowhere', () => {
    expect(chain({ desk: A }, { desk: 'sales@acme.example' })).toEqual([
      `lost sales@acme.example: ${A} -> refused via desk@hub.example`,
      `lost desk@hub.example: ${A} -> refused`,
    ]);
  });
});

describe('domains', () => {
  test('that are added: mail that is delivered for the first time', () => {
    const found = routes([present(ACME, { aliases: aliasSection({ info: A, '*': B }) })], []);
    expect(found).toEqual([
      `new info@acme.example: refused -> ${A}`,
      `new others at acme.example: refused -> ${B}`,
    ]);
  });

  test('that are deleted: all mail that they deliver', () => {
    const acme = live(ACME, { ...BY_ALIASES, aliases: liveAliases({ sales: 'x@old.example' }) });
    const old = live('old.example', {
      ...BY_ALIASES,
      aliases: liveAliases({ x: A, '*': 'null' }),
      rules: [],
      credentials: [],
    });
    const wanted = present(ACME, { aliases: aliasSection({ sales: 'x@old.example' }) });
    expect(routes([wanted, absent('old.example')], [acme, old])).toEqual([
      `lost sales@acme.example: ${A} -> refused via x@old.example`,
      `lost x@old.example: ${A} -> refused`,
      'reroute others at old.example: null -> refused',
    ]);
  });

  test('whose settings or credentials change: no mail', () => {
    const wanted = present(ACME, {
      credentials: credentialSection({ printer: 'password' }),
      settings: { notification_email: { value: 'x@corp.example', source: at(2) } },
    });
    expect(routes([wanted], [live(ACME, { ...BY_ALIASES, credentials: [] })])).toEqual([]);
  });
});

describe('rules', () => {
  const INVOICE: RuleMatch = { type: 'regex', regex: '.*invoice.*', scopes: ['subject'] };
  const VIP: RuleMatch = { type: 'cel', expression: 'sender.endsWith("@vip.example")' };
  const TWIN = { ...BY_RULES, aliases: liveAliases({ info: 'x@corp.example' }) };

  test('a condition, a prefix and a name', () => {
    const wanted = ruleSection([
      rule('bills', A, { match: INVOICE }),
      rule('team', A, { match: { type: 'alias', alias: 'team*' } }),
      rule('jobs', A),
    ]);
    const found = routes([present(ACME, { rules: wanted })], [live(ACME, { ...TWIN, rules: [] })]);
    expect(found).toEqual([
      `reroute jobs@acme.example: rest@corp.example -> ${A}`,
      `reroute team*@acme.example (pattern): rest@corp.example -> ${A}`,
      `reroute rule bills at acme.example: rest@corp.example -> ${A}`,
    ]);
  });

  test('a rule that takes everything: every other address, names of aliases, and conditions after it', () => {
    const wanted = ruleSection([
      rule('all', B, { match: { type: 'alias', alias: '*' } }),
      rule('bills', A, { match: INVOICE }),
    ]);
    const found = routes(
      [present(ACME, { rules: wanted })],
      [
        live(ACME, {
          ...TWIN,
          rules: [liveTwin('bills', 20, A, { match: INVOICE, id: 'derived-regex-bills' })],
        }),
      ],
    );
    expect(found).toEqual([
      `reroute info@acme.example: rest@corp.example -> ${B}`,
      `reroute rule bills at acme.example: ${A} -> ${B}`,
      `reroute others at acme.example: rest@corp.example -> ${B}`,
    ]);
  });

  test('that are switched off, and conditions that change', () => {
    const rows = [liveRule('vip', 10, A, { match: VIP }), liveRule('bills', 20, A, { match: INVOICE })];
    const receipt: RuleMatch = { ...INVOICE, regex: '.*receipt.*' };
    const wanted = ruleSection([
      rule('vip', A, { match: VIP, id: 'vip', active: false }),
      rule('bills', A, { match: receipt, id: 'bills' }),
    ]);
    const found = routes([present(ACME, { rules: wanted })], [live(ACME, { ...TWIN, rules: rows })]);
    expect(found).toEqual([
      `reroute rule vip at acme.example: ${A} -> rest@corp.example`,
      `reroute rule bills at acme.example: ${A} -> rest@corp.example`,
      `reroute rule bills at acme.example: rest@corp.example -> ${A}`,
    ]);
  });

  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    [
      'comes in front of it',
      ['s*', 'sa*'],
      ['sa*', 's*'],
      [`reroute sa*@acme.example (pattern): ${A} -> ${B}`],
    ],
    ['is new in front of it', ['s*'], ['sa*', 's*'], [`reroute sa*@acme.example (pattern): ${A} -> ${B}`]],
    ['is new behind it', ['s*'], ['s*', 'sa*'], []],
    ['is deleted behind it', ['s*', 'sa*'], ['s*'], []],
    [
      'was in front of a new one',
      ['Sa*'],
      ['s*', 'Sa*'],
      [
        `reroute s*@acme.example (pattern): rest@corp.example -> ${A}`,
        `reroute Sa*@acme.example (pattern): ${B} -> ${A}`,
      ],
    ],
    [
      'was behind one that is deleted',
      ['s*', 'sa*'],
      ['sa*'],
      [
        `reroute s*@acme.example (pattern): ${A} -> rest@corp.example`,
        `reroute sa*@acme.example (pattern): ${A} -> ${B}`,
      ],
    ],
    [
      'is deleted behind a rule that may take everything',
      ['.*', 's*'],
      ['.*'],
      [`reroute s*@acme.example (pattern): ${A} -> rest@corp.example`],
    ],
    [
      'is a pattern in front of it',
      ['s*', '(sa|sb)'],
      ['(sa|sb)', 's*'],
      [`reroute (sa|sb)@acme.example (pattern): ${A} -> ${B}`],
    ],
    [
      'is behind a pattern that comes in front of it',
      ['sa*'],
      ['(s.*)', 'sa*'],
      [
        `reroute (s.*)@acme.example (pattern): rest@corp.example -> ${C}`,
        `reroute sa*@acme.example (pattern): ${B} -> ${C}`,
      ],
    ],
    [
      'was behind such a rule, which is deleted',
      ['.*', 's*'],
      ['s*'],
      [
        `reroute .*@acme.example (pattern): ${B} -> rest@corp.example`,
        `reroute others at acme.example: ${B} -> rest@corp.example`,
      ],
    ],
  ])(
    'a prefix has the mail of a shorter one in front of it, and one that %s',
    (_, before, after, expected) => {
      const forward = (prefix: string): string => ({ 's*': A, '(s.*)': C })[prefix] ?? B;
      const rows = before.map((prefix, index) => liveTwin(prefix, index + 1, forward(prefix)));
      const wanted = ruleSection(
        after.map((prefix) => rule(prefix, forward(prefix))),
        { prune: true },
      );
      expect(routes([present(ACME, { rules: wanted })], [live(ACME, { ...BY_RULES, rules: rows })])).toEqual(
        expected,
      );
    },
  );

  test('have no say where aliases route', () => {
    const wanted = ruleSection([rule('jobs', A)]);
    expect(routes([present(ACME, { rules: wanted })], [live(ACME, { ...BY_ALIASES, rules: [] })])).toEqual(
      [],
    );
  });
});

describe('if the engine is not shown', () => {
  test('the reading by aliases is listed, and what is otherwise by rules', () => {
    const wanted = present(ACME, {
      aliases: aliasSection({ info: B }),
      rules: ruleSection([rule('info', A), rule('jobs', B)]),
    });
    const row = live(ACME, { aliases: liveAliases({ info: A }), rules: [liveTwin('info', 10, A)] });
    expect(routes([wanted], [row])).toEqual([
      `reroute info@acme.example: ${A} -> ${B} otherwise reroute: ${A} -> ${A}`,
      `reroute jobs@acme.example: refused -> refused otherwise reroute: ops@corp.example -> ${B}`,
    ]);
  });

  test.each<[string, Partial<Parameters<typeof present>[1]>, string]>([
    ['whose rules were not read is unknown', {}, '? unknown hub.example/rules'],
    ['whose aliases are managed stays with them', { aliases: aliasSection({ desk: B }) }, B],
  ])('by rules, a domain on the way %s', (_, hub, end) => {
    const wanted = [
      present(ACME, {
        rules: ruleSection([rule('jobs', 'desk@hub.example'), rule('info', 'x@relay.example')]),
      }),
      present('hub.example', hub),
    ];
    const rows = [
      live(ACME, { aliases: [], rules: [] }),
      live('hub.example', { aliases: liveAliases({ desk: B }) }),
      live('relay.example', { aliases: liveAliases({ '*': B }) }),
    ];
    expect(routes(wanted, rows)).toEqual([
      'reroute info@acme.example: refused -> refused otherwise reroute: ops@corp.example -> ? unknown relay.example/rules',
      `reroute jobs@acme.example: refused -> refused otherwise reroute: ops@corp.example -> ${end}`,
    ]);
  });

  test('a domain without active rules has one reading', () => {
    expect(ofAliases({ info: A }, { info: B }, {})).toEqual([`reroute info@acme.example: ${A} -> ${B}`]);
  });
});

test('no mail changes without changes', () => {
  expect(ofAliases({ info: A, '*': B }, { info: A, '*': B })).toEqual([]);
});
