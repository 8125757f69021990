import { expect, test } from 'vitest';
import type { RuleMatch } from '../../../../src/core/model/resources.ts';
import {
  ACME,
  desired,
  live,
  liveRule,
  observed,
  plan,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';

test.each<[string, RuleMatch, string]>([
  ['an address', { type: 'alias', alias: 'stray' }, 'stray@acme.example'],
  ['a condition', { type: 'regex', regex: 'offer', scopes: ['subject'] }, '*@acme.example'],
])('a rule that moves behind an unmanaged one of %s, which discards', (_, match, address) => {
  const all: RuleMatch = { type: 'alias', alias: '*' };
  const info: RuleMatch = { type: 'alias', alias: 'info' };
  const rules = [
    liveRule('all', 1, 'a@x.example', { match: all }),
    liveRule('stray', 2, 'null', { match }),
    liveRule('info', 3, 'b@x.example', { match: info }),
  ];
  const wanted = ruleSection(
    [
      rule('info', 'b@x.example', { id: 'info', idIsWritten: true, match: info }),
      rule('all', 'a@x.example', { id: 'all', idIsWritten: true, match: all }),
    ],
    { prune: false },
  );
  const { guards } = plan(
    desired([present(ACME, { rules: wanted })]),
    observed([live(ACME, { routingEngine: 'rules', rulesFallbackEmail: null, rules })]),
  );
  const lost = guards.filter(({ guard }) => guard === 'unrouted').map(({ allow }) => allow);
  expect(lost).toEqual([expect.stringContaining(address)]);
});
