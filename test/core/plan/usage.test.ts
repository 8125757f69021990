import { describe, expect, test } from 'vitest';
import type { Account } from '../../../src/core/model/observed.ts';
import type { Desired } from '../../../src/core/model/desired.ts';
import { usageSentence } from '../../../src/core/plan/render/totals.ts';
import { planUsage } from '../../../src/core/plan/usage.ts';
import { withholdRefused } from '../../../src/core/plan/withhold.ts';
import {
  ACME,
  absent,
  aliasSection,
  desired,
  live,
  liveAliases,
  liveTwin,
  observed,
  plan,
  present,
  rule,
  ruleSection,
} from './support/build.ts';

const LIMITS: Account['plan'] = { name: 'paid', domainsLimit: 4, aliasesLimit: 30, rulesLimit: 5 };
const LIVE = [
  live(ACME, {
    aliases: liveAliases({ sales: 'a@x.example', old: 'b@x.example', hand: 'c@x.example' }),
    rules: [liveTwin('vip', 1, 'a@x.example')],
  }),
  live('old.example', { aliases: liveAliases({ info: 'a@x.example' }), rules: [], credentials: [] }),
  live('unmanaged.example'),
];

/** Returns the limits in the plan of the desired domains. */
function usageOf(
  domains: Parameters<typeof desired>[0],
  { limits = LIMITS, partial }: { readonly limits?: Account['plan']; readonly partial?: true } = {},
): { readonly sentence: string | null; readonly usage: ReturnType<typeof planUsage> } {
  const wanted: Desired = desired(domains);
  const found = observed(LIVE, { account: { plan: limits }, ...(partial ? { partial } : {}) });
  const usage = planUsage(plan(wanted, found));
  return { sentence: usageSentence({ usage }), usage };
}

const SALES = { sales: 'a@x.example' };

describe('how much of the limits a plan would use', () => {
  test.each([
    ['an alias more', present(ACME, { aliases: aliasSection({ ...SALES, new: 'd@x.example' }) }), 4],
    ['an alias less', present(ACME, { aliases: aliasSection({ ...SALES, old: false }) }), 2],
    [
      'one more and two less',
      present(ACME, { aliases: aliasSection({ new: 'd@x.example', old: false, hand: false }) }),
      2,
    ],
    ['as many as before', present(ACME, { aliases: aliasSection({ new: 'd@x.example', old: false }) }), 3],
  ])('%s: what would be used afterwards', (_, entry, used) => {
    expect(usageOf([entry])).toEqual({
      usage: [{ what: 'aliases', used, limit: 30 }],
      sentence: `Of the account's limits: ${used} of 30 aliases in the manifest's domains.`,
    });
  });

  test('nothing that counts changes: nothing is said', () => {
    const entry = present(ACME, {
      aliases: aliasSection({ sales: 'other@x.example' }),
      rules: ruleSection([rule('vip', 'other@x.example')]),
    });
    expect(usageOf([entry])).toEqual({ usage: [], sentence: null });
  });

  test('a new domain, its aliases and rules; what its catch-all may become counts as nothing', () => {
    const entry = present('new.example', {
      aliases: aliasSection(SALES, { prune: true }),
      rules: ruleSection([rule('a', 'a@x.example'), rule('b', 'a@x.example')]),
    });
    expect(usageOf([entry]).usage).toEqual([
      { what: 'domains', used: 4, limit: 4 },
      { what: 'aliases', used: 1, limit: 30 },
      { what: 'rules', used: 2, limit: 5 },
    ]);
  });

  test('live rules count', () => {
    const entry = present(ACME, {
      rules: ruleSection([rule('vip', 'a@x.example'), rule('new', 'a@x.example')]),
    });
    expect(usageOf([entry]).usage).toEqual([{ what: 'rules', used: 2, limit: 5 }]);
  });

  test('a domain that is deleted takes its aliases along', () => {
    const entry = present(ACME, { aliases: aliasSection({ new: 'd@x.example' }) });
    expect(usageOf([absent('old.example'), entry]).usage).toEqual([
      { what: 'domains', used: 2, limit: 4 },
      { what: 'aliases', used: 4, limit: 30 },
    ]);
  });

  test.each([null, 0, -1])('a limit of %s is none', (limit) => {
    const limits = { name: null, domainsLimit: limit, aliasesLimit: limit, rulesLimit: limit };
    const entry = present('new.example', { aliases: aliasSection(SALES) });
    expect(usageOf([entry], { limits })).toEqual({ usage: [], sentence: null });
  });

  test('if only some domains were selected, the number of domains of the account is not known', () => {
    const entry = present('new.example', { aliases: aliasSection(SALES) });
    expect(usageOf([entry], { partial: true }).usage).toEqual([{ what: 'aliases', used: 1, limit: 30 }]);
  });

  test('withheld changes are not counted', () => {
    const wanted = desired([
      absent('old.example'),
      present(ACME, { aliases: aliasSection({ new: 'd@x.example' }) }),
    ]);
    const refused = plan(wanted, observed(LIVE, { account: { plan: LIMITS } }));
    expect(planUsage(withholdRefused(refused))).toEqual([{ what: 'aliases', used: 4, limit: 30 }]);
  });
});
