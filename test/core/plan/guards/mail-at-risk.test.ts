import { describe, expect, test } from 'vitest';
import type { Desired } from '../../../../src/core/model/desired.ts';
import type { Observed } from '../../../../src/core/model/observed.ts';
import type { Change } from '../../../../src/core/model/plan.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import {
  deliberateLosses,
  mailOfChanges,
  mayUnroute,
  remainingForwarders,
  type MailAtRisk,
} from '../../../../src/core/plan/guards/mail-at-risk.ts';
import {
  absent,
  ACME,
  aliasSection,
  at,
  credentialSection,
  derivedId,
  desired,
  domainPlans,
  live,
  liveAliases,
  liveTwin,
  name,
  observed,
  plan,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';

const HUB = name('hub.example');
const OLD = name('old.example');
const READ = { aliases: [], rules: [], credentials: [] };
const SUBJECT: RuleMatch = { type: 'regex', regex: 'invoice', scopes: ['subject'] };
const SENDER: RuleMatch = { type: 'regex', regex: '@bank', scopes: ['sender'] };

function changesOf(wanted: Desired, found: Observed): readonly Change[] {
  return plan(wanted, found).changes;
}

describe('a change that may remove the route of some mail', () => {
  const isHere = (address: string): boolean => address.endsWith('@hub.example');
  const wanted = desired([
    present(ACME, {
      settings: { notification_email: { value: 'it@acme.example', source: at(2) } },
      aliases: aliasSection({
        deleted: false,
        discarding: 'null',
        elsewhere: 'b@x.example',
        here: 'b@x.example, b@hub.example',
      }),
      credentials: credentialSection({ smtp: 'absent' }),
    }),
    absent(OLD),
  ]);
  const names = ['deleted', 'discarding', 'elsewhere', 'here'];
  const rows = liveAliases(Object.fromEntries(names.map((text) => [text, 'a@x.example'])));
  const found = observed([live(ACME, { aliases: rows, credentials: [{ name: 'smtp' }] }), live(OLD, READ)]);

  test('deletes and discards an entry, leads into the account, or deletes a domain', () => {
    const risky = changesOf(wanted, found).filter((change) => mayUnroute(change, isHere));
    expect(risky.map(({ action, kind, name: own }) => `${action} ${kind} ${own}`).toSorted()).toEqual([
      'delete alias deleted',
      'delete domain old.example',
      'update alias discarding',
      'update alias here',
    ]);
  });
});

describe('the mail to try', () => {
  const wanted = desired([
    present(ACME, {
      aliases: aliasSection({ out: 'b@x.example', into: 'b@hub.example' }),
      rules: ruleSection([
        rule('kept', 'b@hub.example', { match: SUBJECT }),
        rule('new', 'b@hub.example', { match: SENDER }),
      ]),
    }),
  ]);
  const found = observed([
    live(ACME, {
      aliases: liveAliases({ out: 'a@x.example', into: 'a@x.example' }),
      rules: [liveTwin('kept', 1, 'a@x.example', { id: derivedId('kept', 'regex'), match: SENDER })],
    }),
    live(HUB),
  ]);
  const named = (which?: 'all'): readonly string[] =>
    mailOfChanges(domainPlans(wanted, found), { desired: wanted, observed: found }, which)
      .flatMap((mail) => {
        if (!('kind' in mail)) return [];
        return mail.kind === 'address' ? [mail.address] : [JSON.stringify(mail)];
      })
      .toSorted();
  const ofRule = (own: string): string =>
    JSON.stringify({ kind: 'condition', domain: ACME, match: SENDER, rule: own });

  test('is that of changes which lead into the account, by the condition that a rule has now', () => {
    expect(named()).toEqual(['into@acme.example', ofRule('kept'), ofRule('new')].toSorted());
  });

  test('is, in a new domain, that of its changes alone', () => {
    const made = desired([
      present(ACME, { rules: ruleSection([rule('dropping', 'null', { match: SUBJECT })]) }),
    ]);
    const mail = mailOfChanges(
      domainPlans(made, observed([])),
      { desired: made, observed: observed([]) },
      'all',
    );
    expect(mail).toEqual([{ kind: 'condition', domain: ACME, match: SUBJECT, rule: 'dropping' }]);
  });

  test('for a domain without rules has only its addresses', () => {
    const without = desired([present(ACME, { aliases: aliasSection({ '(a|b)': false }) })]);
    const rows = observed([live(ACME, { aliases: liveAliases({ '(a|b)': 'a@x.example' }) })]);
    const mail = mailOfChanges(domainPlans(without, rows), { desired: without, observed: rows }, undefined);
    expect(mail).toMatchObject([{ domain: ACME, to: expect.stringContaining('@acme.example') }]);
  });

  test('is that of every change, if all losses count', () => {
    expect(named('all')).toEqual(
      ['into@acme.example', 'out@acme.example', ofRule('kept'), ofRule('new')].toSorted(),
    );
  });
});

test('forwarders that remain: those that are deleted or discard are left out, and those of domains that go', () => {
  const wanted = desired([
    present(ACME, {
      settings: { notification_email: { value: 'it@acme.example', source: at(2) } },
      aliases: aliasSection({ gone: false, discarding: 'null', kept: 'b@hub.example' }),
      rules: ruleSection([rule('r', 'null'), rule('s', 'b@hub.example')]),
    }),
    present(HUB),
    absent(OLD),
  ]);
  const into = 'a@hub.example';
  const found = observed(
    [
      live(ACME, {
        aliases: liveAliases({ gone: into, discarding: into, kept: into, other: into }),
        rules: [liveTwin('r', 1, into), liveTwin('s', 2, into)],
      }),
      live(HUB),
      live(OLD, { ...READ, aliases: liveAliases({ a: into }) }),
    ],
    { account: { email: into } },
  );
  const forwarders = remainingForwarders(new Set([ACME, HUB, OLD]), {
    observed: found,
    plans: domainPlans(wanted, found),
  });
  expect(forwarders.map(({ item, subject }) => item ?? `${subject.domain} fallback`)).toEqual([
    'acme.example alias kept',
    'acme.example alias other',
    'acme.example rule derived-alias-s',
    'acme.example fallback',
    'hub.example fallback',
  ]);
});

describe('intended losses', () => {
  const wanted = desired([
    present(ACME, {
      settings: { notification_email: { value: 'it@acme.example', source: at(2) } },
      aliases: aliasSection({ Gone: false, dropped: 'null', kept: 'b@x.example', '(a|b)': false }),
      rules: ruleSection([
        { state: 'absent', id: derivedId('ended'), derivedIds: [], source: at(60) },
        rule('dropping', 'null', { match: SUBJECT }),
        rule('sleeping', 'null', { match: { type: 'alias', alias: 'sleeping' }, active: false }),
      ]),
      credentials: credentialSection({ kept: 'absent' }),
    }),
    absent(OLD),
  ]);
  const found = observed([
    live(ACME, {
      aliases: liveAliases({
        gone: 'a@x.example',
        dropped: 'a@x.example',
        kept: 'a@x.example',
        '(a|b)': 'a@x.example',
      }),
      rules: [
        liveTwin('ended', 1, 'a@x.example'),
        liveTwin('sleeping', 3, 'null', { active: false }),
        liveTwin('dropping', 2, 'a@x.example', { id: derivedId('dropping', 'regex'), match: SENDER }),
      ],
      credentials: [{ name: 'kept' }],
    }),
    live(OLD, { ...READ, aliases: liveAliases({ a: 'a@x.example' }) }),
  ]);
  const isDeliberate = (mail: MailAtRisk, engine: 'aliases' | 'rules'): boolean =>
    deliberateLosses(domainPlans(wanted, found), wanted)(mail, engine);
  const to = (address: string): MailAtRisk => ({
    domain: ACME,
    to: address,
    from: '',
    subject: '',
    body: '',
  });
  const others = { kind: 'others', domain: ACME } as const;
  const condition = (match: RuleMatch): MailAtRisk => ({ kind: 'condition', domain: ACME, match, rule: 'r' });
  const pattern = (text: string): MailAtRisk => ({ kind: 'pattern', domain: ACME, name: text });

  test.each<[string, MailAtRisk, boolean]>([
    ['the address of an alias that is deleted', to('GONE@acme.example'), true],
    ['with a label', to('gone+x@acme.example'), true],
    ['the address of an alias that comes to discard', to('dropped@acme.example'), true],
    ['the address of an alias that stays', to('kept@acme.example'), false],
    ['the address that a rule named', to('ended@acme.example'), false],
    ['all other addresses', others, false],
    ['mail by a pattern', pattern('(a|b)'), false],
  ])('by aliases: %s', (_, mail, expected) => {
    expect(isDeliberate(mail, 'aliases')).toBe(expected);
  });

  test.each<[string, MailAtRisk, boolean]>([
    ['the name of a rule that is deleted', pattern('ended'), true],
    ['the condition of a rule that comes to discard', condition(SUBJECT), true],
    ['the condition that it has now', condition(SENDER), true],
    ['the name of a rule that stays inactive', pattern('sleeping'), false],
    ['the condition of no rule', condition({ ...SUBJECT, regex: 'other' } as RuleMatch), false],
    ['an address', to('ended@acme.example'), false],
    ['the address of an alias that is deleted', to('gone@acme.example'), false],
    ['all other addresses', others, false],
  ])('by rules: %s', (_, mail, expected) => {
    expect(isDeliberate(mail, 'rules')).toBe(expected);
  });

  test('a catch-all that is deleted: all other addresses', () => {
    const without = desired([present(ACME, { aliases: aliasSection({ '*': false }) })]);
    const rows = observed([live(ACME, { aliases: liveAliases({ '*': 'a@x.example' }) })]);
    const isIntended = deliberateLosses(domainPlans(without, rows), without);
    expect([others, to('a@acme.example')].map((mail) => isIntended(mail, 'aliases'))).toEqual([true, false]);
  });
});
