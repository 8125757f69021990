import { describe, expect, test } from 'vitest';
import type { DesiredDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { RuleMatch, Scope } from '../../../../src/core/model/resources.ts';
import { findLosses, type Loss } from '../../../../src/core/plan/guards/unrouted.ts';
import {
  ACME,
  aliasSection,
  at,
  desired,
  domainPlans,
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
const ELSE = 'else.example';
const A = 'a@x.example';
const B = 'b@x.example';
const HELP = '(help|hilfe)';
const ANY_H = '(h.*)';
const THIRD = '(he.*)';
/** Entries that keep the sections from becoming empty. */
const REST = { r1: A, r2: A, r3: A, r4: A };
type Aliases = Readonly<Record<string, string>>;

function losses(
  wanted: readonly DesiredDomain[],
  found: readonly ObservedDomain[],
  which: 'all' | null = 'all',
): readonly Loss[] {
  const input = { desired: desired(wanted), observed: observed(found) };
  return findLosses({ ...input, plans: domainPlans(input.desired, input.observed) }, which ?? undefined);
}

const byAliases = (domain: string, rows: Aliases): ObservedDomain =>
  live(domain, { routingEngine: 'alias', aliases: liveAliases(rows) });
const withAliases = (domain: string, entries: Readonly<Record<string, string | false>>): DesiredDomain =>
  present(domain, { aliases: aliasSection(entries) });
const addresses = (found: readonly Loss[]): readonly string[] => found.map(({ address }) => address);
const gone = (id: string) => ({ state: 'absent', id, derivedIds: [], source: at(1) }) as const;
const taking = (id: string, rank: number, forward: string, match?: RuleMatch) =>
  liveRule(id, rank, forward, match === undefined ? {} : { match });

test.each<['all' | null, readonly string[]]>([
  ['all', [`desk@${ACME}`, `info@${ACME}`, `jobs@${ACME}`]],
  [null, [`jobs@${ACME}`]],
])('aliases that are deleted or discard, and one that leads to them: %s', (which, expected) => {
  const rows = { ...REST, desk: A, info: A, jobs: `desk@${ACME}` };
  const wanted = [withAliases(ACME, { desk: false, info: 'null' })];
  expect(addresses(losses(wanted, [byAliases(ACME, rows)], which))).toEqual(expected);
});

describe('an address that several patterns match, of which one is asked first', () => {
  function lost(rows: Aliases, entries: Readonly<Record<string, string | false>>): readonly Loss[] {
    const named = byAliases(ELSE, { a: `help@${ACME}` });
    const wanted = [withAliases(ACME, { ...entries, '(z|y)': false })];
    const found = losses(wanted, [byAliases(ACME, { ...REST, '(z|y)': A, help2: A, ...rows }), named]);
    return found.filter(({ address }) => address === `a@${ELSE}`);
  }

  test.each<[string, Aliases, Record<string, string | false>]>([
    ['the usual one discards', { [HELP]: A, [ANY_H]: B }, { [HELP]: 'null' }],
    ['the other one discards', { [HELP]: A, [ANY_H]: B }, { [ANY_H]: 'null' }],
    ['another one discards already', { [HELP]: A, [ANY_H]: B, [THIRD]: 'null' }, { [ANY_H]: 'null' }],
    ['the one that delivers is deleted', { [HELP]: A, [ANY_H]: 'null' }, { [HELP]: false }],
    ['the one behind one that discards is deleted', { [HELP]: 'null', [ANY_H]: A }, { [ANY_H]: false }],
  ])('is lost, and was delivered: %s', (_, rows, entries) => {
    expect(lost(rows, entries).map(({ address, isNow }) => ({ address, isNow }))).toEqual([
      { address: `a@${ELSE}`, isNow: true },
    ]);
  });

  test.each<[string, Aliases, Record<string, string | false>]>([
    ['both stay', { [HELP]: A, [ANY_H]: B }, {}],
    ['one discards as before', { [HELP]: A, [ANY_H]: 'null' }, {}],
    ['one goes elsewhere', { [HELP]: A, [ANY_H]: B }, { [ANY_H]: 'c@x.example' }],
  ])('is not lost: %s', (_, rows, entries) => {
    expect(lost(rows, entries)).toEqual([]);
  });
});

describe('an address that is lost by aliases and by rules, where the engine is not told', () => {
  const hub = byAliases(HUB, { one: A, two: A });
  /** Returns the loss of `info`, which these `aliases` and `rules` match now. `desk` discards mail and will deliver it. */
  function lost(alias: string, to: string): readonly Pick<Loss, 'isNow' | 'via'>[] {
    const domain = live(ACME, {
      rulesFallbackEmail: null,
      aliases: liveAliases({ ...REST, info: alias, desk: 'null' }),
      rules: [
        taking('info', 1, to),
        taking('desk', 2, 'null'),
        ...['s1', 's2', 's3'].map((id, index) => taking(id, 3 + index, A)),
      ],
    });
    const desk = rule('desk', A, { id: 'desk', idIsWritten: true });
    const wanted = present(ACME, {
      aliases: aliasSection({ info: false, desk: A }),
      rules: ruleSection([gone('info'), desk]),
    });
    return losses([wanted], [domain, hub])
      .filter(({ address }) => address === `info@${ACME}`)
      .map(({ isNow, via }) => ({ isNow, via }));
  }

  test.each([
    ['now by aliases, during the run by rules', A, `desk@${ACME}`, { isNow: true, via: [] }],
    ['during the run by aliases, now by rules', `desk@${ACME}`, A, { isNow: true, via: [] }],
    ['during the run by both', `desk@${ACME}`, `desk@${ACME}`, { isNow: false, via: [`desk@${ACME}`] }],
    ['now by both', `one@${HUB}`, `two@${HUB}`, { isNow: true, via: [`two@${HUB}`] }],
  ])('is delivered %s', (_, alias, to, expected) => {
    expect(lost(alias, to)).toEqual([expected]);
  });
});

describe('forwards to a rule that is deleted', () => {
  test.each<Scope>(['sender', 'subject', 'body'])(
    'is lost although a rule takes all mail with some %s',
    (scope) => {
      const hub = live(HUB, {
        routingEngine: 'rules',
        rulesFallbackEmail: null,
        rules: [taking('some', 1, A, { type: 'regex', regex: '.+', scopes: [scope] }), taking('desk', 2, A)],
      });
      const wanted = present(HUB, { rules: ruleSection([gone('desk')]) });
      const found = losses([wanted], [hub, byAliases(ELSE, { jobs: `desk@${HUB}` })]);
      expect(addresses(found)).toContain(`jobs@${ELSE}`);
    },
  );

  test('is every other address where a rule before it takes everything', () => {
    const other = live(ELSE, {
      routingEngine: 'rules',
      rulesFallbackEmail: A,
      rules: [
        taking('all', 1, `desk@${HUB}`, { type: 'alias', alias: '^.*$' }),
        taking('urgent', 2, `desk@${HUB}`, { type: 'regex', regex: 'urgent', scopes: ['subject'] }),
      ],
    });
    const found = losses([withAliases(HUB, { desk: false })], [byAliases(HUB, { ...REST, desk: A }), other]);
    expect(addresses(found)).toEqual([`*@${ELSE}`, `desk@${HUB}`]);
  });
});

test('a prefix that leads nowhere takes mail of a shorter one, if it comes in front of it', () => {
  const dead = `gone@${HUB}`;
  const rows = live(ACME, {
    routingEngine: 'rules',
    rulesFallbackEmail: A,
    rules: [liveTwin('s*', 1, A), liveTwin('sa*', 2, dead)],
  });
  const wanted = present(ACME, { rules: ruleSection([rule('sa*', dead), rule('s*', A)]) });
  expect(addresses(losses([wanted], [rows, byAliases(HUB, REST)], null))).toEqual([`sa*@${ACME}`]);
});

describe('the text of a finding', () => {
  /** Returns the only finding about `info`, with this many aliases in a chain to `old`. */
  function messageOf(hops: number): string | undefined {
    const chain = Array.from({ length: hops }, (_, index) => [
      index === 0 ? 'info' : `h${index}`,
      `${index === hops - 1 ? 'old' : `h${index + 1}`}@hub.example`,
    ]);
    const rows = { ...REST, ...Object.fromEntries(chain), old: 'o@x.example' };
    const { guards } = plan(
      desired([present(HUB, { aliases: aliasSection({ old: false }) })]),
      observed([live(HUB, { aliases: liveAliases(rows) })]),
    );
    return guards.find(({ allow }) => allow === '--allow-unrouted info@hub.example')?.message;
  }

  test.each([
    [1, 'old@hub.example'],
    [2, 'h1@hub.example, old@hub.example'],
    [3, 'h1@hub.example, h2@hub.example, old@hub.example'],
    [4, 'h1@hub.example, h2@hub.example, …, old@hub.example'],
    [5, 'h1@hub.example, h2@hub.example, …, old@hub.example'],
  ])('the way over %i addresses, shortened if it is long', (hops, way) => {
    expect(messageOf(hops)).toBe(
      `mail to info@hub.example is delivered now through ${way} and would not be: the entry that delivers it is removed or narrowed, or a discard comes before it`,
    );
  });

  test('two domains take it away in stage 1: both are held as a whole', () => {
    const other = 'else.example';
    const { guards } = plan(
      desired([
        present(HUB, { aliases: aliasSection({ desk: `older@${other}` }) }),
        present(other, { aliases: aliasSection({ old: 'null', older: 'null' }) }),
      ]),
      observed([
        live(HUB, { aliases: liveAliases({ ...REST, desk: `old@${other}` }) }),
        live(other, { aliases: liveAliases({ ...REST, old: 'o@x.example', older: 'p@x.example' }) }),
      ]),
    );
    const found = guards.filter(({ guard }) => guard === 'unrouted');
    expect(found.map(({ holds }) => holds)).toEqual([{ kind: 'domains', domains: [HUB, other] }]);
  });
});
