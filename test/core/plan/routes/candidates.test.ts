import { describe, expect, test } from 'vitest';
import type { DesiredDomain, Expectation } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import { knownMail, mailTakenBy, routedDomains } from '../../../../src/core/plan/routes/candidates.ts';
import type { RouteSubject } from '../../../../src/core/plan/routes/outcomes.ts';
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
  rule,
  ruleSection,
} from '../support/build.ts';

const HUB = 'hub.example';
const A = 'ana@corp.example';
const B = 'ben@corp.example';
const BY_ALIASES = { routingEngine: 'alias' } as const;
const BY_RULES = { routingEngine: 'rules', rulesFallbackEmail: null } as const;
const OTHERS = `others at ${ACME}`;

const INVOICE: RuleMatch = { type: 'regex', regex: '.*invoice.*', scopes: ['subject'] };
const LOCAL: RuleMatch = { type: 'regex', regex: '^(Info|jobs)@', scopes: ['recipient'] };
const VIP: RuleMatch = { type: 'cel', expression: 'sender == "a@vip.example"' };
const PREFIX: RuleMatch = { type: 'alias', alias: 'team*' };
const PATTERN: RuleMatch = { type: 'alias', alias: '(x|y)' };
const EVERYTHING: RuleMatch = { type: 'alias', alias: '*' };

function known(wanted: readonly DesiredDomain[], rows: readonly ObservedDomain[]) {
  const account = observed(rows, { account: { email: 'ops@corp.example' } });
  const manifest = desired(wanted);
  return knownMail({ ...plan(manifest, account), desired: manifest, observed: account });
}

function shown(subject: RouteSubject): string {
  switch (subject.kind) {
    case 'address':
      return subject.knownBy === 'name' ? subject.address : `${subject.address} (${subject.knownBy})`;
    case 'others':
      return `others at ${subject.domain}`;
    case 'pattern':
      return `pattern ${subject.name}`;
    case 'condition':
      return `condition of ${subject.rule}`;
  }
}

/** Returns the mail of ACME that its changes can affect. */
function subjects(
  wanted: Parameters<typeof present>[1],
  row: Partial<ObservedDomain>,
  moved: readonly string[] = [],
): readonly string[] {
  return known([present(ACME, wanted)], [live(ACME, row)])
    .subjectsOf(ACME, new Set(moved))
    .map(shown);
}

/** A live rule whose id is written in the manifest. */
function kept(id: string, forward: string, match: RuleMatch, active = true) {
  return rule(id, forward, { id, idIsWritten: true, match, active });
}

describe('where aliases route', () => {
  const aliases = liveAliases({ Info: A, jobs: A, '(x|y)': A, '*': A });
  const row = { ...BY_ALIASES, aliases, rules: [liveRule('r', 1, A, { match: EVERYTHING })] };

  test.each<[string, Record<string, string | false>, readonly string[]]>([
    ['nothing changes', { info: A }, []],
    ['a name', { info: B }, [`Info@${ACME}`, OTHERS]],
    ['a new one', { new: B }, [`new@${ACME}`, OTHERS]],
    ['one that goes', { jobs: false }, [`jobs@${ACME}`, OTHERS]],
    ['a pattern', { '(x|y)': B }, ['pattern (x|y)', OTHERS]],
    ['a label is an address', { 'jobs+x': B }, [`jobs+x@${ACME}`, OTHERS]],
    ['the rest', { '*': B }, [OTHERS]],
    ['several, by name', { zoe: B, info: B, amy: B }, [`amy@${ACME}`, `Info@${ACME}`, `zoe@${ACME}`, OTHERS]],
  ])('%s', (_, entries, expected) => {
    expect(subjects({ aliases: aliasSection(entries) }, row)).toEqual(expected);
  });

  test('a rule changes: its names, but not those of the aliases that it would take', () => {
    const rules = ruleSection([kept('r', B, EVERYTHING), rule('vip', B), kept('t', B, PREFIX)]);
    expect(subjects({ rules }, row)).toEqual([`vip@${ACME}`, 'pattern team*', 'pattern (x|y)', OTHERS]);
  });

  test('credentials and settings concern no mail', () => {
    const settings = { notification_email: { value: 'x@corp.example', source: at(2) } };
    expect(
      subjects({ credentials: credentialSection({ p: 'password' }), settings }, { ...row, credentials: [] }),
    ).toEqual([]);
  });
});

describe('where rules route', () => {
  const aliases = liveAliases({ Info: A, jobs: A, other: A, '(z).*': A });
  const rules = [
    liveRule('bills', 1, A, { match: INVOICE }),
    liveRule('staff', 2, A, { match: LOCAL }),
    liveRule('desk', 3, A, { match: { type: 'alias', alias: 'desk' } }),
    liveRule('team', 4, A, { match: PREFIX, active: false }),
    liveRule('asleep', 5, A, { match: { type: 'alias', alias: 'asleep' }, active: false }),
  ];
  const row = { ...BY_RULES, aliases, rules };
  const plain = [`asleep@${ACME}`, `desk@${ACME}`];

  test.each<[string, Parameters<typeof ruleSection>[0], readonly string[]]>([
    ['nothing changes', [], []],
    ['a condition', [kept('bills', B, INVOICE)], [...plain, 'condition of bills', OTHERS]],
    [
      'one that takes the names of aliases',
      [kept('staff', B, LOCAL)],
      [...plain, `Info@${ACME}`, `jobs@${ACME}`, 'condition of staff', OTHERS],
    ],
    [
      'another condition: the old mail and the new',
      [kept('bills', A, { ...INVOICE, regex: '.*receipt.*' })],
      [...plain, 'condition of bills', 'condition of bills', OTHERS],
    ],
    [
      'one that takes nothing by the address',
      [rule('some', B, { match: { type: 'regex', regex: '.', scopes: ['sender', 'subject', 'body'] } })],
      [...plain, 'condition of some', OTHERS],
    ],
    ['a name', [kept('desk', B, { type: 'alias', alias: 'desk' })], [...plain, OTHERS]],
    ['a new name', [rule('new', B)], [...plain, `new@${ACME}`, OTHERS]],
    [
      'a prefix',
      [rule('x', B, { match: { type: 'alias', alias: 'j*' } })],
      [...plain, `jobs@${ACME}`, 'pattern j*', OTHERS],
    ],
    [
      'a pattern and an expression',
      [rule('x', B, { match: PATTERN }), rule('vip', B, { match: VIP })],
      [...plain, 'pattern (x|y)', 'condition of vip', OTHERS],
    ],
    ['one that stays switched off', [kept('team', B, PREFIX, false)], []],
    ['one that is switched on', [kept('team', A, PREFIX)], [...plain, 'pattern team*', OTHERS]],
    [
      'one that takes all mail: what all rules take, and the names of all aliases',
      [rule('all', B, { match: EVERYTHING })],
      [
        ...plain,
        `Info@${ACME}`,
        `jobs@${ACME}`,
        `other@${ACME}`,
        'pattern (z).*',
        'condition of bills',
        'condition of staff',
        OTHERS,
      ],
    ],
  ])('%s', (_, entries, expected) => {
    expect(subjects({ rules: ruleSection(entries) }, row)).toEqual(expected);
  });

  test('a rule for a name: the aliases of that name with a label', () => {
    const labelled = { ...BY_RULES, aliases: liveAliases({ 'new+x': A, 'newer+x': A, old: A }), rules: [] };
    const wanted = { rules: ruleSection([rule('New', B)]) };
    expect(subjects(wanted, labelled)).toEqual([`new+x@${ACME}`, `New@${ACME}`, OTHERS]);
  });

  test('an alias changes: its name', () => {
    expect(subjects({ aliases: aliasSection({ other: B }) }, row)).toEqual([
      ...plain,
      `other@${ACME}`,
      OTHERS,
    ]);
  });
});

describe('forwards to mail that changes', () => {
  const rows = { aliases: liveAliases({ a: `x@${HUB}`, b: `y@${HUB}`, 'c+d': `x@${HUB},${A}` }) };

  test('is concerned, though nothing of it changes', () => {
    expect(subjects({}, { ...BY_ALIASES, ...rows }, [`x@${HUB}`])).toEqual([
      `a@${ACME}`,
      `c+d@${ACME}`,
      OTHERS,
    ]);
    expect(subjects({}, { ...BY_ALIASES, ...rows }, [`z@${HUB}`])).toEqual([]);
  });

  test('the fallback concerns the names of all aliases, where rules may route', () => {
    const fallback = { rulesFallbackEmail: `rest@${HUB}`, rules: [] };
    const all = [`a@${ACME}`, `b@${ACME}`, `c+d@${ACME}`, OTHERS];
    expect(subjects({}, { ...rows, ...fallback, routingEngine: 'rules' }, [`rest@${HUB}`])).toEqual(all);
    expect(subjects({}, { ...rows, ...fallback }, [`rest@${HUB}`])).toEqual(all);
    const changed = { aliases: aliasSection({ a: B }) };
    expect(subjects(changed, { ...rows, ...fallback }, [`rest@${HUB}`])).toEqual(all);
    expect(subjects({}, { ...rows, ...fallback, ...BY_ALIASES }, [`rest@${HUB}`])).toEqual([]);
  });
});

describe('a domain', () => {
  const row = {
    ...BY_ALIASES,
    aliases: liveAliases({ a: A, '(x|y)': A }),
    rules: [
      liveRule('bills', 1, A, { match: INVOICE }),
      liveRule('team', 2, A, { match: PREFIX, active: false }),
    ],
    credentials: [],
  };

  test('that is deleted: all entries that match mail there', () => {
    const found = known([absent(ACME)], [live(ACME, row)]);
    expect(found.subjectsOf(ACME, new Set()).map(shown)).toEqual([
      `a@${ACME}`,
      'pattern (x|y)',
      'condition of bills',
      OTHERS,
    ]);
  });

  test('that is added: all its new entries', () => {
    const wanted = present(ACME, {
      aliases: aliasSection({ a: A }),
      rules: ruleSection([rule('vip', B, { match: VIP })]),
    });
    expect(known([wanted], []).subjectsOf(ACME, new Set()).map(shown)).toEqual([
      `a@${ACME}`,
      'condition of vip',
      OTHERS,
    ]);
  });
});

describe('addresses that are named', () => {
  const expectation = (to: string): Expectation => ({
    to,
    from: '',
    subject: '',
    body: '',
    source: at(9),
    forward: { kind: 'refused' },
  });
  const forward = {
    one: `Desk@${ACME}`,
    two: `desk@${ACME},$1@${ACME},https://hook.example/x@${ACME}`,
    three: `info@${ACME},x@else.example`,
  };
  const hub = live(HUB, {
    ...BY_ALIASES,
    aliases: liveAliases(forward),
    rules: [liveRule('r', 1, `byrule@${ACME}`), liveRule('asleep', 2, `never@${ACME}`, { active: false })],
  });
  const wanted = present(HUB, {
    aliases: aliasSection({ three: `later@${ACME}` }),
    rules: ruleSection([rule('n', `bynew@${ACME}`)]),
  });

  test('by destinations, live and planned; an entry is one address, however it is spelled', () => {
    const acme = present(ACME, {
      aliases: aliasSection({ INFO: B }),
      expect: [expectation(`Jane@${ACME}`), expectation(`jane@${ACME}`)],
    });
    const found = known(
      [acme, wanted],
      [live(ACME, { ...BY_ALIASES, aliases: liveAliases({ info: A }) }), hub],
    );
    expect(found.subjectsOf(ACME, new Set()).map(shown)).toEqual([
      `bynew@${ACME} (destination)`,
      `byrule@${ACME} (destination)`,
      `Desk@${ACME} (destination)`,
      `info@${ACME}`,
      `Jane@${ACME}`,
      `later@${ACME} (destination)`,
      OTHERS,
    ]);
    expect(found.destinations.toSorted()).toEqual(
      [
        `$1@${ACME}`,
        `Desk@${ACME}`,
        `bynew@${ACME}`,
        `byrule@${ACME}`,
        `desk@${ACME}`,
        `info@${ACME}`,
        `later@${ACME}`,
      ].toSorted(),
    );
  });

  test('by a fallback, where rules may route', () => {
    const named = (parts: Partial<ObservedDomain>) =>
      known(
        [present(ACME), present(HUB)],
        [live(ACME), live(HUB, { rulesFallbackEmail: `rest@${ACME}`, ...parts })],
      ).destinations;
    expect([named({ routingEngine: 'rules' }), named({}), named(BY_ALIASES)]).toEqual([
      [`rest@${ACME}`],
      [`rest@${ACME}`],
      [],
    ]);
  });
});

test('mail of a domain is followed if the manifest names the domain or its aliases or rules were read', () => {
  const rows = [
    live('aliases.example', { aliases: [] }),
    live('rules.example', { rules: [] }),
    live('unread.example'),
    live('planned.example'),
  ];
  const manifest = desired([present('planned.example'), absent('gone.example')]);
  expect(routedDomains({ desired: manifest, observed: observed(rows) }).toSorted()).toEqual([
    'aliases.example',
    'gone.example',
    'planned.example',
    'rules.example',
  ]);
});

test.each<[string, Parameters<typeof mailTakenBy>[0], object]>([
  ['the fallback: all other mail', { kind: 'fallback' }, { kind: 'others' }],
  ['the alias *: all other mail', { kind: 'alias', name: '*' }, { kind: 'others' }],
  [
    'an alias: mail to its name',
    { kind: 'alias', name: 'Info' },
    { kind: 'address', address: `Info@${ACME}`, knownBy: 'name' },
  ],
  [
    'a pattern: mail to the names that it matches',
    { kind: 'alias', name: '(x|y)' },
    { kind: 'pattern', name: '(x|y)' },
  ],
  [
    'a rule for everything: all other mail',
    { kind: 'rule', name: 'r', match: EVERYTHING },
    { kind: 'others' },
  ],
  [
    'a rule for a name: mail to that name',
    { kind: 'rule', name: 'r', match: { type: 'alias', alias: 'desk' } },
    { kind: 'address', address: `desk@${ACME}`, knownBy: 'name' },
  ],
  [
    'a rule for a prefix: mail to the names that begin so',
    { kind: 'rule', name: 'r', match: PREFIX },
    { kind: 'pattern', name: 'team*' },
  ],
  [
    'a rule with a condition: mail that meets it',
    { kind: 'rule', name: 'r', match: INVOICE },
    { kind: 'condition', match: INVOICE, rule: 'r' },
  ],
])('the mail of %s', (_, taker, expected) => {
  expect(mailTakenBy(taker, ACME)).toEqual({ domain: ACME, ...expected });
});
