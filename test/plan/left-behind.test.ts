import { describe, expect, test } from 'vitest';
import type { PresentDomain } from '../../src/model/desired.ts';
import type { ObservedDomain } from '../../src/model/observed.ts';
import { NO_PRIOR_DOMAIN } from '../../src/model/prior.ts';
import { leftBehind } from '../../src/plan/left-behind.ts';
import { signature } from '../../src/plan/diff/kinds.ts';
import {
  ACME,
  aliasSection,
  credentialSection,
  live,
  liveAliases,
  liveTwin,
  present,
  rule,
  ruleSection,
} from './support/build.ts';

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
  aliases: liveAliases({ Old: 'b@x.example' }),
  rules: [liveTwin('vip', 1, 'a@x.example')],
  credentials: [{ name: 'printer' }],
};
const EMPTY = { aliases: aliasSection({}), rules: ruleSection([]), credentials: credentialSection({}) };

function left(parts: Partial<PresentDomain>, rows: Partial<ObservedDomain> = LIVE): readonly string[] {
  const found = leftBehind(present(ACME, parts), live(ACME, rows), { prior: PRIOR, references: new Map() });
  return found.map(({ kind, name }) => `${kind} ${name}`);
}

describe('what was applied earlier and is no longer named', () => {
  test.each<[string, Partial<PresentDomain>, Partial<ObservedDomain>, readonly string[]]>([
    [
      'is left behind, as the account spells it',
      EMPTY,
      LIVE,
      ['alias Old', 'rule vip', 'credential printer'],
    ],
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
});
