import { describe, expect, test } from 'vitest';
import type { PresentDomain } from '../../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../../src/core/model/observed.ts';
import {
  dependenciesOf,
  neededBy,
  overtakingChanges,
} from '../../../../src/core/plan/requests/dependencies.ts';
import {
  ACME,
  aliasSection,
  change,
  credentialSection,
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
const REST = { r1: 'r@x.example', r2: 'r@x.example', r3: 'r@x.example' };

/** Returns the changes of the hub that wait for other domains, with these domains. */
function waiting(
  acme: [Partial<ObservedDomain>, Partial<PresentDomain>],
  hub: [Partial<ObservedDomain>, Partial<PresentDomain>],
): readonly string[] {
  const { changes } = plan(
    desired([present(ACME, acme[1]), present(HUB, hub[1])]),
    observed([live(ACME, acme[0]), live(HUB, hub[0])]),
  );
  return [...dependenciesOf(changes)].map(
    ([change, domains]) => `${change.name} <- ${[...domains].join(' ')}`,
  );
}

const aliases = (rows: Record<string, string>): Partial<ObservedDomain> => ({
  aliases: liveAliases({ ...REST, ...rows }),
});
const wanted = (entries: Record<string, string | false>): Partial<PresentDomain> => ({
  aliases: aliasSection(entries),
});
const LEAVING: [Partial<ObservedDomain>, Partial<PresentDomain>] = [
  aliases({ info: 'desk@hub.example' }),
  wanted({ info: 'x@x.example' }),
];

describe('a route goes only after what forwarded there was changed', () => {
  test.each<[string, [Partial<ObservedDomain>, Partial<PresentDomain>], readonly string[]]>([
    ['an alias', LEAVING, ['desk <- acme.example']],
    [
      'an alias that is deleted',
      [aliases({ info: 'desk@hub.example' }), wanted({ info: false })],
      ['desk <- acme.example'],
    ],
    [
      'one destination of a list',
      [aliases({ info: 'b@x.example,DESK+label@hub.example' }), wanted({ info: 'x@x.example' })],
      ['desk <- acme.example'],
    ],
    ['another name', [aliases({ info: 'other@hub.example' }), wanted({ info: 'x@x.example' })], []],
    ['a webhook', [aliases({ info: 'https://hub.example' }), wanted({ info: 'x@x.example' })], []],
    [
      'an alias that stays',
      [aliases({ info: 'desk@hub.example' }), wanted({ info: 'desk@hub.example' })],
      [],
    ],
    ['an alias that is new', [aliases({}), wanted({ info: 'desk@hub.example' })], []],
    [
      'a rule',
      [{ rules: [liveTwin('r', 1, 'desk@hub.example')] }, { rules: ruleSection([rule('r', 'x@x.example')]) }],
      ['desk <- acme.example'],
    ],
    [
      'a rule that only moves',
      [
        { rules: [liveTwin('r', 1, 'desk@hub.example'), liveTwin('s', 2, 'x@x.example')] },
        { rules: ruleSection([rule('s', 'x@x.example'), rule('r', 'desk@hub.example')]) },
      ],
      [],
    ],
  ])('%s', (_, acme, expected) => {
    expect(waiting(acme, [aliases({ desk: 'd@x.example' }), wanted({ desk: false })])).toEqual(expected);
  });

  test.each<[string, [Partial<ObservedDomain>, Partial<PresentDomain>], readonly string[]]>([
    ['an alias', [aliases({ Desk: 'd@x.example' }), wanted({ desk: false })], ['Desk <- acme.example']],
    ['another alias', [aliases({ other: 'd@x.example' }), wanted({ other: false })], []],
    ['the catch-all', [aliases({ '*': 'd@x.example' }), wanted({ '*': false })], ['* <- acme.example']],
    [
      'a pattern',
      [aliases({ '(d|e).*': 'd@x.example' }), wanted({ '(d|e).*': false })],
      ['(d|e).* <- acme.example'],
    ],
    [
      'what may be a pattern',
      [aliases({ 'd.*': 'd@x.example' }), wanted({ 'd.*': false })],
      ['d.* <- acme.example'],
    ],
    [
      'an alias that only goes elsewhere',
      [aliases({ desk: 'd@x.example' }), wanted({ desk: 'e@x.example' })],
      [],
    ],
    [
      'a rule',
      [{ rules: [liveRule('any', 1, 'd@x.example')] }, { rules: ruleSection([], { prune: true }) }],
      ['any <- acme.example'],
    ],
    [
      'a rule that is narrowed',
      [
        { rules: [liveRule('n', 1, 'd@x.example')] },
        {
          rules: ruleSection([
            rule('n', 'd@x.example', { id: 'n', idIsWritten: true, match: { type: 'alias', alias: 'z' } }),
          ]),
        },
      ],
      ['n <- acme.example'],
    ],
    [
      'a rule that goes elsewhere',
      [{ rules: [liveTwin('n', 1, 'd@x.example')] }, { rules: ruleSection([rule('n', 'e@x.example')]) }],
      [],
    ],
    [
      'a credential',
      [
        { credentials: [{ name: 'desk' }, { name: 'p' }] },
        { credentials: credentialSection({ desk: 'absent' }) },
      ],
      [],
    ],
  ])('of the hub is deleted %s', (_, hub, expected) => {
    expect(waiting(LEAVING, hub)).toEqual(expected);
  });

  test('a server of that name is no address of it', () => {
    const hub: Parameters<typeof waiting>[1] = [aliases({ '*': 'd@x.example' }), wanted({ '*': false })];
    expect(waiting([aliases({ info: 'hub.example' }), wanted({ info: 'x@x.example' })], hub)).toEqual([]);
  });

  test('nothing waits for its own domain', () => {
    const hub: [Partial<ObservedDomain>, Partial<PresentDomain>] = [
      aliases({ desk: 'd@x.example', info: 'desk@hub.example' }),
      wanted({ desk: false, info: 'x@x.example' }),
    ];
    expect(waiting([{}, {}], hub)).toEqual([]);
  });

  test('several domains that leave', () => {
    const rows = ['a.example', 'b.example'].map((domain) =>
      live(domain, aliases({ info: 'desk@hub.example', more: 'desk@hub.example' })),
    );
    const left = ['a.example', 'b.example'].map((domain) =>
      present(domain, wanted({ info: 'x@x.example', more: 'x@x.example' })),
    );
    const { changes } = plan(
      desired([...left, present(HUB, wanted({ desk: false, '*': false }))]),
      observed([...rows, live(HUB, aliases({ desk: 'd@x.example', '*': 'd@x.example' }))]),
    );
    expect([...dependenciesOf(changes)].map(([{ name }, domains]) => [name, [...domains]])).toEqual([
      ['*', ['a.example', 'b.example']],
      ['desk', ['a.example', 'b.example']],
    ]);
  });
});

describe('the last changes of stage 2', () => {
  const late = (acme: Partial<PresentDomain>) => {
    const { changes } = plan(
      desired([
        present(ACME, acme),
        present(HUB, wanted({ desk: false, other: false, moved: 'x@x.example' })),
        present('new.example'),
      ]),
      observed([
        live(ACME, aliases({ info: 'desk@hub.example', more: 'other@hub.example' })),
        live(HUB, aliases({ desk: 'd@x.example', other: 'd@x.example', moved: 'd@x.example' })),
      ]),
    );
    return [...overtakingChanges(changes)].map(({ kind, name }) => `${kind} ${name}`);
  };

  test('forwards that another domain removes only in stage 2', () => {
    expect(late(wanted({ info: false, more: 'x@x.example' }))).toEqual(['alias desk']);
  });
});

describe('a route that domains still forward to', () => {
  const desk = change(HUB, 'desk', { action: 'delete', stage: 2 });
  const needing = (staying: readonly ObservedDomain[]): readonly string[] =>
    [...neededBy([desk, change(HUB, 'other', { action: 'delete', stage: 2 })], staying)].map(
      ([{ name }, domains]) => `${name} <- ${[...domains].join(' ')}`,
    );

  test.each<[string, Partial<ObservedDomain>, readonly string[]]>([
    ['with an alias', aliases({ info: 'desk@hub.example' }), ['desk <- acme.example']],
    ['with a rule', { rules: [liveRule('r', 1, 'desk@hub.example')] }, ['desk <- acme.example']],
    [
      'with one of several, which has several destinations',
      {
        aliases: liveAliases({ a: 'a@x.example' }),
        rules: [liveRule('r', 1, 'r@x.example'), liveRule('s', 2, 's@x.example,other@hub.example')],
      },
      ['other <- acme.example'],
    ],
    [
      'with an alias and a rule',
      { aliases: liveAliases({ a: 'desk@hub.example' }), rules: [liveRule('r', 1, 'other@hub.example')] },
      ['desk <- acme.example', 'other <- acme.example'],
    ],
    ['not, with neither', {}, []],
    ['not, elsewhere', aliases({ info: 'desk@x.example' }), []],
  ])('%s', (_, parts, expected) => {
    expect(needing([live('plain.example'), live(ACME, parts)])).toEqual(expected);
  });

  test('is needed by each of them, but not by its own domain', () => {
    const rows = { info: 'desk@hub.example' };
    const staying = ['a.example', 'b.example', HUB].map((domain) => live(domain, aliases(rows)));
    expect(needing(staying)).toEqual(['desk <- a.example b.example']);
  });

  test('is needed only if it goes in stage 2', () => {
    const update = change(HUB, 'desk');
    expect(neededBy([update], [live(ACME, aliases({ info: 'desk@hub.example' }))]).size).toBe(0);
  });
});
