import { expect, test } from 'vitest';
import type { DomainName } from '../../../../src/core/model/names.ts';
import {
  createReplay,
  type LoggedMessage,
  type ReplayCounts,
} from '../../../../src/core/plan/replay/replay.ts';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import { planRoutes } from '../../../../src/core/plan/routes/routes.ts';
import {
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

const ACME = 'acme.example' as DomainName;
const HUB = 'hub.example' as DomainName;

/** Aliases of one domain forward to the other, whose alias gets another destination. */
function replayOf(rules: Parameters<typeof live>[1] = {}) {
  const account = observed([
    live(ACME, { routingEngine: 'alias', aliases: liveAliases({ info: 'desk@hub.example' }) }),
    live(HUB, { routingEngine: 'alias', aliases: liveAliases({ desk: 'ana@corp.example' }), ...rules }),
  ]);
  const wanted = desired([
    present(ACME, { aliases: aliasSection({ info: 'desk@hub.example' }) }),
    present(HUB, { aliases: aliasSection({ desk: 'ben@corp.example' }) }),
  ]);
  const input = { ...plan(wanted, account), desired: wanted, observed: account };
  return createReplay(input, planRoutes(input));
}

function message(fields: Partial<LoggedMessage>): LoggedMessage {
  return {
    id: '1',
    recipient: 'desk@hub.example',
    sender: 'x@y.example',
    subject: '',
    forward: null,
    ...fields,
  };
}

function countsOf(messages: readonly (readonly [DomainName, LoggedMessage])[]): ReplayCounts {
  const replay = replayOf();
  for (const [domain, one] of messages) replay.add(domain, one);
  return replay.counts(new Set());
}

test('a message with several destinations counts once', () => {
  const one = message({ forward: 'ana@corp.example' });
  const counts = countsOf([
    [HUB, one],
    [HUB, { ...one, forward: 'dan@corp.example' }],
    [HUB, { ...one, id: '2' }],
  ]);
  expect(counts).toMatchObject({ messages: 2, changed: 2, unknown: 0 });
});

test('mail that is forwarded inside the account counts where it entered, in any order', () => {
  const outer = [ACME, message({ recipient: 'info@acme.example', forward: 'desk@hub.example' })] as const;
  const inner = [HUB, message({ forward: 'ana@corp.example' })] as const;
  for (const order of [
    [outer, inner],
    [inner, outer],
  ]) {
    expect(countsOf(order)).toEqual({ messages: 1, changed: 1, unknown: 0, byRoute: [1, 0] });
  }
});

test.each([null, ''])(
  'mail without a recipient (%j) is unknown, and so are the numbers of its domain',
  (recipient) => {
    const counts = countsOf([[HUB, message({ recipient })]]);
    expect(counts).toEqual({ messages: 1, changed: 0, unknown: 1, byRoute: [0, null] });
  },
);

test('mail whose way leads behind a domain that was not read is unknown', () => {
  const account = observed([
    live(HUB, { routingEngine: 'alias', aliases: liveAliases({ desk: 'a@acme.example' }) }),
    live(ACME),
  ]);
  const wanted = desired([
    present(ACME),
    present(HUB, { aliases: aliasSection({ desk: 'b@acme.example' }) }),
  ]);
  const input = { ...plan(wanted, account), desired: wanted, observed: account };
  const replay = createReplay(input, planRoutes(input));
  replay.add(HUB, message({}));
  expect(replay.counts(new Set())).toEqual({ messages: 1, changed: 0, unknown: 1, byRoute: [null] });
});

/** Rules of the hub with these patterns and the same scope. The last one gets another destination. */
function replayOfRules(scope: 'subject' | 'body', patterns: readonly string[]) {
  const matches = patterns.map((regex): RuleMatch => ({ type: 'regex', regex, scopes: [scope] }));
  const ruleTo = (forward: (index: number) => string) =>
    matches.map((match, index) => rule(`r${index}`, forward(index), { match }));
  const before = ruleTo(() => 'ana@corp.example');
  const after = ruleTo((index) => (index === patterns.length - 1 ? 'ben@corp.example' : 'ana@corp.example'));
  const rows = before.map(({ id = '' }, index) =>
    liveRule(id, index, 'ana@corp.example', { match: matches[index] as RuleMatch }),
  );
  const account = observed([live(HUB, { routingEngine: 'rules', rulesFallbackEmail: null, rules: rows })]);
  const wanted = desired([present(HUB, { rules: ruleSection(after) })]);
  const input = { ...plan(wanted, account), desired: wanted, observed: account };
  return createReplay(input, planRoutes(input));
}

test('mail that only its body tells is unknown, and so is the number of the rule that may take it', () => {
  const replay = replayOfRules('body', ['vip']);
  replay.add(HUB, message({}));
  expect(replay.counts(new Set())).toEqual({ messages: 1, changed: 0, unknown: 1, byRoute: [null] });
});

test('mail with too many conditions on what the log does not show is unknown', () => {
  const replay = replayOfRules('body', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  replay.add(HUB, message({}));
  expect(replay.counts(new Set())).toMatchObject({ messages: 1, changed: 0, unknown: 1 });
});

test.each([
  ['that takes it', 'a vip', [1, 0, [1]]],
  ['that does not take it', 'other', [0, 0, [0]]],
  ['that is missing', null, [0, 1, [null]]],
  ['that is empty', '', [0, 0, [0]]],
] as const)('a subject %s', (_, subject, expected) => {
  const replay = replayOfRules('subject', ['vip']);
  replay.add(HUB, message({ subject }));
  const { changed, unknown, byRoute } = replay.counts(new Set());
  expect([changed, unknown, byRoute]).toEqual(expected);
});

test('numbers of unread domains, and of domains that they lead to, cannot be known', () => {
  expect(replayOf().counts(new Set([ACME])).byRoute).toEqual([null, null]);
  expect(replayOf().counts(new Set([HUB])).byRoute).toEqual([0, null]);
});

test.each([
  ['the body', ['body'], { sender: 'x@y.example' }, 'unknown'],
  ['a sender that is missing', ['sender'], { sender: null }, 'unknown'],
  ['a sender that is there', ['sender'], { sender: 'vip@y.example' }, 'changed'],
  ['another sender', ['sender'], { sender: 'x@y.example' }, 'same'],
] as const)('a condition on %s', (_, scopes, fields, verdict) => {
  const match = { type: 'regex', regex: '.*vip.*', scopes } as const;
  const account = observed([
    live(HUB, {
      routingEngine: 'rules',
      rulesFallbackEmail: null,
      rules: [liveRule('r1', 10, 'desk@acme.example', { match, active: true })],
    }),
    live(ACME, { routingEngine: 'alias', aliases: liveAliases({ desk: 'ana@corp.example' }) }),
  ]);
  const wanted = desired([present(ACME, { aliases: aliasSection({ desk: 'ben@corp.example' }) })]);
  const input = { ...plan(wanted, account), desired: wanted, observed: account };
  const replay = createReplay({ ...input }, planRoutes(input));
  replay.add(HUB, message(fields));
  const { changed, unknown } = replay.counts(new Set());
  expect([changed, unknown]).toEqual([Number(verdict === 'changed'), Number(verdict === 'unknown')]);
});

test.each([
  ['the engine is not shown', {}],
  ['the engine is shown', { routingEngine: 'rules' }],
] as const)(
  'mail that ends elsewhere only if the hidden fallback is an address is unknown: %s',
  (_, engine) => {
    const match = { type: 'alias', alias: 'desk' } as const;
    const account = observed([
      live(HUB, {
        ...engine,
        aliases: liveAliases({ desk: 'ana@corp.example' }),
        rules: [liveRule('r1', 10, 'null', { match }), liveRule('r2', 20, 'ana@corp.example')],
      }),
    ]);
    const wanted = desired([
      present(HUB, {
        aliases: aliasSection({ desk: 'ben@corp.example' }),
        rules: ruleSection([], { prune: true }),
      }),
    ]);
    const input = { ...plan(wanted, account), desired: wanted, observed: account };
    const replay = createReplay(input, planRoutes(input));
    replay.add(HUB, message({}));
    expect(replay.counts(new Set())).toMatchObject({ changed: 0, unknown: 1 });
  },
);
