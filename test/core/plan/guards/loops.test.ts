import { expect, test } from 'vitest';
import type { Desired, DesiredDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import type { RuleMatch, Scope } from '../../../../src/core/model/resources.ts';
import {
  absent,
  ACME,
  aliasSection,
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
const INFO = 'info@acme.example';
const OTHER = { office: 'o@x.example' };

/** Returns the loops of a plan: domain, number of items on a loop, and the path of the first. */
function loops(wanted: Desired, rows: readonly ObservedDomain[]): readonly string[] {
  return plan(wanted, observed(rows))
    .guards.filter(({ guard }) => guard === 'loop')
    .map(({ scope, planned, message }) => `${scope} ${planned}: ${message.split('it is forwarded to ')[1]}`);
}

/** Plans `info` of ACME with a forward to the hub, whose live state is given. */
function toHub(
  forward: string,
  hub: Partial<ObservedDomain>,
  wantedHub: DesiredDomain = present(HUB),
): readonly string[] {
  return loops(desired([present(ACME, { aliases: aliasSection({ info: forward }) }), wantedHub]), [
    live(ACME, { aliases: liveAliases({ ...OTHER, info: 'x@x.example' }) }),
    live(HUB, hub),
  ]);
}

const matching = (scopes: readonly Scope[]): RuleMatch => ({ type: 'regex', regex: '.', scopes });

test.each<[string, string, Partial<ObservedDomain>, readonly string[]]>([
  [
    'through two live aliases',
    'a@hub.example',
    { aliases: liveAliases({ a: 'b@hub.example', b: INFO }) },
    [`acme.example 1: a@hub.example -> b@hub.example -> ${INFO}`],
  ],
  [
    'through two live rules',
    'a@hub.example',
    { routingEngine: 'rules', rules: [liveRule('a', 1, 'b@hub.example'), liveRule('b', 2, INFO)] },
    [`acme.example 1: a@hub.example -> b@hub.example -> ${INFO}`],
  ],
  [
    'through the fallback',
    'a@hub.example',
    { routingEngine: 'rules', rulesFallbackEmail: INFO, rules: [] },
    [`acme.example 1: a@hub.example -> ${INFO}`],
  ],
  [
    'one destination of a list leads back, another nowhere',
    'a@hub.example,z@hub.example,x@x.example',
    { aliases: liveAliases({ z: INFO }) },
    [`acme.example 1: z@hub.example -> ${INFO}`],
  ],
  [
    'by the shortest way',
    'a@hub.example,c@hub.example',
    { aliases: liveAliases({ a: 'b@hub.example', b: INFO, c: INFO }) },
    [`acme.example 1: c@hub.example -> ${INFO}`],
  ],
  ['an address that nothing takes', 'z@hub.example', { aliases: liveAliases({ a: INFO }) }, []],
  [
    'a webhook whose path looks like an address',
    'https://hook.example/x@hub.example',
    { aliases: liveAliases({ '*': INFO }) },
    [],
  ],
  [
    'a rule by what is not known of the mail',
    'a@hub.example',
    {
      routingEngine: 'rules',
      rulesFallbackEmail: null,
      rules: [liveRule('s', 1, INFO, { match: matching(['sender', 'subject', 'body']) })],
    },
    [],
  ],
  [
    'a rule by the recipient',
    'a@hub.example',
    { routingEngine: 'rules', rules: [liveRule('s', 1, INFO, { match: matching(['recipient']) })] },
    [`acme.example 1: a@hub.example -> ${INFO}`],
  ],
  ['a domain whose aliases were not read', 'a@hub.example', { rules: [liveRule('a', 1, INFO)] }, []],
])('%s', (_, forward, hub, expected) => {
  expect(toHub(forward, hub)).toEqual(expected);
});

test.each<[string, Partial<ObservedDomain>, readonly string[]]>([
  [
    'rules, while aliases lead elsewhere',
    { aliases: liveAliases({ a: 'x@x.example' }), rules: [liveRule('a', 1, INFO)] },
    [`acme.example 1: a@hub.example -> ${INFO}`],
  ],
  [
    'aliases, while rules lead elsewhere',
    { aliases: liveAliases({ a: INFO }), rules: [liveRule('a', 1, 'x@x.example')] },
    [`acme.example 1: a@hub.example -> ${INFO}`],
  ],
  [
    'a name that may be a pattern',
    { routingEngine: 'alias', aliases: liveAliases({ 'a.*': INFO, '*': 'x@x.example' }) },
    [`acme.example 1: a@hub.example -> ${INFO}`],
  ],
  [
    'rules, but aliases decide',
    { routingEngine: 'alias', aliases: liveAliases({ a: 'x@x.example' }), rules: [liveRule('a', 1, INFO)] },
    [],
  ],
])('one reading is enough: through %s', (_, hub, expected) => {
  expect(toHub('a@hub.example', hub)).toEqual(expected);
});

test('a domain that is to be deleted takes no mail', () => {
  const hub = { aliases: liveAliases({ a: INFO }), rules: [], credentials: [] };
  expect(toHub('a@hub.example', hub, absent(HUB))).toEqual([]);
  expect(toHub('a@hub.example', hub)).toHaveLength(1);
});

test('through a domain that is to be made', () => {
  const hub = present(HUB, { aliases: aliasSection({ a: INFO }) });
  const acme = present(ACME, { aliases: aliasSection({ info: 'a@hub.example' }) });
  expect(loops(desired([acme, hub]), [])).toEqual([
    `acme.example 1: a@hub.example -> ${INFO}`,
    `hub.example 1: ${INFO} -> a@hub.example`,
  ]);
});

test('through two fallbacks', () => {
  const rules = ruleSection([rule('info', 'a@hub.example')]);
  const rows = [
    live(ACME, { routingEngine: 'rules', rulesFallbackEmail: INFO, rules: [] }),
    live(HUB, { routingEngine: 'rules', rulesFallbackEmail: 'b@acme.example', rules: [] }),
  ];
  expect(loops(desired([present(ACME, { rules }), present(HUB)]), rows)).toEqual([
    `acme.example 1: a@hub.example -> b@acme.example -> ${INFO}`,
  ]);
});

test('a rule that is made to lead back, and one that does not', () => {
  const rules = ruleSection([rule('info', 'a@hub.example'), rule('b', 'b@hub.example')]);
  const rows = [
    live(ACME, { routingEngine: 'rules', rules: [] }),
    live(HUB, { aliases: liveAliases({ a: INFO, b: 'x@x.example' }) }),
  ];
  expect(loops(desired([present(ACME, { rules }), present(HUB)]), rows)).toEqual([
    `acme.example 1: a@hub.example -> ${INFO}`,
  ]);
});

test.each([
  [8, 'a1 -> a2 -> a3 -> a4 -> a5 -> a6 -> a7 -> a0'],
  [9, 'a1 -> a2 -> a3 -> a4 -> a5 -> a6 -> … -> a0'],
])('of %i addresses', (length, way) => {
  const entries = Array.from({ length }, (_, index) => [
    `a${index}`,
    `a${(index + 1) % length}@acme.example`,
  ]);
  const wanted = desired([present(ACME, { aliases: aliasSection(Object.fromEntries(entries)) })]);
  const shown = way.replaceAll(/a\d/g, (local) => `${local}@acme.example`);
  expect(loops(wanted, [live(ACME, { aliases: [] })])).toEqual([`acme.example ${length}: ${shown}`]);
});

/** The group's value depends on the mail. The pattern's fixed destination leads into another ring, which is live already. */
test('a pattern that takes its own mail again by a group', () => {
  const entries = {
    '(go)-.*': '$1@acme.example,one@acme.example',
    go: 'go-on@acme.example',
    one: 'two@acme.example',
    two: 'one@acme.example',
  };
  const wanted = desired([
    present(ACME, { aliases: aliasSection({ '(go)-.*': entries['(go)-.*'], go: entries.go }) }),
  ]);
  const { one, two } = entries;
  expect(loops(wanted, [live(ACME, { aliases: liveAliases({ one, two }) })])).toEqual([
    'acme.example 2: go-on@acme.example -> go@acme.example',
  ]);
});

test('the item of a rule and of an alias are told apart, and a domain’s own settings lead nowhere', () => {
  const setting = { value: INFO, source: { file: 'f', line: 1, column: 1 } };
  const acme = present(ACME, {
    settings: { notification_email: setting },
    aliases: aliasSection({ info: 'x@x.example' }),
    rules: ruleSection([rule('other', 'info@acme.example')]),
  });
  expect(loops(desired([acme]), [live(ACME, { aliases: [], rules: [] })])).toEqual([]);
});
