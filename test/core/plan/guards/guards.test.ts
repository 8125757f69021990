import { describe, expect, test } from 'vitest';
import type { Allowance, PresentDomain } from '../../../../src/core/model/desired.ts';
import type { GuardFinding, Plan } from '../../../../src/core/model/plan.ts';
import { type ManifestSize, isSameManifest } from '../../../../src/core/model/prior.ts';
import { prunesAnything } from '../../../../src/core/plan/size.ts';
import { countsSentence } from '../../../../src/core/plan/render/totals.ts';
import { isRefused } from '../../../../src/core/plan/withhold.ts';
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
  planRules,
  present,
  prior,
  rule,
  ruleSection,
  sizeOf,
} from '../support/build.ts';

function guards({ guards: found }: Plan): readonly string[] {
  return found.map(({ guard, scope, limit, planned, allow, allowed }) =>
    [guard, scope, limit, planned, allow ?? 'nothing', ...(allowed ? ['allowed'] : [])].join(' | '),
  );
}

function only(result: Plan, guard: GuardFinding['guard']): readonly GuardFinding[] {
  return result.guards.filter((finding) => finding.guard === guard);
}

/** `live` aliases, of which `deletes` are pruned. */
function pruning(
  liveCount: number,
  deletes: number,
  percent = 20,
  allowances: readonly Allowance[] = [],
): Plan {
  const section = aliasSection(numbered(liveCount - deletes), { prune: true });
  const wanted = desired([present(ACME, { aliases: section })], {
    guards: { maxDeletes: 25, maxDeletePercent: percent, allow: [] },
  });
  const rows = observed([live(ACME, { aliases: liveAliases(numbered(liveCount)) })]);
  return plan(wanted, rows, { with: { allowances } });
}

describe('max-deletes of a section', () => {
  test.each([
    // Live aliases, deletes, percentage, and the limit if deletes are withheld
    [1, 1, 20, null],
    [2, 1, 20, null],
    [2, 2, 20, 1],
    [2, 2, 50, null],
    [3, 1, 20, null],
    [3, 2, 20, 1],
    [3, 2, 50, null],
    [3, 3, 50, 2],
    [4, 1, 20, null],
    [4, 2, 20, null],
    [4, 3, 20, 2],
    [10, 1, 20, null],
    [10, 2, 20, null],
    [10, 3, 20, 2],
    [15, 3, 20, null],
    [15, 4, 20, 3],
    [60, 11, 20, null],
    [60, 12, 20, null],
    [60, 13, 20, 12],
    [100, 20, 20, null],
    [100, 21, 20, 20],
    [4, 3, 50, 2],
    [8, 3, 50, null],
    [8, 4, 50, null],
    [8, 5, 50, 4],
    [10, 9, 90, null],
    [10, 9, 89, 8],
    [3, 2, 0, 1],
  ])('%i live, %i deleted, %i %%', (liveCount, deletes, percent, limit) => {
    const found = only(pruning(liveCount, deletes, percent), 'max-deletes').filter(
      ({ scope }) => scope !== 'run',
    );
    expect(found.map((finding) => finding.limit)).toEqual(limit === null ? [] : [limit]);
  });

  test('says its numbers, holds the deletes of the domain and is allowed by their exact number', () => {
    const found = pruning(60, 20).guards;
    expect(found).toEqual([
      {
        guard: 'max-deletes',
        scope: 'acme.example/aliases',
        limit: 12,
        planned: 20,
        message: '20 of the 60 live aliases of acme.example would be deleted; more than 12 need approval',
        allowance: { kind: 'deletes', count: 20 },
        allow: '--allow-deletes 20',
        allowed: false,
        holds: { kind: 'domain-deletes', domain: ACME },
        refuses: true,
      },
    ]);
    for (const count of [19, 20, 21]) {
      const result = pruning(60, 20, 20, [{ kind: 'deletes', count }]);
      expect([isRefused(result), result.allowances]).toEqual([count !== 20, [`--allow-deletes ${count}`]]);
    }
  });

  test('ignored aliases do not count, unmanaged ones do', () => {
    const rows = { ...numbered(10), t1: 'x@x.example', t2: 'x@x.example', t3: 'x@x.example' };
    const absentOnes = { n0: false, n1: false, n2: false } as const;
    expect(
      only(planAliases(aliasSection(absentOnes, { ignore: ['t*'] }), rows), 'max-deletes'),
    ).toMatchObject([{ limit: 2 }]);
    expect(
      only(
        planAliases(aliasSection(absentOnes), { ...rows, t4: 'x@x.example', t5: 'x@x.example' }),
        'max-deletes',
      ),
    ).toEqual([]);
  });

  test('the old rule of a change of type does not count', () => {
    const texts = ['r', 's', 't'];
    const entries = texts.map((text) =>
      rule(text, 'a@x.example', { match: { type: 'cel', expression: `"${text}" == subject` } }),
    );
    const rows = texts.map((text, index) => liveRule(`derived-alias-${text}`, index, 'a@x.example'));
    const result = planRules(entries, rows);
    expect(result.changes.filter(({ action }) => action === 'delete')).toHaveLength(3);
    expect(result.guards).toEqual([]);
  });

  test('rules and credentials count by themselves', () => {
    const wanted = desired([
      present(ACME, { credentials: credentialSection({ a: 'bare' }, { prune: true }) }),
    ]);
    const rows = observed([live(ACME, { credentials: ['a', 'b', 'c'].map((name) => ({ name })) })]);
    expect(guards(plan(wanted, rows))).toEqual([
      'max-deletes | acme.example/credentials | 1 | 2 | --allow-deletes 2',
    ]);
  });
});

describe('max-deletes of the run', () => {
  /** Domains of 100 aliases, of which some lose one. */
  function spread(domains: number, deletes: number, maxDeletes = 25): Plan {
    const texts = Array.from({ length: domains }, (_, index) => `d${index}.example`);
    const entries = texts.map((text, index) => {
      const section = aliasSection(numbered(index < deletes ? 99 : 100), { prune: true });
      return present(text, { aliases: section });
    });
    const rows = texts.map((text) => live(text, { aliases: liveAliases(numbered(100)) }));
    return plan(
      desired(entries, { guards: { maxDeletes, maxDeletePercent: 20, allow: [] } }),
      observed(rows),
    );
  }

  test.each([
    [30, 24, 25, null],
    [30, 25, 25, null],
    [30, 26, 25, 25],
    [10, 4, 3, 3],
    [260, 25, 25, null],
    [260, 26, 25, null],
    [260, 27, 25, 26],
  ])('%i domains, %i deletes, at most %i', (domains, deletes, most, limit) => {
    const found = spread(domains, deletes, most).guards;
    expect(found.map((finding) => [finding.scope, finding.limit, finding.allow, finding.holds.kind])).toEqual(
      limit === null ? [] : [['run', limit, `--allow-deletes ${deletes}`, 'run-deletes']],
    );
  });
});

describe('empty-section', () => {
  test.each<[string, Parameters<typeof aliasSection>, Record<string, string>, boolean]>([
    ['pruned to nothing', [{}, { prune: true }], { a: 'x@x.example' }, true],
    ['the last one absent', [{ a: false }], { a: 'x@x.example' }, true],
    ['one stays', [{ b: 'x@x.example' }, { prune: true }], { a: 'x@x.example', b: 'x@x.example' }, false],
    [
      'two stay',
      [{ b: 'x@x.example', c: 'x@x.example' }, { prune: true }],
      { a: 'x@x.example', b: 'x@x.example', c: 'x@x.example' },
      false,
    ],
    ['one takes its place', [{ b: 'x@x.example' }, { prune: true }], { a: 'x@x.example' }, false],
    ['an unmanaged one stays', [{ a: false }], { a: 'x@x.example', b: 'x@x.example' }, false],
    [
      'only ignored ones stay',
      [{}, { prune: true, ignore: ['b'] }],
      { a: 'x@x.example', b: 'x@x.example' },
      true,
    ],
    ['it was empty', [{}, { prune: true }], {}, false],
  ])('%s', (_, section, rows, held) => {
    expect(only(planAliases(aliasSection(...section), rows), 'empty-section')).toHaveLength(held ? 1 : 0);
  });

  test('is allowed by its section', () => {
    const section = aliasSection({}, { prune: true });
    expect(guards(planAliases(section, { a: 'x@x.example' }))).toEqual([
      'empty-section | acme.example | 0 | 1 | --allow-empty acme.example/aliases',
    ]);
    const allowance: Allowance = { kind: 'empty', domain: ACME, section: 'aliases' };
    expect(isRefused(planAliases(section, { a: 'x@x.example' }, { with: { allowances: [allowance] } }))).toBe(
      false,
    );
  });
});

describe('max-reroutes', () => {
  function rerouting(liveCount: number, rerouted: number): Plan {
    const wanted = { ...numbered(liveCount), ...numbered(rerouted, 'b@x.example') };
    return planAliases(aliasSection(wanted), numbered(liveCount));
  }
  test.each([
    [9, 9, null],
    [10, 8, null],
    [10, 9, null],
    [10, 10, 9],
    [33, 9, null],
    [33, 10, 9],
    [34, 10, null],
    [40, 11, null],
    [40, 12, null],
    [40, 13, 12],
  ])('%i live, %i rerouted', (liveCount, rerouted, limit) => {
    expect(guards(rerouting(liveCount, rerouted))).toEqual(
      limit === null ? [] : [`max-reroutes | run | ${limit} | ${rerouted} | --allow-reroutes ${rerouted}`],
    );
  });

  test('an update that keeps a destination is no reroute', () => {
    const result = planAliases(aliasSection(numbered(20, 'b@x.example,a@x.example')), numbered(20));
    expect(result.guards).toEqual([]);
  });

  test('rules count, what is added, deleted or only moved does not', () => {
    const texts = Array.from({ length: 10 }, (_, index) => `r${index}`);
    const rows = texts.map((text, index) =>
      liveRule(`derived-alias-${text}`, 10 * (index + 1), 'a@x.example'),
    );
    const to = (forward: string): Plan =>
      planRules(
        texts.map((text) => rule(text, forward)),
        rows,
      );
    expect(guards(to('b@x.example'))).toEqual(['max-reroutes | run | 9 | 10 | --allow-reroutes 10']);
    expect(to('a@x.example').guards).toEqual([]);
    const moved = texts.toReversed().map((text) => rule(text, 'a@x.example'));
    expect(planRules(moved, rows).guards).toEqual([]);
    expect(planAliases(aliasSection(numbered(30)), {}).guards).toEqual([]);
    expect(only(planAliases(aliasSection({}, { prune: true }), numbered(30)), 'max-reroutes')).toEqual([]);
  });

  test('passwords that are sent again are no reroutes', () => {
    const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
    const entries = Object.fromEntries(names.map((text) => [text, 'password' as const]));
    const wanted = desired([present(ACME, { credentials: credentialSection(entries) })]);
    const rows = observed([live(ACME, { credentials: names.map((text) => ({ name: text })) })]);
    const rotate = names.map((text) => ({ name: text, domain: ACME }));
    const result = plan(wanted, rows, { with: { rotate } });
    expect([result.changes.length, result.guards]).toEqual([10, []]);
  });

  test('holds the domains that are rerouted', () => {
    expect(rerouting(10, 10).guards).toMatchObject([{ holds: { kind: 'domains', domains: [ACME] } }]);
  });
});

describe('catch-all', () => {
  const others = numbered(5);
  test.each<[string, Record<string, string | false>, string, string | null]>([
    ['deleted', { '*': false }, 'a@x.example', 'domain-deletes'],
    ['discards', { '*': 'null' }, 'a@x.example', 'domain'],
    ['discarded before', { '*': 'null' }, 'null', null],
    ['goes elsewhere', { '*': 'b@x.example' }, 'a@x.example', null],
    ['kept', {}, 'a@x.example', null],
  ])('%s', (_, entries, before, holds) => {
    const found = only(planAliases(aliasSection(entries), { ...others, '*': before }), 'catch-all');
    expect(found.map((finding) => finding.holds.kind)).toEqual(holds === null ? [] : [holds]);
    if (holds !== null) expect(found[0]?.allow).toBe("--allow-unrouted '*@acme.example'");
  });

  test('a rule by the name of * is none', () => {
    const gone = {
      state: 'absent',
      name: '*',
      derivedIds: ['r'],
      source: { file: 'f', line: 1, column: 1 },
    } as const;
    const result = planRules([gone], [liveRule('r', 1, 'a@x.example'), liveRule('s', 2, 'a@x.example')]);
    expect([result.changes.map(({ name }) => name), result.guards]).toEqual([['*'], []]);
  });

  test.each([
    ['a@x.example', false],
    ['b@x.example', true],
  ])('the one that the service made with its domain was %s', (given, held) => {
    const wanted = desired([present(ACME, { aliases: aliasSection({}, { prune: true }) })]);
    const rows = observed([live(ACME, { aliases: liveAliases({ '*': 'a@x.example' }) })]);
    const result = plan(wanted, rows, { prior: prior(ACME, { givenCatchAll: given }) });
    expect(result.changes).toHaveLength(1);
    expect(result.guards.map(({ guard }) => guard)).toEqual(held ? ['empty-section', 'catch-all'] : []);
  });

  test('plan, guard and allowance name one number, the catch-all among it', () => {
    const wanted = desired([present(ACME, { aliases: aliasSection({ a: 'a@x.example' }, { prune: true }) })]);
    const rows = { a: 'a@x.example', b: 'a@x.example', c: 'a@x.example', '*': 'a@x.example' };
    const { summary, guards: found } = plan(wanted, observed([live(ACME, { aliases: liveAliases(rows) })]));
    const [deletes] = found.filter(({ guard }) => guard === 'max-deletes');
    expect([summary.delete, deletes?.planned, deletes?.allow]).toEqual([3, 3, '--allow-deletes 3']);
  });
});

test('the counts of a plan name the number that allows its deletes, if other deletes are shown too', () => {
  const guard = { guard: 'max-deletes', allow: '--allow-deletes 3' } as GuardFinding;
  const none = { notices: 0, silenced: 0 };
  const summary = {
    add: 0,
    update: 0,
    move: 0,
    delete: 3,
    conditional: 0,
    unchanged: 0,
    unmanaged: 0,
    ...none,
  };
  const told = (deletes: number, guards: readonly GuardFinding[]): string =>
    countsSentence({ summary: { ...summary, delete: deletes }, withheld: [], guards });
  expect(told(3, [guard])).toBe('3 to delete; 0 unchanged, 0 unmanaged.');
  expect(told(4, [])).toBe('4 to delete; 0 unchanged, 0 unmanaged.');
  expect(told(4, [{ ...guard, allow: null }, { ...guard, allow: '--allow-reroutes 9' }, guard])).toBe(
    '4 to delete (3 for --allow-deletes); 0 unchanged, 0 unmanaged.',
  );
});

describe('domain-delete', () => {
  const rows = observed([
    live('old.example', { aliases: liveAliases(numbered(3)), rules: [], credentials: [{ name: 'p' }] }),
  ]);

  test('says what goes with it, which counts nowhere else', () => {
    const result = plan(desired([absent('old.example')]), rows);
    expect(guards(result)).toEqual([
      'domain-delete | old.example | 0 | 1 | --allow-domain-delete old.example',
    ]);
    expect(result.guards[0]?.message).toBe(
      'old.example would be deleted, and with it 3 aliases, 0 rules, 1 credential',
    );
    expect(result.changes).toMatchObject([
      { contents: { aliases: 3, rules: 0, credentials: 1 }, reason: 'tombstone' },
    ]);
  });

  test('is allowed by name', () => {
    const allow = (domain: string): boolean =>
      isRefused(
        plan(desired([absent('old.example')]), rows, {
          with: { allowances: [{ kind: 'domain-delete', domain: domain as never }] },
        }),
      );
    expect([allow('old.example'), allow('other.example')]).toEqual([false, true]);
  });
});

describe('manifest-shrink', () => {
  function shrunk(before: ManifestSize | readonly ManifestSize[], now: ManifestSize, deletes = true): Plan {
    const section = aliasSection(numbered(9), { prune: deletes });
    return plan(
      desired([present(ACME, { aliases: section })]),
      observed([live(ACME, { aliases: liveAliases(numbered(10)) })]),
      {
        prior: { ...prior(ACME, {}), manifests: [before].flat() },
        manifestSize: now,
      },
    );
  }
  test.each<[readonly [number, number], readonly [number, number], number | null]>([
    [[1, 20], [1, 19], null],
    [[1, 20], [1, 18], null],
    [[1, 20], [1, 17], 2],
    [[1, 30], [1, 28], null],
    [[1, 30], [1, 27], null],
    [[1, 30], [1, 26], 3],
    [[5, 30], [4, 30], null],
    [[5, 30], [3, 30], null],
    [[5, 30], [2, 30], 2],
    [[5, 30], [9, 99], null],
  ])('from %j domains and entries to %j', (before, now, limit) => {
    const found = shrunk(sizeOf(...before), sizeOf(...now)).guards;
    expect(found.map((finding) => [finding.limit, finding.allow])).toEqual(
      limit === null ? [] : [[limit, '--allow-deletes 1']],
    );
  });

  test.each<[string, readonly ManifestSize[], 'refused' | 'passes']>([
    ['the same domains', [sizeOf(2, 90)], 'refused'],
    ['no domain of it', [{ domains: new Set([name('else.example')]), entries: 90 }], 'passes'],
    ['no manifest', [], 'passes'],
    ['the most alike is larger, the latest is not', [sizeOf(9, 12), sizeOf(2, 90)], 'refused'],
    ['the most alike is not larger, the latest is', [sizeOf(9, 90), sizeOf(2, 12)], 'passes'],
    ['the latest of two is larger', [sizeOf(2, 90), sizeOf(2, 12)], 'refused'],
    ['the latest of two is not larger', [sizeOf(2, 12), sizeOf(2, 90)], 'passes'],
    [
      'as many shared, and more besides',
      [{ domains: new Set([...sizeOf(2, 0).domains, name('else.example')]), entries: 90 }, sizeOf(2, 12)],
      'passes',
    ],
  ])('is measured against the manifest whose domains are most alike: %s', (_, known, verdict) => {
    const found = shrunk(known, sizeOf(2, 12)).guards;
    expect(found.map(({ guard }) => guard)).toEqual(verdict === 'refused' ? ['manifest-shrink'] : []);
  });

  test.each<[readonly string[], readonly string[], boolean]>([
    [['a.example'], ['a.example'], true],
    [['a.example', 'b.example'], ['a.example'], false],
    [['a.example', 'b.example'], ['a.example', 'b.example', 'c.example'], true],
    [['a.example'], ['b.example'], false],
    [[], [], false],
  ])('manifests of %j and %j are one at two times: %j', (before, after, same) => {
    const [a, b] = [before, after].map((names) => ({ domains: new Set(names.map(name)), entries: 1 }));
    expect(a !== undefined && b !== undefined && isSameManifest(a, b)).toBe(same);
  });

  test('only a manifest that prunes deletes what it does not name', () => {
    const pruning = (part: Partial<PresentDomain>): boolean =>
      prunesAnything(desired([absent('old.example'), present(ACME, part)]));
    expect(pruning({})).toBe(false);
    expect(pruning({ aliases: aliasSection({}), rules: ruleSection([]) })).toBe(false);
    expect(pruning({ aliases: aliasSection({}), rules: ruleSection([], { prune: true }) })).toBe(true);
    expect(pruning({ aliases: aliasSection({}, { prune: true }) })).toBe(true);
    expect(pruning({ credentials: credentialSection({}, { prune: true }) })).toBe(true);
  });

  test('only pruning follows from it, in any section of any domain', () => {
    const manifest = { prior: { ...prior(ACME, {}), manifests: [sizeOf(2, 30)] } };
    const rows = observed([
      live(ACME, { aliases: liveAliases(numbered(10)), credentials: [{ name: 'p' }, { name: 'q' }] }),
      live('b.example', { aliases: liveAliases(numbered(10)) }),
    ]);
    const planned = (entries: Record<string, string | false>, prune: boolean): readonly string[] => {
      const credentials = credentialSection({ p: 'bare' }, { prune });
      const b = present('b.example', { aliases: aliasSection(numbered(10)) });
      const acme = present(ACME, { aliases: aliasSection(entries), credentials });
      return plan(desired([acme, b]), rows, manifest).guards.map(({ guard }) => guard);
    };
    expect(planned({ n0: false }, false)).toEqual([]);
    expect(planned({}, true)).toEqual(['manifest-shrink']);
  });

  test('without deletes that follow from it, it does not matter', () => {
    expect(shrunk(sizeOf(9, 90), sizeOf(1, 9), false).guards).toEqual([]);
  });
});

describe('remote-shrink', () => {
  function fallen(was: number, now: number, prune = true): Plan {
    const section = aliasSection(numbered(now - 1), { prune });
    const wanted = desired([present(ACME, { aliases: section })]);
    return plan(wanted, observed([live(ACME, { aliases: liveAliases(numbered(now)) })]), {
      prior: prior(ACME, { live: { aliases: was } }),
    });
  }
  test.each([
    [10, 5, true, false],
    [10, 6, true, false],
    [10, 4, true, true],
    [11, 6, true, false],
    [11, 5, true, true],
    [10, 4, false, false],
  ])('from %i to %i', (was, now, prune, held) => {
    const result = fallen(was, now, prune);
    expect(result.guards.map((finding) => [finding.guard, finding.refuses, finding.holds.kind])).toEqual(
      held ? [['remote-shrink', false, 'domain-deletes']] : [],
    );
    expect(isRefused(result)).toBe(false);
  });

  test('adds and updates run', () => {
    const wanted = aliasSection({ ...numbered(4, 'b@x.example'), more: 'a@x.example' });
    const result = planAliases(wanted, numbered(4), { prior: prior(ACME, { live: { aliases: 10 } }) });
    expect([result.changes.length, result.guards]).toEqual([5, []]);
  });

  test('items that the service may make with a domain that was deleted by hand are not live', () => {
    const wanted = desired([present(ACME, { aliases: aliasSection(numbered(2), { prune: true }) })]);
    const result = plan(wanted, observed([]), { prior: prior(ACME, { live: { aliases: 10 } }) });
    expect(result.changes.map(({ stage, conditional }) => [stage, conditional]).at(-1)).toEqual([2, true]);
    expect(result.guards).toEqual([]);
  });
});

describe('the account', () => {
  const wanted = desired([present(ACME), present('new.example')]);

  test.each([
    ['ops@acme.example', false, []],
    ['OPS@acme.example', true, []],
    ['eve@acme.example', false, ['account-mismatch']],
    [null, false, []],
    [null, true, ['account-required']],
  ])('stated as %s, required: %s', (account, accountRequired, expected) => {
    const result = plan(wanted, observed([live(ACME)]), { with: { account, accountRequired } });
    expect(result.guards.map(({ guard, allow }) => [guard, allow])).toEqual(
      expected.map((guard) => [guard, null]),
    );
  });

  test('one that is locked takes no changes', () => {
    const account = { locked: true, lockReason: 'unpaid' };
    expect(guards(plan(wanted, observed([live(ACME)], { account })))).toEqual([
      'account-locked | run | 0 | 1 | nothing',
    ]);
    const idle = plan(desired([present(ACME)]), observed([live(ACME)], { account }));
    expect([idle.guards, idle.warnings.map(({ code }) => code)]).toEqual([[], ['account-locked']]);
  });

  test('only domains that are added need room', () => {
    const setting = { value: 'it@x.example', source: { file: 'f', line: 1, column: 1 } };
    const acme = present(ACME, {
      settings: { notification_email: setting },
      aliases: aliasSection({ info: 'a@x.example' }),
    });
    const account = { plan: { name: null, domainsLimit: 1, aliasesLimit: null, rulesLimit: null } };
    const rows = observed([live(ACME, { aliases: [] }), live('b.example')], { account });
    const result = plan(desired([acme]), rows);
    expect(result.changes.map(({ kind, action }) => [kind, action])).toEqual([
      ['domain', 'update'],
      ['alias', 'add'],
    ]);
    expect(result.guards).toEqual([]);
  });

  test.each([
    [null, false],
    [0, false],
    [3, false],
    [2, false],
    [1, true],
  ])('room for %s domains', (domainsLimit, held) => {
    const account = { plan: { name: null, domainsLimit, aliasesLimit: null, rulesLimit: null } };
    const result = plan(wanted, observed([live(ACME)], { account }));
    expect(result.guards.map(({ holds }) => holds)).toEqual(
      held ? [{ kind: 'domains', domains: ['new.example'] }] : [],
    );
  });
});
