import { expect, test } from 'vitest';
import { mergeSpf } from '../../../src/core/dns/spf.ts';

const EXPECTED = 'v=spf1 include:s.example ~all';

test.each([
  ['no record', [], EXPECTED],
  ['other texts are no SPF record', ['site=1', 'v=spf10 a'], EXPECTED],
  ['before all', ['v=spf1 mx -all'], 'v=spf1 mx include:s.example -all'],
  ['before the first all', ['v=spf1 mx ?all a -all'], 'v=spf1 mx include:s.example ?all a -all'],
  ['all without a qualifier', ['v=spf1 mx all'], 'v=spf1 mx include:s.example all'],
  ['before redirect', ['v=spf1 mx redirect=r.example'], 'v=spf1 mx include:s.example redirect=r.example'],
  [
    'before all where redirect stands first',
    ['v=spf1 redirect=r.example -all'],
    'v=spf1 redirect=r.example include:s.example -all',
  ],
  ['at the end', ['v=spf1 mx'], 'v=spf1 mx include:s.example'],
  ['a bare record', ['v=spf1'], 'v=spf1 include:s.example'],
  ['it is there', ['v=spf1 +Include:S.example -all'], 'v=spf1 +Include:S.example -all'],
  ['behind all it has no effect', ['v=spf1 -all include:s.example'], 'v=spf1 include:s.example -all'],
  ['with another qualifier', ['v=spf1 ?include:s.example -all'], 'v=spf1 include:s.example -all'],
  ['a modifier stays', ['v=spf1 exp=e.example -all'], 'v=spf1 exp=e.example include:s.example -all'],
  ['several records become one', ['v=spf1 a -all', 'V=SPF1 a mx ~all'], 'v=spf1 a mx include:s.example -all'],
  ['the policy of a later record', ['v=spf1 a', 'v=spf1 mx ~all'], 'v=spf1 a mx include:s.example ~all'],
])('%s', (_name, existing, merged) => {
  expect(mergeSpf(existing, EXPECTED)).toBe(merged);
  expect(mergeSpf([merged], EXPECTED)).toBe(merged);
});
