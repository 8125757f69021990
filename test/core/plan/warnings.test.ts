import { describe, expect, test } from 'vitest';
import type { Desired, PresentDomain } from '../../../src/core/model/desired.ts';
import type { Account, ObservedDomain } from '../../../src/core/model/observed.ts';
import type { FindingCode } from '../../../src/core/model/lint/findings.ts';
import type { Change, Warning } from '../../../src/core/model/plan.ts';
import type { RuleMatch } from '../../../src/core/model/resources.ts';
import { takesRoutes, uncheckedForwards, warningsOfChanges } from '../../../src/core/plan/warnings.ts';
import {
  absent,
  ACME,
  aliasSection,
  at,
  change,
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
  planAliases,
  present,
  rule,
  ruleSection,
  sizeOf,
} from './support/build.ts';

const ALIASES: Partial<PresentDomain> = { aliases: aliasSection({ info: 'a@x.example' }) };
const RULES: Partial<PresentDomain> = { rules: ruleSection([rule('r', 'a@x.example')]) };
const CREDENTIALS: Partial<PresentDomain> = { credentials: credentialSection({ p: 'bare' }) };
const NONE: Partial<PresentDomain> = {
  aliases: aliasSection({ info: false }),
  rules: ruleSection([
    { state: 'absent', name: 'gone', derivedIds: [], source: at(50) },
    rule('asleep', 'a@x.example', { active: false }),
  ]),
  credentials: credentialSection({ p: 'absent' }),
};

function warned(parts: Partial<PresentDomain>, row: Partial<ObservedDomain>): readonly Warning[] {
  const rows = { aliases: [], rules: [], credentials: [{ name: 'p' }], ...row };
  return plan(desired([present(ACME, parts)]), observed([live(ACME, rows)])).warnings;
}

const ROUTING = 'set the routing of the domain in the dashboard; the API cannot';
const VERIFY = '`fwdsync verify acme.example` asks the service again and prints the records that are missing';

describe('reasons why entries of a domain have no effect', () => {
  test.each<[string, Partial<PresentDomain>, Partial<ObservedDomain>, readonly (readonly string[])[]]>([
    [
      'banned',
      {},
      { banned: true },
      [
        [
          'domain-banned',
          'acme.example is banned by the service: its mail is not forwarded',
          'ask the service why',
        ],
      ],
    ],
    ['not banned', {}, { banned: false }, []],
    [
      'rules where aliases decide',
      RULES,
      { routingEngine: 'alias' },
      [
        [
          'rules-not-active',
          'the rules of acme.example have no effect: the domain routes by aliases',
          ROUTING,
        ],
      ],
    ],
    [
      'some rules where aliases decide',
      { rules: ruleSection([rule('asleep', 'a@x.example', { active: false }), rule('r', 'a@x.example')]) },
      { routingEngine: 'alias' },
      [
        [
          'rules-not-active',
          'the rules of acme.example have no effect: the domain routes by aliases',
          ROUTING,
        ],
      ],
    ],
    [
      'some aliases where rules decide',
      { aliases: aliasSection({ gone: false, info: 'a@x.example' }) },
      { routingEngine: 'rules' },
      [
        [
          'aliases-not-active',
          'the aliases of acme.example have no effect: the domain routes by rules',
          ROUTING,
        ],
      ],
    ],
    ['aliases where aliases decide', ALIASES, { routingEngine: 'alias' }, []],
    ['rules where rules decide', RULES, { routingEngine: 'rules' }, []],
    [
      'aliases where rules decide',
      ALIASES,
      { routingEngine: 'rules' },
      [
        [
          'aliases-not-active',
          'the aliases of acme.example have no effect: the domain routes by rules',
          ROUTING,
        ],
      ],
    ],
    [
      'aliases where rules decide, with a fallback',
      ALIASES,
      { routingEngine: 'rules', rulesFallbackEmail: 'it@x.example' },
      [
        [
          'aliases-not-active',
          'the aliases of acme.example have no effect: the domain routes by rules, and mail that no rule matches goes to it@x.example',
          ROUTING,
        ],
      ],
    ],
    [
      'aliases where rules decide, without a fallback',
      ALIASES,
      { routingEngine: 'rules', rulesFallbackEmail: null },
      [
        [
          'aliases-not-active',
          'the aliases of acme.example have no effect: the domain routes by rules, and mail that no rule matches is dropped',
          ROUTING,
        ],
      ],
    ],
    [
      'both where routing is disabled, whatever the fallback',
      { ...ALIASES, ...RULES },
      { routingEngine: null, rulesFallbackEmail: 'it@x.example' },
      [
        ['aliases-not-active', 'the aliases of acme.example have no effect: routing is disabled', ROUTING],
        ['rules-not-active', 'the rules of acme.example have no effect: routing is disabled', ROUTING],
      ],
    ],
    ['both where the engine is not told', { ...ALIASES, ...RULES }, {}, []],
    ['what is absent or asleep', NONE, { routingEngine: null, forwardingReady: false, sendReady: false }, []],
    [
      'aliases without MX records',
      ALIASES,
      { forwardingReady: false },
      [
        [
          'domain-not-forwarding',
          'mail to acme.example is not forwarded yet: its MX records do not point to the service',
          VERIFY,
        ],
      ],
    ],
    [
      'rules without MX records',
      RULES,
      { forwardingReady: false },
      [
        [
          'domain-not-forwarding',
          'mail to acme.example is not forwarded yet: its MX records do not point to the service',
          VERIFY,
        ],
      ],
    ],
    ['credentials without MX records', CREDENTIALS, { forwardingReady: false }, []],
    [
      'credentials that cannot send',
      CREDENTIALS,
      { sendReady: false },
      [
        [
          'domain-not-sending',
          'the credentials of acme.example cannot send yet: the domain is not ready to send',
          VERIFY,
        ],
      ],
    ],
    ['aliases that cannot send', ALIASES, { sendReady: false }, []],
    [
      'all that is ready',
      { ...ALIASES, ...RULES, ...CREDENTIALS },
      { forwardingReady: true, sendReady: true },
      [],
    ],
  ])('%s', (_, parts, row, expected) => {
    expect(warned(parts, row)).toEqual(
      expected.map(([code, message, hint]) => ({ code, message, hint, source: at(1) })),
    );
  });
});

function ofAccount(wanted: Desired, account: Partial<Account>): readonly Warning[] {
  return plan(wanted, observed([live(ACME)], { account })).warnings;
}

describe('warnings about the account', () => {
  test.each<[string, Desired, Partial<Account>, readonly Warning[]]>([
    [
      'over its quota',
      desired([present(ACME)]),
      { overQuota: true },
      [
        {
          code: 'over-quota',
          message: 'the account ops@acme.example is over its quota: mail may not be forwarded',
          source: null,
        },
      ],
    ],
    [
      'locked, while nothing changes',
      desired([present(ACME)]),
      { locked: true, lockReason: 'unpaid' },
      [{ code: 'account-locked', message: 'the account ops@acme.example is locked: unpaid', source: null }],
    ],
    [
      'locked without a reason',
      desired([present(ACME)]),
      { locked: true },
      [{ code: 'account-locked', message: 'the account ops@acme.example is locked', source: null }],
    ],
    [
      'nothing managed',
      desired([]),
      {},
      [
        {
          code: 'nothing-managed',
          message: 'the manifest has no domain: nothing is managed',
          source: null,
        },
      ],
    ],
    ['only a domain to be deleted', desired([absent('old.example')]), {}, []],
  ])('%s', (_, wanted, account, expected) => {
    expect(ofAccount(wanted, account)).toEqual(expected);
  });

  test('a part of the manifest in which nothing is to be done is not nothing', () => {
    const options = { manifestSize: sizeOf(1, 1) };
    expect(plan(desired([]), observed([live(ACME)]), options).warnings).toEqual([]);
  });

  test('locked, while something changes: a guard says it', () => {
    const wanted = desired([
      present(ACME),
      present('new.example', { aliases: aliasSection({}, { prune: true }) }),
    ]);
    expect(codes({ warnings: ofAccount(wanted, { locked: true }) })).toEqual([]);
  });

  const limited = (aliasesLimit: number | null, rulesLimit: number | null) => ({
    plan: { name: null, domainsLimit: null, aliasesLimit, rulesLimit },
  });
  const entries = {
    aliases: aliasSection({ a: 'a@x.example', b: 'a@x.example' }),
    rules: ruleSection([rule('r', 'a@x.example'), rule('s', 'a@x.example')]),
  };
  const rows = {
    aliases: liveAliases({ a: 'a@x.example', other: 'a@x.example' }),
    rules: [liveTwin('r', 1, 'a@x.example')],
  };

  test.each([
    [null, null, []],
    [0, 0, []],
    [4, 3, []],
    [3, 2, []],
    [2, 2, ['aliases-limit']],
    [3, 1, ['rules-limit']],
    [1, 1, ['aliases-limit', 'rules-limit']],
  ])('a limit of %s aliases and %s rules, of which there will be 3 and 2', (aliases, rules, expected) => {
    const account = limited(aliases, rules);
    const result = plan(desired([present(ACME, entries)]), observed([live(ACME, rows)], { account }));
    expect(codes(result)).toEqual(expected);
  });

  test('a limit that nothing is added to is no concern', () => {
    const wanted = desired([present(ACME, { aliases: aliasSection({ a: 'b@x.example' }) })]);
    const result = plan(wanted, observed([live(ACME, rows)], { account: limited(1, 1) }));
    expect([result.changes.length, codes(result)]).toEqual([1, []]);
  });

  test('says which limit, of which it is not known what it counts', () => {
    const found = plan(
      desired([present(ACME, entries)]),
      observed([live(ACME, rows)], { account: limited(2, null) }),
    );
    expect(found.warnings).toEqual([
      {
        code: 'aliases-limit',
        message:
          "3 aliases in the domains of the manifest, while the account's plan has a limit of 2, for the account or for each domain: additions may be refused",
        hint: '`fwdsync account` shows the limits of the account',
        source: null,
      },
    ]);
  });
});

describe('a whitelabel that the account may not have', () => {
  const wanted = (value: string | null) =>
    desired([
      present(ACME, { settings: { whitelabel: { value, source: at(7) } } }),
      present('b.example'),
      absent('c.example'),
    ]);
  const found = (value: string | null, whitelabels?: readonly string[]): readonly Warning[] =>
    plan(
      wanted(value),
      observed(
        [live(ACME, { whitelabel: value }), live('b.example')],
        whitelabels === undefined ? {} : { whitelabels },
      ),
    ).warnings;

  test.each<[string, string | null, readonly string[] | undefined, string | null]>([
    ['known', 'W.example', ['w.Example'], null],
    ['none wanted', null, ['w.example'], null],
    ['not told', 'w.example', undefined, null],
    [
      'the account has others',
      'w.example',
      ['v.example', 'u.example'],
      'the account has v.example, u.example',
    ],
    ['the account has none', 'w.example', [], 'the account has none'],
  ])('%s', (_, value, whitelabels, hint) => {
    expect(found(value, whitelabels)).toEqual(
      hint === null
        ? []
        : [
            {
              code: 'unknown-whitelabel',
              message: 'w.example is not a whitelabel of the account: acme.example may not get it',
              hint,
              source: at(7),
            },
          ],
    );
  });
});

describe('a password that is to be sent again', () => {
  const wanted = desired([
    present(ACME, { credentials: credentialSection({ p: 'password', gone: 'absent' }) }),
    present('b.example'),
    absent('c.example'),
  ]);
  const rows = observed([live(ACME, { credentials: [{ name: 'p' }] }), live('b.example')]);

  test.each([
    ['P', 'acme.example', true],
    ['q', 'acme.example', false],
    ['gone', 'acme.example', false],
    ['p', 'b.example', false],
    ['p', 'c.example', false],
    ['p', 'else.example', false],
  ])('%s@%s is known: %s', (text, domain, known) => {
    const rotate = [{ name: text, domain: name(domain) }];
    expect(plan(wanted, rows, { with: { rotate } }).warnings).toEqual(
      known
        ? []
        : [
            {
              code: 'password-unknown',
              message:
                'credential "p" of acme.example exists; it is not known if it has the password of the manifest, which is not sent',
              hint: '--rotate p@acme.example sends it',
              source: at(70),
            },
            {
              code: 'rotate-unknown',
              message: `--rotate ${text}@${domain}: the manifest has no such credential`,
              hint: 'check the spelling of the name',
              source: null,
            },
          ],
    );
  });
});

test('warnings come in the order of the manifest, then by code and text', () => {
  const late = { ...present('a.example', ALIASES), source: at(9) };
  const early = { ...present(ACME, { ...ALIASES, ...RULES }), source: at(2) };
  const state = { routingEngine: null, aliases: [], rules: [], banned: true };
  const result = plan(
    desired([late, early]),
    observed([live(ACME, state), live('a.example', state)], { account: { overQuota: true } }),
  );
  expect(result.warnings.map(({ code, source }) => [code, source?.line])).toEqual([
    ['aliases-not-active', 2],
    ['domain-banned', 2],
    ['rules-not-active', 2],
    ['aliases-not-active', 9],
    ['domain-banned', 9],
    ['over-quota', undefined],
  ]);
});

test('for a generated manifest only warnings about the account and about changes, not about its wording', () => {
  const unclear = { whitelabel: { value: null, source: at(5) } };
  const changed = {
    ...present(ACME, { settings: unclear }),
    source: at(2),
  };
  const unchanged = { ...present('b.example'), source: at(20) };
  const added = { ...present('new.example', ALIASES), source: at(30) };
  const wanted = desired([changed, unchanged, added, absent('old.example')]);
  const rows = observed(
    [
      live(ACME, { whitelabel: 'w.example', banned: true }),
      live('b.example', { banned: true }),
      live('old.example', { aliases: liveAliases({ a: 'a@x.example' }), rules: [], credentials: [] }),
    ],
    { account: { overQuota: true } },
  );
  const found = (manifestKind: 'written' | 'generated') =>
    plan(wanted, rows, { manifestKind }).warnings.map(({ code, source }) => `${source?.line ?? '-'} ${code}`);
  expect(found('generated')).toEqual([
    '2 domain-banned',
    '5 may-not-clear',
    '- forwards-not-checked',
    '- over-quota',
  ]);
  expect(found('written')).toEqual(expect.arrayContaining(['20 domain-banned', '30 default-catch-all']));
});

test.each([
  ['adopted-by-content', false],
  ['default-catch-all', false],
  ['no-longer-managed', false],
  ['similar-destination', false],
  ['similar-domain', false],
  ['unmanaged-rule-first', false],
  ['over-quota', true],
] as const)('the plan of a manifest that a program wrote warns of %s: %s', (code, isKept) => {
  const warning = { code, message: 'said', source: null };
  expect(warningsOfChanges([warning], [], desired([]))).toEqual(isKept ? [warning] : []);
});

test.each([
  [3_600_000, "the service's clock is 3600 s ahead of the clock of this machine"],
  [-400_000, "the service's clock is 400 s behind the clock of this machine"],
])('a skew of %i ms is named', (skewMs, message) => {
  const { warnings } = plan(desired([present(ACME, ALIASES)]), { ...observed([live(ACME)]), skewMs });
  const hint = 'set the clock of this machine; if it is right, the Date header of the answers is wrong';
  expect(warnings).toEqual([{ code: 'clock-skew', message, hint, source: null }]);
});

describe('lint.off', () => {
  const INFO: RuleMatch = { type: 'alias', alias: 'info' };
  const row = { routingEngine: 'alias', banned: true } as const;
  const both = { ...RULES, ...ALIASES };
  function found(parts: Partial<PresentDomain>, whole: Partial<Desired> = {}) {
    const made = plan(
      desired([present(ACME, { ...both, ...parts })], whole),
      observed([live(ACME, { aliases: [], rules: [], ...row })]),
    );
    return { codes: made.warnings.map(({ code }) => code), silenced: made.summary.silenced };
  }

  test('hides warnings of a domain, and the plan says how many', () => {
    expect(found({})).toEqual({ codes: ['domain-banned', 'rules-not-active'], silenced: 0 });
    const off = [{ code: 'domain-banned', entry: null }] as const;
    expect(found({ lint: off })).toEqual({ codes: ['rules-not-active'], silenced: 1 });
    expect(found({}, { lint: { off, silenced: 3 } })).toEqual({ codes: ['rules-not-active'], silenced: 4 });
    expect(found({ lint: [{ code: 'domain-banned', entry: 'info' }] }).silenced).toBe(0);
  });

  test('hides what is said of a whitelabel, of a name like another, and of a password to be sent again', () => {
    const whitelabel = { value: 'w.example', source: at(7) };
    const lint = (['unknown-whitelabel', 'similar-domain', 'rotate-unknown'] as const).map((code) => {
      return { code, entry: null };
    });
    const rows = observed([live('acne.example')], { whitelabels: [] });
    const warnings = (parts: Partial<PresentDomain>) =>
      codes(
        plan(desired([present(ACME, { settings: { whitelabel }, ...parts })]), rows, {
          with: { rotate: [{ name: 'printer', domain: ACME }] },
        }),
      );
    expect(warnings({})).toEqual(expect.arrayContaining(lint.map(({ code }) => code)));
    expect(warnings({ lint })).toEqual(['default-catch-all']);
  });

  test.each<[FindingCode, string, Partial<PresentDomain>, Partial<ObservedDomain>]>([
    [
      'password-unknown',
      'printer',
      { credentials: credentialSection({ Printer: 'password' }) },
      { credentials: [{ name: 'printer' }] },
    ],
    [
      'adopted-by-content',
      'vip',
      { rules: ruleSection([rule('VIP', 'a@x.example', { match: INFO })]) },
      { rules: [liveRule('r1', 1, 'a@x.example', { match: INFO })] },
    ],
    [
      'unmanaged-rule-first',
      'R1',
      { rules: ruleSection([rule('vip', 'a@x.example')]) },
      { rules: [liveRule('r1', 1, 'b@x.example'), liveTwin('vip', 2, 'a@x.example')] },
    ],
  ])('hides %s of the one entry that it names, in any case', (code, entry, parts, rows) => {
    const silenced = (named: string) =>
      plan(
        desired([present(ACME, { ...parts, lint: [{ code, entry: named }] })]),
        observed([live(ACME, rows)]),
      ).summary.silenced;
    expect([silenced(entry), silenced('other')]).toEqual([1, 0]);
  });
});

describe('forwards that were not checked', () => {
  const read = (domain: string) => live(domain, { aliases: [], rules: [] });
  const of = 'mail that they forward to a route that the plan removes would be lost';
  test.each<[string, 1 | 2, boolean, readonly ObservedDomain[], readonly string[]]>([
    ['all were read', 2, false, [read(ACME)], []],
    ['nothing is taken away', 1, true, [live(ACME)], []],
    [
      'one was not read',
      2,
      false,
      [live(ACME)],
      [`forwards from 1 domain of the account were not checked: ${of}`],
    ],
    [
      'only the domains of the manifest were read',
      2,
      true,
      [read(ACME)],
      [`forwards from the other domains of the account were not checked: ${of}`],
    ],
  ])('%s', (_, stage, partial, rows, expected) => {
    const gone = change(ACME, 'desk', stage === 2 ? { action: 'delete', stage } : { stage });
    const found = uncheckedForwards([gone], observed(rows, partial ? { partial } : {}));
    expect(found.map(({ message }) => message)).toEqual(expected);
  });

  test.each([
    ['null', true],
    ['a@x.example', false],
  ])('an alias that forwards to %s from now on takes a route: %s', (forward, expected) => {
    const [changed] = planAliases(aliasSection({ desk: forward }), { desk: 'b@x.example' }).changes;
    const changes = [{ ...changed, stage: 1 } as Change];
    expect(takesRoutes({ changes })).toBe(expected);
  });
});
