import { describe, expect, test } from 'vitest';
import type { DesiredDomain } from '../../../../src/core/model/desired.ts';
import type { Destination } from '../../../../src/core/model/destinations.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import {
  canFollow,
  conditionOf,
  createDelivery,
  outcomesOf,
  sameOutcome,
  type RouteOutcome,
  type RouteSubject,
  type SideDelivery,
} from '../../../../src/core/plan/routes/outcomes.ts';
import { readSides } from '../../../../src/core/plan/routes/sides.ts';
import { ACME, desired, live, liveAliases, liveRule, observed, present } from '../support/build.ts';

const HUB = 'hub.example';
const A = 'ana@corp.example';
const B = 'ben@corp.example';
const BY_ALIASES = { routingEngine: 'alias' } as const;
const BY_RULES = { routingEngine: 'rules', rulesFallbackEmail: 'rest@corp.example' } as const;
const INVOICE: RuleMatch = { type: 'regex', regex: '.*invoice.*', scopes: ['subject'] };

const OTHERS: RouteSubject = { kind: 'others', domain: ACME };
const address = (text: string): RouteSubject => ({
  kind: 'address',
  domain: ACME,
  address: text,
  knownBy: 'name',
});
const pattern = (text: string): RouteSubject => ({ kind: 'pattern', domain: ACME, name: text });
const condition = (match: RuleMatch): RouteSubject => ({ kind: 'condition', domain: ACME, match, rule: 'r' });

/** Returns the ends of mail: `by: to`, the passed addresses, and the addresses with unknown destinations. */
function outcome(subject: RouteSubject, acme: Partial<ObservedDomain>): string {
  const hub = live(HUB, {
    ...BY_ALIASES,
    aliases: liveAliases({ desk: A, out: `desk@${HUB},${B}`, drop: 'null' }),
  });
  const wanted: readonly DesiredDomain[] = [present(ACME), present(HUB), present('unread.example')];
  const account = observed([live(ACME, acme), hub, live('unread.example', BY_ALIASES)]);
  const { listed } = readSides({ changes: [], adoptions: [], desired: desired(wanted), observed: account });
  const { to, open, via, by } = outcomesOf(subject, listed.before)[0];
  return [
    `${by === null ? 'nobody' : `${by.kind} ${by.name}`}: ${to.join()}`,
    ...(via.length === 0 ? [] : [`via ${via.join()}`]),
    ...(open.length === 0 ? [] : [`open ${open.join()}`]),
  ].join(' ');
}

describe('where aliases route', () => {
  const aliases = liveAliases({
    info: `${B},${A}`,
    hub: `out@${HUB}`,
    gone: `none@${HUB}`,
    open: `x@unread.example,${A}`,
    loop: `loop@${ACME}`,
    '(x|y)': `$1@corp.example,desk@${HUB}`,
    '(d).*': `drop@${HUB},$1@corp.example`,
    '(n).*': `drop@${HUB}`,
    '(w).*': `out@${HUB},desk@${HUB},x@unread.example`,
    '*': B,
  });
  const row = { ...BY_ALIASES, aliases };

  test.each<[string, RouteSubject, string]>([
    ['a name', address(`Info@${ACME}`), `alias info: ${A},${B}`],
    ['through another domain', address(`hub@${ACME}`), `alias hub: ${A},${B} via out@${HUB},desk@${HUB}`],
    ['to an address that is refused', address(`gone@${ACME}`), `alias gone:  via none@${HUB}`],
    ['to what was not read', address(`open@${ACME}`), `alias open: ${A} open x@unread.example`],
    ['round for ever', address(`loop@${ACME}`), 'alias loop: '],
    ['any other name', address(`else@${ACME}`), `alias *: ${B}`],
    [
      'an address of a domain that was not read',
      address('x@unread.example'),
      'nobody:  open x@unread.example',
    ],
    ['an address elsewhere', address('x@else.example'), 'nobody: x@else.example'],
    ['all others', OTHERS, `alias *: ${B}`],
    [
      'a pattern: as it is written, and to its end',
      pattern('(x|y)'),
      `alias (x|y): $1@corp.example,${A} via desk@${HUB}`,
    ],
    ['a pattern that delivers and drops', pattern('(d).*'), `alias (d).*: $1@corp.example via drop@${HUB}`],
    ['a pattern that drops', pattern('(n).*'), `alias (n).*: null via drop@${HUB}`],
    [
      'a pattern with several, one behind the other',
      pattern('(w).*'),
      `alias (w).*: ${A},${B} via desk@${HUB},out@${HUB} open x@unread.example`,
    ],
    ['a pattern that is not there', pattern('(q).*'), `alias *: ${B}`],
    ['a condition', condition(INVOICE), `alias *: ${B}`],
  ])('%s', (_, subject, expected) => {
    expect(outcome(subject, row)).toBe(expected);
  });

  test('nothing takes it', () => {
    expect(outcome(OTHERS, { ...BY_ALIASES, aliases: [] })).toBe('nobody: ');
  });
});

describe('where rules route', () => {
  const rules = [
    liveRule('bills', 1, `out@${HUB}`, { match: INVOICE }),
    liveRule('team', 2, B, { match: { type: 'alias', alias: 'team*' } }),
    liveRule('vip', 3, A),
  ];
  const row = { ...BY_RULES, aliases: liveAliases({ 'team*': A }), rules };
  const rest = 'fallback null: rest@corp.example';

  test.each<[string, RouteSubject, string]>([
    ['a name', address(`vip@${ACME}`), `rule vip: ${A}`],
    ['any other name', address(`else@${ACME}`), rest],
    ['all others', OTHERS, rest],
    ['a prefix', pattern('team*'), `rule team: ${B}`],
    ['a prefix that no rule has', pattern('desk*'), rest],
    ['a condition', condition(INVOICE), `rule bills: ${A},${B} via out@${HUB},desk@${HUB}`],
    ['a condition that no rule has', condition({ type: 'cel', expression: 'x' }), rest],
  ])('%s', (_, subject, expected) => {
    expect(outcome(subject, row)).toBe(expected);
  });

  test('a rule without a condition that it looks at takes what is without sender, subject and body', () => {
    const empty: RuleMatch = { type: 'regex', regex: '^$', scopes: ['sender'] };
    const each = (['sender', 'subject', 'body'] as const).map((scope) =>
      outcome(OTHERS, {
        ...BY_RULES,
        rules: [liveRule('r', 1, A, { match: { ...empty, scopes: [scope] } })],
      }),
    );
    expect(each).toEqual([`rule r: ${A}`, `rule r: ${A}`, `rule r: ${A}`]);
  });
});

test('outcomes are equal if mail ends at the same destinations, by any path', () => {
  const end = (
    to: readonly string[],
    open: readonly string[] = [],
    parts: Partial<RouteOutcome> = {},
  ): RouteOutcome => ({
    to: to as Destination[],
    open,
    via: [],
    by: null,
    choices: new Map(),
    undecided: [],
    ...parts,
  });
  const other = { via: ['x@y.example'], by: { kind: 'alias', name: 'x' } } as const;
  const all = [
    sameOutcome(end([A, B], ['o', 'p']), end([B, A], ['p', 'o'], other)),
    sameOutcome(end([A]), end([A, B])),
    sameOutcome(end([A], ['o']), end([A])),
    sameOutcome(end([A]), end([A], ['o'])),
    sameOutcome(end([A], ['o']), end([A], ['p'])),
  ];
  expect(all).toEqual([true, false, false, false, false]);
});

test('the condition by which a rule takes what is asked for', () => {
  expect(conditionOf({ kind: 'condition', domain: ACME, match: INVOICE, rule: 'r' })).toEqual(INVOICE);
  expect(conditionOf({ kind: 'pattern', domain: ACME, name: 'team*' })).toEqual({
    type: 'alias',
    alias: 'team*',
  });
});

describe('patterns that may both take mail', () => {
  const both = { '(help|hilfe)': A, '(h.*)': `desk@${HUB}`, '(x|y)': A };
  const sideOf = (rows: Readonly<Record<string, string>>) => {
    const account = observed([
      live(ACME, { ...BY_ALIASES, aliases: liveAliases(rows) }),
      live(HUB, { ...BY_ALIASES, aliases: liveAliases({ desk: B, '(p|q)': A, '(q|r)': 'null' }) }),
    ]);
    return readSides({ changes: [], adoptions: [], desired: desired([]), observed: account }).listed.before;
  };
  const help = address('help@acme.example');

  test('have an outcome each, and are named', () => {
    const outcomes = outcomesOf(help, sideOf(both));
    expect(outcomes.map(({ to }) => to.join()).toSorted()).toEqual([A, B]);
    for (const { undecided } of outcomes) expect(undecided.toSorted()).toEqual(['(h.*)', '(help|hilfe)']);
    expect(outcomesOf(address('x@acme.example'), sideOf(both))).toMatchObject([{ to: [A], undecided: [] }]);
  });

  test('are not named if an alias of the address takes it', () => {
    expect(outcomesOf(help, sideOf({ ...both, help: B }))).toMatchObject([{ to: [B], undecided: [] }]);
  });

  test('leave undecided where mail ends, also behind an address on its way', () => {
    const undecided = (
      rows: Readonly<Record<string, string>>,
      mail: Parameters<SideDelivery['isUndecided']>[0],
    ) => createDelivery(sideOf(rows)).isUndecided(mail);
    expect(undecided(both, help)).toBe(true);
    expect(undecided(both, address('x@acme.example'))).toBe(false);
    expect(undecided({ info: `q@${HUB}` }, address('info@acme.example'))).toBe(true);
    expect(undecided({ info: `p@${HUB}` }, address('info@acme.example'))).toBe(false);
    expect(undecided({ '(.*)': `$1@${HUB}` }, pattern('(.*)'))).toBe(false);
    const subject = { from: '', subject: 'hello', body: '' };
    expect(undecided(both, { ...subject, to: 'help@acme.example' })).toBe(true);
    expect(undecided(both, { ...subject, to: 'x@acme.example' })).toBe(false);
  });

  test('one of two outcomes, before and after, excludes the other if another of the same patterns matches the mail', () => {
    const [first, second] = outcomesOf(help, sideOf(both)) as [RouteOutcome, RouteOutcome];
    expect(canFollow(first, first)).toBe(true);
    expect(canFollow(first, second)).toBe(false);
    const [alone] = outcomesOf(help, sideOf({ '(h.*)': B }));
    expect([first, second].map((one) => canFollow(one, alone))).toEqual([true, true]);
    const [elsewhere] = outcomesOf(address('x@acme.example'), sideOf(both));
    expect(canFollow(first, elsewhere)).toBe(true);
  });
});

describe('mail is delivered', () => {
  const delivers = (
    rows: Readonly<Record<string, string>>,
    mail: Parameters<SideDelivery['delivers']>[0],
  ) => {
    const account = observed([live(ACME, { ...BY_ALIASES, aliases: liveAliases(rows) })]);
    const { listed } = readSides({ changes: [], adoptions: [], desired: desired([]), observed: account });
    return createDelivery(listed.before).delivers(mail);
  };

  test.each<[string, Record<string, string>, boolean]>([
    ['to an address outside', { info: A }, true],
    ['nowhere, if it is dropped', { info: 'null' }, false],
    ['nowhere, if no alias takes it', { other: A }, false],
    ['nowhere, if it goes round', { info: 'info@acme.example' }, false],
  ])('%s', (_, rows, expected) => {
    expect(delivers(rows, address('info@acme.example'))).toBe(expected);
    expect(delivers(rows, { to: 'info@acme.example', from: 'x@y.example', subject: '', body: '' })).toBe(
      expected,
    );
  });

  test('by a pattern, also to an address that only a capture gives', () => {
    expect(delivers({ '(x|y)': '$1@corp.example' }, pattern('(x|y)'))).toBe(true);
    expect(delivers({ '(x|y)': 'null' }, pattern('(x|y)'))).toBe(false);
    expect(delivers({ '(x|y)': A }, OTHERS)).toBe(false);
    expect(delivers({ '*': A }, OTHERS)).toBe(true);
  });
});
