import { expect, test } from 'vitest';
import type { GuardFinding, Plan } from '../../../../src/core/model/plan.ts';
import {
  absent,
  ACME,
  aliasSection,
  credentialSection,
  desired,
  live,
  liveAliases,
  liveRule,
  name,
  numbered,
  observed,
  plan,
  planAliases,
  present,
  prior,
  ruleSection,
  sizeOf,
} from '../support/build.ts';

const ONE = { a: 'a@x.example' };

/** A finding that refuses a change of acme.example, unless `parts` say otherwise. */
function finding(own: Partial<GuardFinding> & Pick<GuardFinding, 'guard' | 'message'>): GuardFinding {
  return {
    scope: ACME,
    limit: 0,
    planned: 1,
    allowance: null,
    allow: null,
    allowed: false,
    holds: { kind: 'domain-deletes', domain: ACME },
    refuses: true,
    ...own,
  };
}

/** A finding without an allowance, because of the account's state. */
function ofAccount(guard: GuardFinding['guard'], message: string): GuardFinding {
  return finding({ guard, message, scope: 'run', holds: { kind: 'run' } });
}

const NEW = desired([present(ACME), present('new.example')]);
const LIVE = [live(ACME)];

test.each<[string, () => Plan, GuardFinding | readonly GuardFinding[]]>([
  [
    'max-deletes of a section',
    () => planAliases(aliasSection({ n0: false, n1: false, n2: false }), numbered(4)),
    finding({
      guard: 'max-deletes',
      scope: 'acme.example/aliases',
      limit: 2,
      planned: 3,
      message: '3 of the 4 live aliases of acme.example would be deleted; more than 2 need approval',
      allowance: { kind: 'deletes', count: 3 },
      allow: '--allow-deletes 3',
    }),
  ],
  [
    'max-deletes of the run',
    () =>
      plan(
        desired([present(ACME, { aliases: aliasSection({ n0: false }) })], {
          guards: { maxDeletes: 0, maxDeletePercent: 20, allow: [] },
        }),
        observed([live(ACME, { aliases: liveAliases(numbered(4)) })]),
      ),
    finding({
      guard: 'max-deletes',
      scope: 'run',
      message: 'the run would delete 1 items; more than 0 need approval',
      allowance: { kind: 'deletes', count: 1 },
      allow: '--allow-deletes 1',
      holds: { kind: 'run-deletes' },
    }),
  ],
  [
    'max-reroutes',
    () => planAliases(aliasSection(numbered(10, 'b@x.example')), numbered(10)),
    finding({
      guard: 'max-reroutes',
      scope: 'run',
      limit: 9,
      planned: 10,
      message: '10 of 10 live items would keep none of their destinations; more than 9 need approval',
      allowance: { kind: 'reroutes', count: 10 },
      allow: '--allow-reroutes 10',
      holds: { kind: 'domains', domains: [ACME] },
    }),
  ],
  [
    'empty-section',
    () => planAliases(aliasSection({ a: false }), ONE),
    finding({
      guard: 'empty-section',
      message: 'acme.example would be left without any aliases: 1 would be deleted',
      allowance: { kind: 'empty', domain: ACME, section: 'aliases' },
      allow: '--allow-empty acme.example/aliases',
    }),
  ],
  [
    'catch-all that is deleted',
    () => planAliases(aliasSection({ '*': false }), { ...ONE, '*': 'a@x.example' }),
    finding({
      guard: 'catch-all',
      message:
        'the catch-all *@acme.example would be deleted: mail to every address without an alias is lost',
      allowance: { kind: 'unrouted', address: '*@acme.example' },
      allow: "--allow-unrouted '*@acme.example'",
    }),
  ],
  [
    'catch-all that discards',
    () => planAliases(aliasSection({ '*': 'null' }), { ...ONE, '*': 'a@x.example' }),
    finding({
      guard: 'catch-all',
      message:
        'the catch-all *@acme.example would discard its mail: mail to every address without an alias is lost',
      allowance: { kind: 'unrouted', address: '*@acme.example' },
      allow: "--allow-unrouted '*@acme.example'",
      holds: { kind: 'domain', domain: ACME },
    }),
  ],
  [
    'unrouted',
    () =>
      plan(
        desired([
          present(ACME, {
            aliases: aliasSection({ info: 'help-me@acme.example,c@x.example', 'help-.*|x$': false }),
          }),
        ]),
        observed([
          live(ACME, {
            aliases: liveAliases({
              info: 'help-me@acme.example,c@x.example',
              'help-.*|x$': 'a@x.example',
              b: 'b@x.example',
            }),
          }),
        ]),
      ),
    finding({
      guard: 'unrouted',
      message:
        'mail to help-me@acme.example is delivered now and would not be: the entry that delivers it is removed or narrowed, or a discard comes before it',
      allowance: { kind: 'unrouted', address: 'help-me@acme.example' },
      allow: '--allow-unrouted help-me@acme.example',
    }),
  ],
  [
    'unrouted: what forwards there',
    () => planAliases(aliasSection({ b: false }), { ...ONE, b: 'b@x.example', info: 'b@acme.example' }),
    finding({
      guard: 'unrouted',
      message:
        'mail to info@acme.example is delivered now through b@acme.example and would not be: the entry that delivers it is removed or narrowed, or a discard comes before it',
      allowance: { kind: 'unrouted', address: 'info@acme.example' },
      allow: '--allow-unrouted info@acme.example',
    }),
  ],
  [
    'unrouted: whatever nothing else takes',
    () =>
      planAliases(aliasSection({ '(.*)': false }), {
        ...ONE,
        '(.*)': 'a@x.example',
        b: 'b@x.example',
      }),
    finding({
      guard: 'unrouted',
      message:
        'mail to every other address of acme.example is delivered now and would not be: the entry that delivers it is removed or narrowed, or a discard comes before it',
      allowance: { kind: 'unrouted', address: '*@acme.example' },
      allow: "--allow-unrouted '*@acme.example'",
    }),
  ],
  [
    'domain-delete',
    () =>
      plan(
        desired([absent('old.example')]),
        observed([
          live('old.example', {
            aliases: liveAliases(ONE),
            rules: [liveRule('r', 1, 'a@x.example')],
            credentials: [],
          }),
        ]),
      ),
    finding({
      guard: 'domain-delete',
      scope: 'old.example',
      message: 'old.example would be deleted, and with it 1 alias, 1 rule, 0 credentials',
      allowance: { kind: 'domain-delete', domain: name('old.example') },
      allow: '--allow-domain-delete old.example',
      holds: { kind: 'domain', domain: name('old.example') },
    }),
  ],
  [
    'manifest-shrink',
    () =>
      plan(
        desired([present(ACME, { aliases: aliasSection(numbered(9), { prune: true }) })]),
        observed([live(ACME, { aliases: liveAliases(numbered(10)) })]),
        { prior: { ...prior(ACME, {}), manifests: [sizeOf(1, 12)] } },
      ),
    finding({
      guard: 'manifest-shrink',
      scope: 'run',
      limit: 2,
      planned: 3,
      message: 'the manifest has 3 entries fewer than the 12 of the last apply, and 1 items would be deleted',
      allowance: { kind: 'deletes', count: 1 },
      allow: '--allow-deletes 1',
      holds: { kind: 'run-deletes' },
    }),
  ],
  [
    'manifest-shrink, by domains',
    () =>
      plan(
        desired([present(ACME, { aliases: aliasSection(numbered(9), { prune: true }) })]),
        observed([live(ACME, { aliases: liveAliases(numbered(10)) })]),
        { prior: { ...prior(ACME, {}), manifests: [sizeOf(5, 9)] }, manifestSize: sizeOf(2, 9) },
      ),
    finding({
      guard: 'manifest-shrink',
      scope: 'run',
      limit: 2,
      planned: 3,
      message: 'the manifest has 3 domains fewer than the 5 of the last apply, and 1 items would be deleted',
      allowance: { kind: 'deletes', count: 1 },
      allow: '--allow-deletes 1',
      holds: { kind: 'run-deletes' },
    }),
  ],
  [
    'remote-shrink',
    () =>
      planAliases(aliasSection({ n0: false }), numbered(4), {
        prior: prior(ACME, { live: { aliases: 9 } }),
      }),
    finding({
      guard: 'remote-shrink',
      limit: 5,
      planned: 4,
      message:
        'acme.example has 4 live aliases, but had 9 at the last read: nothing is deleted or narrowed there',
      allowance: { kind: 'deletes', count: 1 },
      allow: '--allow-deletes 1',
      refuses: false,
    }),
  ],
  [
    'account-mismatch',
    () => plan(NEW, observed(LIVE), { with: { account: 'eve@acme.example' } }),
    ofAccount('account-mismatch', 'the key belongs to the account ops@acme.example, not of eve@acme.example'),
  ],
  [
    'account-required',
    () => plan(NEW, observed(LIVE), { with: { account: null, accountRequired: true } }),
    ofAccount(
      'account-required',
      'the key belongs to the account ops@acme.example; confirm it with api.account or --account',
    ),
  ],
  [
    'account-locked, with the reason of the service',
    () => plan(NEW, observed(LIVE, { account: { locked: true, lockReason: 'unpaid' } })),
    ofAccount('account-locked', 'the account ops@acme.example is locked: unpaid'),
  ],
  [
    'account-locked, without a reason',
    () => plan(NEW, observed(LIVE, { account: { locked: true, lockReason: null } })),
    ofAccount('account-locked', 'the account ops@acme.example is locked'),
  ],
  [
    'plan-limit',
    () =>
      plan(
        NEW,
        observed(LIVE, {
          account: { plan: { name: null, domainsLimit: 1, aliasesLimit: null, rulesLimit: null } },
        }),
      ),
    {
      ...ofAccount('plan-limit', 'with 1 added, the account would have 2 domains; its plan allows 1'),
      limit: 1,
      planned: 2,
      holds: { kind: 'domains', domains: [name('new.example')] },
    },
  ],
  [
    'loop',
    () => planAliases(aliasSection({ info: 'info+x@acme.example' }), ONE),
    finding({
      guard: 'loop',
      message:
        'mail to acme.example would return to an address that forwarded it: it is forwarded to info+x@acme.example',
      holds: { kind: 'domain', domain: ACME },
    }),
  ],
])('%s', (_, made, finding) => {
  expect(made().guards).toEqual([finding].flat());
});

test('findings of the run come first, then those of domains', () => {
  const wanted = desired(
    [
      present(ACME, {
        aliases: aliasSection({}, { prune: true }),
        rules: ruleSection([], { prune: true }),
        credentials: credentialSection({}, { prune: true }),
      }),
    ],
    { guards: { maxDeletes: 2, maxDeletePercent: 20, allow: [] } },
  );
  const rows = live(ACME, {
    aliases: liveAliases({ '*': 'a@x.example' }),
    rules: [liveRule('r', 1, 'a@x.example')],
    credentials: [{ name: 'p' }],
  });
  const { guards } = plan(wanted, observed([rows]), { with: { account: 'eve@acme.example' } });
  expect(guards.map(({ guard, scope, allow }) => `${guard} ${scope} ${allow}`)).toEqual([
    'account-mismatch run null',
    'max-deletes run --allow-deletes 3',
    'empty-section acme.example --allow-empty acme.example/aliases',
    'empty-section acme.example --allow-empty acme.example/rules',
    'empty-section acme.example --allow-empty acme.example/credentials',
    "catch-all acme.example --allow-unrouted '*@acme.example'",
  ]);
});
