import { describe, expect, test } from 'vitest';
import type { DesiredDomain } from '../../../../src/core/model/desired.ts';
import type { Observed, ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import {
  conditionKey,
  decidingSection,
  readSides,
  type DomainSide,
  type Sides,
} from '../../../../src/core/plan/routes/sides.ts';
import {
  absent,
  ACME,
  aliasSection,
  desired,
  live,
  liveAliases,
  liveRule,
  name,
  observed,
  plan,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';

const A = 'ana@corp.example';
const B = 'ben@corp.example';
const EVERYTHING: RuleMatch = { type: 'alias', alias: '*' };

function readings(
  wanted: readonly DesiredDomain[],
  rows: readonly ObservedDomain[],
  parts: Partial<Pick<Observed, 'unproven'>> = {},
) {
  const account = observed(rows, parts);
  const manifest = desired(wanted);
  return readSides({ ...plan(manifest, account), desired: manifest, observed: account });
}

/** Result of mail to `info`. */
function fate({ routing }: DomainSide): string {
  if (typeof routing === 'string') return routing;
  const routes = routing({ to: `info@${ACME}`, from: '', subject: '', body: '' });
  if (routes === 'unknown') return routes;
  const [route] = routes;
  return route.kind === 'refused' ? 'refused' : `${route.kind} ${route.forward.join()}`;
}

function fates({ before, after }: Sides, domain: string = ACME): readonly string[] {
  return [fate(before(domain)), fate(after(domain))];
}

describe('a domain before and after', () => {
  const info = { aliases: aliasSection({ info: B }) };
  const rows = { aliases: liveAliases({ info: A }) };
  const domain = { rules: [], credentials: [] };

  test.each<[string, readonly DesiredDomain[], readonly ObservedDomain[], readonly string[]]>([
    ['an alias changes', [present(ACME, info)], [live(ACME, rows)], [`alias ${A}`, `alias ${B}`]],
    ['that is made', [present(ACME, info)], [], ['refused', `alias ${B}`]],
    ['that goes', [absent(ACME)], [live(ACME, { ...rows, ...domain })], [`alias ${A}`, 'refused']],
    ['that is gone already', [absent(ACME)], [], ['outside', 'outside']],
    ['that the manifest does not name', [], [live(ACME, rows)], [`alias ${A}`, `alias ${A}`]],
    ['that nobody read', [], [live(ACME)], ['outside', 'outside']],
    [
      'whose routing is disabled',
      [present(ACME, info)],
      [live(ACME, { ...rows, routingEngine: null })],
      ['refused', 'refused'],
    ],
    [
      'whose aliases were not read',
      [present(ACME)],
      [live(ACME, { routingEngine: 'alias', rules: [] })],
      ['unknown', 'unknown'],
    ],
    [
      'whose settings change',
      [present(ACME, { ...info, settings: { whitelabel: { value: 'w.example', source: null as never } } })],
      [live(ACME, rows)],
      [`alias ${A}`, `alias ${B}`],
    ],
  ])('%s', (_, wanted, found, expected) => {
    expect(fates(readings(wanted, found).listed)).toEqual(expected);
  });

  test('that could not be read', () => {
    const unproven = new Map([[name(ACME), { reason: 'it takes too long' }]]);
    expect(fates(readings([present(ACME, info)], [], { unproven }).listed)).toEqual(['unknown', 'unknown']);
    // A tombstone proves nothing about the account, so the domain may be there.
    expect(fates(readings([absent(ACME)], [], { unproven }).listed)).toEqual(['unknown', 'unknown']);
  });

  test('that is unknown routes by no engine and matches nothing by name or condition', () => {
    const { listed } = readings([], []);
    const { engine, aliasOf, takerOf } = listed.before(ACME);
    expect([engine, aliasOf('info'), takerOf(EVERYTHING)]).toEqual([null, null, null]);
  });

  test('is made ready once', () => {
    const { before, after } = readings([present(ACME, info)], [live(ACME, rows)]).listed;
    expect([before(ACME) === before(ACME), after(ACME) === after(ACME)]).toEqual([true, true]);
  });
});

describe('the other reading, by rules', () => {
  const aliases = liveAliases({ info: A });
  const active = liveRule('info', 1, B);
  const asleep = liveRule('info', 1, B, { active: false });
  const gone = {
    state: 'absent',
    id: 'info',
    derivedIds: [],
    source: { file: 'f', line: 1, column: 1 },
  } as const;
  const wanted = (...entries: Parameters<typeof ruleSection>[0]) =>
    present(ACME, { rules: ruleSection(entries) });

  test.each<[string, DesiredDomain, Partial<ObservedDomain> | null, readonly string[] | null]>([
    ['an active rule', present(ACME), { aliases, rules: [active] }, [`rule ${B}`, `rule ${B}`]],
    ['one that goes', wanted(gone), { aliases, rules: [active] }, [`rule ${B}`, 'fallback ops@acme.example']],
    [
      'one that comes',
      wanted(rule('info', B)),
      { aliases, rules: [] },
      ['fallback ops@acme.example', `rule ${B}`],
    ],
    ['one that comes with the domain', wanted(rule('info', B)), null, ['refused', `rule ${B}`]],
    ['none', present(ACME), { aliases, rules: [] }, null],
    ['one that is switched off', present(ACME), { aliases, rules: [asleep] }, null],
    ['one that comes switched off', wanted(rule('info', B, { active: false })), { aliases, rules: [] }, null],
    ['rules were not read', present(ACME), { aliases }, null],
    ['aliases route', present(ACME), { routingEngine: 'alias', aliases, rules: [active] }, null],
    ['rules route', present(ACME), { routingEngine: 'rules', aliases, rules: [active] }, null],
    ['routing is disabled', present(ACME), { routingEngine: null, aliases, rules: [active] }, null],
    ['an alias comes', present(ACME, { aliases: aliasSection({ x: A }) }), { aliases, rules: [] }, null],
  ])('%s', (_, entry, row, expected) => {
    const { otherwise } = readings([entry], row === null ? [] : [live(ACME, row)]);
    expect(otherwise === null ? null : fates(otherwise)).toEqual(expected);
  });

  test('is one of the domains that may use rules; the others stay with their aliases', () => {
    const rows = [live(ACME, { aliases, rules: [] }), live('b.example', { aliases: [], rules: [active] })];
    const { listed, otherwise } = readings([present(ACME), present('b.example')], rows);
    expect(otherwise === null ? null : fates(otherwise)).toEqual([`alias ${A}`, `alias ${A}`]);
    expect(otherwise?.after('b.example').engine).toBe('rules');
    expect(listed.after('b.example').engine).toBe('aliases');
  });
});

describe('the reading in which mail that no rule takes is dropped', () => {
  const OTHER = 'b.example';
  const hidden: Partial<ObservedDomain> = { routingEngine: 'rules', rules: [] };
  const byAliases: Partial<ObservedDomain> = { routingEngine: 'alias', aliases: [] };
  const DROPPED = ['fallback null', 'fallback null'];

  test.each<[string, Partial<ObservedDomain>, Partial<ObservedDomain> | null, readonly string[] | null]>([
    ['aliases route', byAliases, null, null],
    ['it is not known that rules route', { aliases: [], rules: [] }, null, null],
    ['rules route and it is known where the rest goes', { ...hidden, rulesFallbackEmail: B }, null, null],
    ['the rest is known to be dropped', { ...hidden, rulesFallbackEmail: null }, null, null],
    ['rules route and it is not known where the rest goes', hidden, null, DROPPED],
    ['only one of the domains hides where the rest goes', hidden, byAliases, DROPPED],
    ['active rules may route', { aliases: [], rules: [liveRule('other', 1, A)] }, null, DROPPED],
  ])('%s', (_, row, other, expected) => {
    const rows = [live(ACME, row), ...(other === null ? [] : [live(OTHER, other)])];
    const { withoutFallback } = readings([present(ACME)], rows);
    expect(withoutFallback === null ? null : fates(withoutFallback)).toEqual(expected);
  });
});

describe('the entry that matches mail for a name or a condition', () => {
  const INVOICE: RuleMatch = { type: 'regex', regex: '.*invoice.*', scopes: ['subject', 'body'] };
  const rules = [
    liveRule('asleep', 1, A, { match: INVOICE, active: false }),
    liveRule('bills', 2, A, { match: { ...INVOICE, scopes: ['body', 'subject'] } }),
    liveRule('twin', 3, B, { match: INVOICE }),
    liveRule('rest', 4, B, { match: EVERYTHING }),
    liveRule('late', 5, A, { match: { type: 'alias', alias: 'late' } }),
  ];
  const side = (parts: Partial<ObservedDomain>) =>
    readings(
      [present(ACME)],
      [live(ACME, { aliases: liveAliases({ Info: A }), rules, ...parts })],
    ).listed.after(ACME);

  test('if aliases route: the alias of the name, in any letter case', () => {
    const { engine, aliasOf, takerOf } = side({ routingEngine: 'alias' });
    expect([engine, aliasOf('iNFO')?.name, aliasOf('other'), takerOf(INVOICE)]).toEqual([
      'aliases',
      'Info',
      null,
      null,
    ]);
  });

  test('if rules route: the first active one with the condition, or one before it that matches all mail', () => {
    const { engine, aliasOf, takerOf } = side({ routingEngine: 'rules' });
    expect([engine, aliasOf('info')]).toEqual(['rules', null]);
    const taken = [INVOICE, { type: 'alias', alias: 'late' } as const, EVERYTHING].map(
      (match) => takerOf(match)?.name,
    );
    expect(taken).toEqual(['bills', 'rest', 'rest']);
    const few = side({ routingEngine: 'rules', rules: rules.slice(0, 2) });
    expect(few.takerOf(EVERYTHING)).toBeNull();
  });

  test.each<[string, string | null]>([
    ['s*', 's'],
    ['SAL*', 'sa'],
    ['sz*', 's'],
    ['t*', 'rest'],
    ['(s|t)', 'rest'],
    ['s.*', 'rest'],
  ])('if rules route: the first that matches everything beginning with %s is %s', (alias, expected) => {
    const prefixes = [
      liveRule('sa', 1, A, { match: { type: 'alias', alias: 'Sa*' } }),
      liveRule('s', 2, A, { match: { type: 'alias', alias: 's*' } }),
      liveRule('sad', 3, A, { match: { type: 'alias', alias: 'sad*' } }),
      liveRule('twin', 4, A, { match: { type: 'alias', alias: 'S*' } }),
      liveRule('rest', 5, A, { match: EVERYTHING }),
    ];
    const { takerOf } = side({ routingEngine: 'rules', rules: prefixes });
    expect(takerOf({ type: 'alias', alias })?.name ?? null).toBe(expected);
  });
});

test('conditions are equal where type and parts are, scopes in any order', () => {
  const key = (scopes: readonly ('subject' | 'body')[], regex = 'x') =>
    conditionKey({ type: 'regex', regex, scopes });
  expect(key(['subject', 'body'])).toBe(key(['body', 'subject']));
  const others = [
    key(['subject']),
    key(['body', 'subject']),
    key(['body', 'subject'], 'y'),
    conditionKey({ type: 'alias', alias: 'x' }),
    conditionKey({ type: 'cel', expression: 'x' }),
  ];
  expect(new Set(others).size).toBe(5);
  expect(key(['body'])).not.toBe(key([], 'xbody'));
});

test('names such as sales.* are read as they are written, and of patterns the first that is listed is asked first', () => {
  const aliases = liveAliases({ 'i*': A, '(i).*': B, '(.)nfo': A });
  const { listed } = readings([present(ACME)], [live(ACME, { routingEngine: 'alias', aliases })]);
  expect(fates(listed)).toEqual([`alias ${B}`, `alias ${B}`]);
});

test.each([
  [{ routingEngine: 'rules' }, 'acme.example/rules'],
  [{ routingEngine: 'alias' }, 'acme.example/aliases'],
  [{}, 'acme.example/aliases'],
  [null, 'acme.example/aliases'],
] as const)('the decision about a domain of %j: %s', (parts, expected) => {
  const account = observed(parts === null ? [] : [live(ACME, parts)]);
  const manifest = desired([present(ACME)]);
  expect(decidingSection({ ...plan(manifest, account), desired: manifest, observed: account }, ACME)).toBe(
    expected,
  );
});
