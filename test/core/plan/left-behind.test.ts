import { describe, expect, test } from 'vitest';
import type { PresentDomain } from '../../../src/core/model/desired.ts';
import type { ObservedDomain } from '../../../src/core/model/observed.ts';
import { NO_PRIOR_DOMAIN, type PriorDomain } from '../../../src/core/model/prior.ts';
import { leftBehind } from '../../../src/core/plan/left-behind.ts';
import { signature } from '../../../src/core/kinds/items.ts';
import {
  absent,
  ACME,
  aliasSection,
  at,
  codes,
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
  prior,
  rule,
  ruleSection,
} from './support/build.ts';

const VIP = { type: 'alias', alias: 'vip' } as const;
const RULE = rule('vip', 'a@x.example');
const RULE_TEXT = RULE.state === 'present' ? signature({ kind: 'rule', state: RULE }, new Map()) : '';
const PRIOR = {
  ...NO_PRIOR_DOMAIN,
  applied: new Map([
    [`domain:${ACME}`, '{}'],
    ['alias:old', 'a@x.example'],
    ['rule:vip', RULE_TEXT],
    ['credential:printer', 'exists'],
  ]),
};
const LIVE = {
  aliases: liveAliases({ first: 'z@x.example', Old: 'b@x.example' }),
  rules: [liveTwin('vip', 1, 'a@x.example')],
  credentials: [{ name: 'printer' }],
};
const EMPTY = { aliases: aliasSection({}), rules: ruleSection([]), credentials: credentialSection({}) };

function left(
  parts: Partial<PresentDomain>,
  rows: Partial<ObservedDomain> = LIVE,
  more: Partial<PriorDomain> = {},
): readonly string[] {
  const memory = { prior: { ...PRIOR, ...more }, references: new Map() };
  const found = leftBehind(present(ACME, parts), live(ACME, rows), memory);
  return found.map(({ kind, name }) => `${kind} ${name}`);
}

/** The wanted rule differs. Only its id counts, which is that of the live rule. */
const OTHER = { match: { type: 'cel', expression: 'true' } } as const;

describe('entries that were applied earlier and are no longer named', () => {
  test.each<[string, Partial<PresentDomain>, Partial<ObservedDomain>, readonly string[]]>([
    [
      'is left behind, as the account spells it',
      EMPTY,
      LIVE,
      ['alias Old', 'rule vip', 'credential printer'],
    ],
    ['also where the section is not named', {}, LIVE, ['alias Old', 'rule vip', 'credential printer']],
    ['also where the section is not read any more', {}, {}, ['alias old', 'rule vip', 'credential printer']],
    [
      'is not while it is named',
      {
        aliases: aliasSection({ OLD: 'c@x.example' }),
        rules: ruleSection([RULE]),
        credentials: credentialSection({ printer: 'bare' }),
      },
      LIVE,
      [],
    ],
    [
      'is not where it must be absent',
      { ...EMPTY, aliases: aliasSection({ old: false }) },
      LIVE,
      ['rule vip', 'credential printer'],
    ],
    ['is not once it is gone', EMPTY, { aliases: [], rules: [], credentials: [] }, []],
    [
      'is not where the section is pruned',
      { ...EMPTY, aliases: aliasSection({}, { prune: true }) },
      LIVE,
      ['rule vip', 'credential printer'],
    ],
    [
      'is not where it is ignored',
      { ...EMPTY, aliases: aliasSection({}, { ignore: ['o*'] }) },
      LIVE,
      ['rule vip', 'credential printer'],
    ],
    [
      'is not where a rule of another name has its content',
      {
        ...EMPTY,
        rules: ruleSection([
          rule('renamed', 'a@x.example', RULE.state === 'present' ? { match: RULE.match } : {}),
        ]),
      },
      LIVE,
      ['alias Old', 'credential printer'],
    ],
  ])('%s', (_, parts, rows, found) => {
    expect(left(parts, rows)).toEqual(found);
  });

  test.each<[string, Partial<PresentDomain['rules']>, Partial<PriorDomain>, boolean]>([
    ['another entry has another live rule', { entries: [rule('o', 'b@x.example', OTHER)] }, {}, true],
    [
      'an entry has its id',
      { entries: [rule('o', 'b@x.example', { ...OTHER, id: 'R1', idIsWritten: true })] },
      {},
      false,
    ],
    [
      'its id follows from the name of an entry',
      { entries: [rule('o', 'b@x.example', { ...OTHER, derivedIds: ['x', 'R1'] })] },
      {},
      false,
    ],
    [
      'it is remembered for an entry',
      { entries: [rule('o', 'b@x.example', OTHER)] },
      { ruleIds: new Map([['o', 'R1']]) },
      false,
    ],
    ['it is remembered for its old name alone', {}, { ruleIds: new Map([['vip', 'R1']]) }, true],
    [
      'it must be absent by its id',
      { entries: [{ state: 'absent', id: 'R1', derivedIds: [], source: at(1) }] },
      {},
      false,
    ],
    [
      'another must be absent',
      { entries: [{ state: 'absent', id: 'R2', derivedIds: [], source: at(1) }] },
      {},
      true,
    ],
    ['it is ignored', { ignore: ['R1'] }, {}, false],
    ['another is ignored', { ignore: ['R2'] }, {}, true],
  ])('a live rule with what was applied, and %s', (_, section, memory, isLeft) => {
    const rules = { ...ruleSection([]), ...section };
    const rows = {
      rules: [liveRule('r1', 1, 'a@x.example', { match: VIP }), liveRule('r2', 2, 'z@x.example')],
    };
    expect(left({ rules }, rows, memory)).toEqual([
      'alias old',
      ...(isLeft ? ['rule vip'] : []),
      'credential printer',
    ]);
  });

  test('is not known of a domain without an earlier run', () => {
    const memory = { prior: null, references: new Map() };
    expect(leftBehind(present(ACME, EMPTY), live(ACME, LIVE), memory)).toEqual([]);
  });

  test('nothing is known about a rule that was edited since', () => {
    const rules = [liveTwin('vip', 1, 'b@x.example')];
    expect(left(EMPTY, { ...LIVE, rules })).toEqual(['alias Old', 'credential printer']);
  });
});

test('a plan says so, once, and not where it is silenced by its name', () => {
  const wanted = (lint: PresentDomain['lint']) =>
    desired([present(ACME, { aliases: aliasSection({}), lint })]);
  const account = observed([live(ACME, { aliases: liveAliases({ Old: 'b@x.example' }) })]);
  const memory = prior(ACME, { applied: new Map([['alias:old', 'a@x.example']]) });
  expect(plan(wanted([]), account, { prior: memory }).warnings).toEqual([
    {
      code: 'no-longer-managed',
      message:
        'alias "Old" of acme.example is no longer in the manifest: it stays as it is and is no longer managed',
      hint: 'name it again; or delete it: write `state: absent` for it, or `prune` its section',
      source: at(1),
    },
  ]);
  const off = [{ code: 'no-longer-managed', entry: 'OLD' }] as const;
  expect(plan(wanted(off), account, { prior: memory }).warnings).toEqual([]);
});

describe('a domain that the manifest no longer names', () => {
  const GONE = 'gone.example';
  const applied = new Map([['domain:gone.example', '{}']]);
  const said = (
    wanted: Parameters<typeof desired>[0],
    account: ReturnType<typeof observed>,
    memory = prior(GONE, { applied }),
    off: PresentDomain['lint'] = [],
  ): readonly string[] =>
    plan(desired(wanted, { lint: { off, silenced: 0 } }), account, { prior: memory }).warnings.map(
      ({ code, message }) => `${code}: ${message}`,
    );
  const account = observed([live(ACME), live(GONE)]);
  const warning =
    'no-longer-managed: domain gone.example is no longer in the manifest: it stays as it is and is no longer managed';

  test('is in every plan', () => {
    expect(said([present(ACME)], account)).toEqual([warning]);
  });

  test('is told with what to do about it', () => {
    const { warnings } = plan(desired([present(ACME)]), account, { prior: prior(GONE, { applied }) });
    expect(warnings).toMatchObject([
      { hint: 'name it again; or delete it: write `state: absent` for it', source: null },
    ]);
  });

  test('is told also where it was in this manifest the last time', () => {
    const earlier = { domains: new Set([ACME, name('b.example'), name(GONE)]), entries: 1 };
    const memory = { ...prior(GONE, { applied }), manifests: [earlier] };
    const wanted = [present(ACME), present('b.example')];
    expect(said(wanted, observed([live(ACME), live('b.example'), live(GONE)]), memory)).toEqual([warning]);
  });

  test.each<[string, Parameters<typeof desired>[0], ReadonlySet<ReturnType<typeof name>>]>([
    ['in a part of the manifest that this plan leaves out', [present(ACME)], new Set([ACME, name(GONE)])],
    ['to be deleted', [present(ACME), absent(GONE)], new Set([ACME])],
  ])('but not where it is %s', (_, wanted, domains) => {
    const options = { prior: prior(GONE, { applied }), manifestSize: { domains, entries: 1 } };
    expect(codes(plan(desired(wanted), account, options))).not.toContain('no-longer-managed');
  });

  test.each<[string, () => readonly string[]]>([
    ['named again', () => said([present(ACME), present(GONE)], account)],
    ['no longer in the account', () => said([present(ACME)], observed([live(ACME)]))],
    ['never applied', () => said([present(ACME)], account, prior(GONE, {}))],
    [
      'silenced by its name',
      () => said([present(ACME)], account, undefined, [{ code: 'no-longer-managed', entry: GONE }]),
    ],
    ['one of those that were not read', () => said([present(ACME)], { ...account, partial: true })],
    [
      'one of another manifest for the account',
      () =>
        said([present(ACME)], account, {
          ...prior(GONE, { applied }),
          manifests: [{ domains: new Set([name(GONE), name('b.example')]), entries: 1 }],
        }),
    ],
  ])('but not where it is %s', (_, warnings) => {
    expect(warnings()).toEqual([]);
  });
});
