import { describe, expect, test } from 'vitest';
import type { DesiredDomain, PresentDomain } from '../../../src/core/model/desired.ts';
import type { Problem } from '../../../src/core/model/manifest/problem.ts';
import { wouldDelete, type ManifestDifference } from '../../../src/core/plan/would-delete.ts';
import {
  absent,
  ACME,
  aliasSection,
  at,
  credentialSection,
  desired,
  present,
  rule,
  ruleSection,
} from './support/build.ts';

const CEL = { match: { type: 'cel', expression: 'true' } } as const;

/** Cases in which an entry is gone from the manifest and is not deleted. */
const LEFT_BEHIND = new Set([
  'an entry is gone from a section that is not pruned',
  'the section is not stated any more',
]);

/** Returns the text of the warnings. */
function told({ warnings }: ManifestDifference): readonly Problem[] {
  return warnings.map(({ subject: _, ...warning }) => warning);
}

/** Returns `kind name reason line` for each deleted item, and the codes of the warnings. */
function difference(before: readonly DesiredDomain[], after: readonly DesiredDomain[]) {
  const { deletes, warnings } = wouldDelete(desired(before), desired(after));
  return {
    deletes: deletes.map(({ kind, domain, name, reason, source }) =>
      [kind, domain, name, reason, source.line].join(' '),
    ),
    warnings: warnings.map(({ code }) => code),
  };
}

const acme = (parts: Partial<PresentDomain>) => [present(ACME, parts)];
const goneRule = (parts: object) => ({ state: 'absent', derivedIds: [], source: at(60), ...parts }) as const;

describe('items that a change of the manifest deletes', () => {
  test.each<[string, Partial<PresentDomain>, Partial<PresentDomain>, readonly string[]]>([
    [
      'an entry is gone from a pruned section',
      { aliases: aliasSection({ a: 'a@x.example', b: 'a@x.example' }, { prune: true }) },
      { aliases: aliasSection({ b: 'b@x.example' }, { prune: true }) },
      ['alias acme.example a prune 1'],
    ],
    [
      'an entry is gone from a section that is not pruned',
      { aliases: aliasSection({ a: 'a@x.example' }) },
      { aliases: aliasSection({}) },
      [],
    ],
    [
      'an entry is absent from now on',
      { aliases: aliasSection({ a: 'a@x.example', b: 'a@x.example' }) },
      { aliases: aliasSection({ a: 'a@x.example', b: false }) },
      ['alias acme.example b absent 11'],
    ],
    [
      'a new entry is absent',
      {},
      { aliases: aliasSection({ a: false }) },
      ['alias acme.example a absent 10'],
    ],
    ['it was absent', { aliases: aliasSection({ a: false }) }, { aliases: aliasSection({ a: false }) }, []],
    [
      'it was absent and is not mentioned',
      { aliases: aliasSection({ a: false }, { prune: true }) },
      { aliases: aliasSection({}, { prune: true }) },
      [],
    ],
    [
      'it is wanted again',
      { aliases: aliasSection({ a: false }) },
      { aliases: aliasSection({ a: 'a@x.example' }) },
      [],
    ],
    [
      'a rule has another type',
      { rules: ruleSection([rule('r', 'a@x.example'), rule('s', 'a@x.example')]) },
      { rules: ruleSection([rule('r', 'a@x.example', CEL), rule('s', 'b@x.example')]) },
      ['rule acme.example r type-change 50'],
    ],
    [
      'a rule is new',
      { rules: ruleSection([]) },
      { rules: ruleSection([rule('r', 'a@x.example', CEL)]) },
      [],
    ],
    [
      'a rule is absent by name, by id',
      { rules: ruleSection([rule('r', 'a@x.example')]) },
      { rules: ruleSection([goneRule({ name: 'r' }), goneRule({ id: 'id-1', source: at(61) })]) },
      ['rule acme.example r absent 60', 'rule acme.example id-1 absent 61'],
    ],
    [
      'a rule is gone from a pruned section',
      { rules: ruleSection([rule('r', 'a@x.example')], { prune: true }) },
      { rules: ruleSection([], { prune: true }) },
      ['rule acme.example r prune 1'],
    ],
    [
      'credentials',
      { credentials: credentialSection({ p: 'bare', q: 'bare' }, { prune: true }) },
      { credentials: credentialSection({ q: 'absent' }, { prune: true }) },
      ['credential acme.example q absent 70', 'credential acme.example p prune 1'],
    ],
    [
      'the section is not stated any more',
      { aliases: aliasSection({ a: 'a@x.example' }, { prune: true }) },
      {},
      [],
    ],
  ])('%s', (about, before, after, deletes) => {
    expect(difference(acme(before), acme(after))).toEqual({
      deletes,
      warnings: [
        ...deletes.map(() => 'would-delete'),
        ...(LEFT_BEHIND.has(about) ? ['no-longer-managed'] : []),
      ],
    });
  });

  test.each<
    [string, readonly DesiredDomain[], readonly DesiredDomain[], readonly string[], readonly string[]]
  >([
    [
      'a tombstone',
      acme({}),
      [absent(ACME)],
      ['domain acme.example acme.example tombstone 1'],
      ['would-delete'],
    ],
    [
      'a tombstone of what was not there',
      [],
      [absent(ACME)],
      ['domain acme.example acme.example tombstone 1'],
      ['would-delete'],
    ],
    ['a tombstone that stays', [absent(ACME)], [absent(ACME)], [], []],
    ['a tombstone that is taken away', [absent(ACME)], [], [], []],
    ['a domain that is not mentioned any more', acme({}), [], [], ['domain-gone']],
    ['a new domain', [], acme({ aliases: aliasSection({ a: 'a@x.example' }) }), [], []],
    [
      'a domain that is wanted again',
      [absent(ACME)],
      acme({ aliases: aliasSection({ a: 'a@x.example' }) }),
      [],
      [],
    ],
  ])('%s', (_, before, after, deletes, warnings) => {
    expect(difference(before, after)).toEqual({ deletes, warnings });
  });

  test('says what goes, and where the manifest says so', () => {
    const before = desired([
      present(ACME, { aliases: aliasSection({ a: 'a@x.example' }) }),
      present('b.example'),
      present('c.example'),
    ]);
    const after = desired([present(ACME, { aliases: aliasSection({ a: false }) }), absent('b.example')]);
    expect(told(wouldDelete(before, after))).toEqual([
      {
        severity: 'warning',
        code: 'would-delete',
        message: 'this change deletes alias a of acme.example (absent)',
        hint: 'plan shows the item in the account',
        source: at(10),
      },
      {
        severity: 'warning',
        code: 'would-delete',
        message: 'this change deletes the domain b.example with everything in it (tombstone)',
        hint: 'plan shows how much is deleted with it',
        source: at(1),
      },
      {
        severity: 'warning',
        code: 'domain-gone',
        message: 'c.example is no longer in the manifest: it stays as it is and is no longer managed',
        hint: 'to delete the domain, write `state: absent`',
        source: null,
      },
    ]);
    const changed = wouldDelete(
      desired(acme({ rules: ruleSection([rule('r', 'a@x.example')]) })),
      desired(acme({ rules: ruleSection([rule('r', 'a@x.example', CEL)]) })),
    );
    expect(changed.warnings[0]?.message).toBe('this change deletes rule r of acme.example (type change)');
  });

  test.each([
    [['a'], 'alias a of acme.example'],
    [['a', 'b', 'c'], '3 items: alias a of acme.example, alias b of acme.example, alias c of acme.example'],
    [
      ['a', 'b', 'c', 'd', 'e'],
      '5 items: alias a of acme.example, alias b of acme.example, alias c of acme.example and 2 more',
    ],
  ])('says once what one line deletes, and names three at most: %j', (names, what) => {
    const entries = Object.fromEntries(names.map((name) => [name, 'a@x.example']));
    const { warnings } = wouldDelete(
      desired(acme({ aliases: aliasSection(entries, { prune: true }) })),
      desired(acme({ aliases: aliasSection({}, { prune: true }) })),
    );
    expect(warnings.map(({ message }) => message)).toEqual([`this change deletes ${what} (prune)`]);
  });
});

describe('sections that begin to prune', () => {
  const pruned = { prune: true };
  test.each<[string, Partial<PresentDomain>, Partial<PresentDomain>, readonly string[]]>([
    ['aliases', { aliases: aliasSection({}) }, { aliases: aliasSection({}, pruned) }, ['aliases']],
    ['rules', {}, { rules: ruleSection([], pruned) }, ['rules']],
    ['credentials', {}, { credentials: credentialSection({}, pruned) }, ['credentials']],
    ['pruned before', { aliases: aliasSection({}, pruned) }, { aliases: aliasSection({}, pruned) }, []],
    ['pruned no more', { aliases: aliasSection({}, pruned) }, { aliases: aliasSection({}) }, []],
  ])('%s', (_, before, after, sections) => {
    expect(told(wouldDelete(desired(acme(before)), desired(acme(after))))).toEqual(
      sections.map((section) => ({
        severity: 'warning',
        code: 'would-delete',
        message: `the ${section} of acme.example are pruned from now on: everything else in the account will be deleted`,
        hint: 'plan lists it',
        source: at(1),
      })),
    );
  });

  test('of a domain that did not exist', () => {
    expect(difference([], acme({ aliases: aliasSection({}, pruned) })).warnings).toEqual(['would-delete']);
  });
});

describe('a catch-all that is let go', () => {
  const star = { '*': 'a@x.example' };
  test.each<[string, PresentDomain['aliases'], PresentDomain['aliases'], string | null, number]>([
    ['kept', aliasSection(star), aliasSection({ '*': 'b@x.example' }), null, 0],
    ['not there before', aliasSection({ a: 'a@x.example' }), aliasSection({}), null, 0],
    ['discarded before', aliasSection({ '*': 'null' }), aliasSection({}), null, 0],
    [
      'not mentioned',
      aliasSection(star),
      aliasSection({ a: 'a@x.example' }),
      'is no longer in the manifest',
      1,
    ],
    ['section not stated', aliasSection(star), undefined, 'is no longer in the manifest', 1],
    [
      'discarding',
      aliasSection(star),
      aliasSection({ a: 'a@x.example', '*': 'null' }),
      'discards its mail',
      11,
    ],
  ])('%s', (_, before, after, what, line) => {
    const parts = (aliases: PresentDomain['aliases']) => acme(aliases === undefined ? {} : { aliases });
    const found = told(wouldDelete(desired(parts(before)), desired(parts(after))));
    expect(found.filter(({ code }) => code !== 'no-longer-managed')).toEqual(
      what === null
        ? []
        : [
            {
              severity: 'warning',
              code: 'catch-all-gone',
              message: `the catch-all of acme.example ${what}`,
              hint: 'mail to addresses that nothing else matches may be lost',
              source: at(line),
            },
          ],
    );
  });

  test('with its domain', () => {
    const before = acme({ aliases: aliasSection(star) });
    expect(difference(before, [absent(ACME)]).warnings).toEqual(['would-delete']);
    expect(difference([absent(ACME)], acme({ aliases: aliasSection({}) })).warnings).toEqual([]);
  });

  test('absent: it is deleted, and lost', () => {
    const after = acme({ aliases: aliasSection({ '*': false }) });
    expect(difference(acme({ aliases: aliasSection(star) }), after).warnings).toEqual([
      'would-delete',
      'catch-all-gone',
    ]);
  });
});

describe('the subject of a warning', () => {
  const subjects = (before: readonly DesiredDomain[], after: readonly DesiredDomain[]) =>
    wouldDelete(desired(before), desired(after)).warnings.map(({ code, subject }) => [code, subject]);

  test('names each entry that is deleted', () => {
    const before = acme({ aliases: aliasSection({ a: 'a@x.example', b: 'a@x.example' }, { prune: true }) });
    const after = acme({ aliases: aliasSection({}, { prune: true }) });
    expect(subjects(before, after)).toEqual([['would-delete', { domain: ACME, entries: ['a', 'b'] }]]);
  });

  test('names no entry where a whole domain is deleted, or not managed any more', () => {
    expect(subjects(acme({}), [absent(ACME)])).toEqual([['would-delete', { domain: ACME, entries: [] }]]);
    expect(subjects(acme({}), [])).toEqual([['domain-gone', { domain: ACME, entries: [] }]]);
  });

  test('names the entry that is not managed any more, and a catch-all only once', () => {
    const before = acme({ aliases: aliasSection({ '*': 'a@x.example', a: 'a@x.example' }) });
    expect(subjects(before, acme({ aliases: aliasSection({}) }))).toEqual([
      ['catch-all-gone', { domain: ACME, entries: ['*'] }],
      ['no-longer-managed', { domain: ACME, entries: ['a'] }],
    ]);
  });

  test('names a catch-all that discarded its mail like any other entry', () => {
    const before = acme({ aliases: aliasSection({ '*': 'null' }) });
    expect(subjects(before, acme({ aliases: aliasSection({}) }))).toEqual([
      ['no-longer-managed', { domain: ACME, entries: ['*'] }],
    ]);
  });

  test('an absent entry that is not mentioned any more was not managed', () => {
    const before = acme({ aliases: aliasSection({ a: false }) });
    expect(subjects(before, acme({ aliases: aliasSection({}) }))).toEqual([]);
  });
});
