import { fromEnvironment } from '../../../support/references.ts';
import { entryKey } from '../../../../src/core/kinds/item-key.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeForward, encodeForward } from '../../../../src/core/model/destinations.ts';
import { signature } from '../../../../src/core/kinds/items.ts';
import {
  ACME,
  aliasSection,
  brief,
  codes,
  desired,
  live,
  liveAliases,
  observed,
  plan,
  planAliases,
  present,
  prior,
} from '../support/build.ts';

describe('the aliases of a domain', () => {
  test.each<[string, Parameters<typeof aliasSection>, Record<string, string>, readonly string[]]>([
    ['nothing wanted, nothing live', [{}], {}, []],
    ['one is missing', [{ info: 'a@x.example' }], {}, ['+alias info 1 manifest']],
    ['one is there', [{ info: 'a@x.example' }], { info: 'a@x.example' }, []],
    ['another destination', [{ info: 'b@x.example' }], { info: 'a@x.example' }, ['~alias info 1 manifest']],
    [
      'order and duplicates do not count',
      [{ i: 'a@x.example,b@x.example' }],
      { i: 'b@x.example, a@X.example,a@x.example' },
      [],
    ],
    [
      'hosts have no case, local parts have',
      [{ i: 'A@x.example' }],
      { i: 'a@x.example' },
      ['~alias i 1 manifest'],
    ],
    [
      'names have no case, the live spelling stays',
      [{ INFO: 'b@x.example' }],
      { Info: 'a@x.example' },
      ['~alias Info 1 manifest'],
    ],
    ['an unmanaged one stays', [{}], { old: 'a@x.example' }, []],
    ['a pruned one goes', [{}, { prune: true }], { old: 'a@x.example' }, ['-alias old 2 prune']],
    ['an ignored one stays', [{}, { prune: true, ignore: ['tmp-*'] }], { 'TMP-1': 'a@x.example' }, []],
    ['absent and there', [{ fax: false }], { fax: 'a@x.example' }, ['-alias fax 2 absent']],
    ['absent and gone', [{ fax: false }], {}, []],
    ['discard is the word null', [{ spam: 'null' }], { spam: 'NULL' }, []],
    [
      'names like those of objects',
      [{ constructor: 'a@x.example' }],
      { toString: 'b@x.example' },
      ['+alias constructor 1 manifest'],
    ],
  ])('%s', (_, wanted, rows, expected) => {
    expect(brief(planAliases(aliasSection(...wanted), rows))).toEqual(expected);
  });

  test('a section that is not stated is not looked at', () => {
    const result = planAliases(undefined, { old: 'a@x.example' });
    expect(result.changes).toEqual([]);
    expect(result.summary).toMatchObject({ unchanged: 1, unmanaged: 0 });
  });

  test('a section that was not read makes no plan', () => {
    const wanted = desired([present(ACME, { aliases: aliasSection({}, { prune: true }) })]);
    const result = plan(wanted, observed([live(ACME)]));
    expect(result.withheld).toEqual([
      { domain: ACME, cause: 'unproven', part: 'domain', reason: 'its aliases were not read' },
    ]);
  });

  test('a reading that failed makes no plan of that domain, and of no other', () => {
    const wanted = desired([
      present(ACME, { aliases: aliasSection({ a: 'a@x.example' }) }),
      present('b.example', { aliases: aliasSection({ a: 'a@x.example' }) }),
    ]);
    const result = plan(
      wanted,
      observed([live(ACME), live('b.example', { aliases: [] })], {
        unproven: new Map([[ACME, { reason: 'GET /domains/:domain/aliases: 500' }]]),
      }),
    );
    expect(result.withheld.map(({ domain, cause }) => [domain, cause])).toEqual([[ACME, 'unproven']]);
    expect(brief(result)).toEqual(['+alias a 1 manifest']);
  });

  test('two live aliases that differ in case withhold the domain and are both named', () => {
    const result = planAliases(aliasSection({ other: 'a@x.example' }), {
      Sales: 'a@x.example',
      sales: 'b@x.example',
    });
    expect(result.changes).toEqual([]);
    expect(result.withheld).toMatchObject([{ domain: ACME, cause: 'unproven', part: 'domain' }]);
    expect(result.withheld[0]?.reason).toBe(
      'two live aliases have the name "sales": ids 1 and 2; delete one of them',
    );
  });

  test('a change carries ids, both states and its place', () => {
    const result = planAliases(aliasSection({ sales: 'b@x.example' }), { Sales: 'a@x.example' });
    expect(result.changes).toEqual([
      {
        kind: 'alias',
        action: 'update',
        domain: ACME,
        name: 'Sales',
        id: '1',
        observed: { forward: ['a@x.example'] },
        desired: { forward: ['b@x.example'] },
        fields: ['forward'],
        stage: 1,
        conditional: false,
        reason: 'manifest',
        source: { file: 'fwdsync.yaml', line: 10, column: 1 },
      },
    ]);
  });

  test('a delete carries the place of the entry that asks for it, or none', () => {
    const deleted = {
      kind: 'alias',
      action: 'delete',
      domain: ACME,
      name: 'Fax',
      id: '1',
      observed: { forward: ['a@x.example'] },
      desired: null,
      fields: [],
      stage: 2,
      conditional: false,
    };
    const rows = { Fax: 'a@x.example' };
    const place = { file: 'fwdsync.yaml', line: 10, column: 1 };
    expect(planAliases(aliasSection({ fax: false }), rows).changes).toEqual([
      { ...deleted, reason: 'absent', source: place },
    ]);
    expect(planAliases(aliasSection({}, { prune: true }), rows).changes).toEqual([
      { ...deleted, reason: 'prune', source: null },
    ]);
  });

  test('counts: the domain, its aliases, what is ignored', () => {
    const section = aliasSection(
      { a: 'x@x.example', b: 'y@x.example', c: false },
      { ignore: ['t*'], prune: true },
    );
    const rows = {
      a: 'x@x.example',
      b: 'x@x.example',
      c: 'x@x.example',
      old: 'x@x.example',
      tmp: 'x@x.example',
    };
    const result = planAliases(section, rows);
    expect(result.summary).toEqual({
      add: 0,
      update: 1,
      move: 0,
      delete: 2,
      conditional: 0,
      unchanged: 2,
      unmanaged: 1,
      notices: 0,
      silenced: 0,
    });
    expect(result.unchanged.get(ACME)).toBe(2);
  });
});

describe('differences that earlier runs left', () => {
  const wanted = { forward: decodeForward('b@x.example') };
  const key = entryKey('alias', 'Sales');
  const known = signature({ kind: 'alias', state: wanted }, new Map());

  test.each([
    ['the same state was applied', known, 'drift'],
    ['another state was applied', 'other', 'manifest'],
  ])('%s', (_, applied, reason) => {
    const memory = prior(ACME, { applied: new Map([[key, applied]]) });
    const section = aliasSection({ sales: 'b@x.example' });
    expect(brief(planAliases(section, { sales: 'a@x.example' }, { prior: memory }))).toEqual([
      `~alias sales 1 ${reason}`,
    ]);
    expect(brief(planAliases(section, {}, { prior: memory }))).toEqual([`+alias sales 1 ${reason}`]);
  });

  test('a value that the service keeps differently is sent again only when the entry or the live value changes', () => {
    const shown = signature({ kind: 'alias', state: { forward: decodeForward('a@x.example') } }, new Map());
    const memory = prior(ACME, { keptOtherwise: new Map([[key, { sent: known, shown }]]) });
    const same = planAliases(
      aliasSection({ sales: 'b@x.example' }),
      { sales: 'a@x.example' },
      { prior: memory },
    );
    expect([same.changes, codes(same)]).toEqual([[], ['not-kept']]);
    expect(same.warnings[0]?.message).toBe(
      'alias "sales" of acme.example: the service accepted this entry but keeps another value',
    );
    const other = planAliases(
      aliasSection({ sales: 'c@x.example' }),
      { sales: 'a@x.example' },
      { prior: memory },
    );
    expect(brief(other)).toEqual(['~alias sales 1 manifest']);
    const section = aliasSection({ sales: 'b@x.example' });
    expect(brief(planAliases(section, { sales: 'eve@x.example' }, { prior: memory }))).toEqual([
      '~alias sales 1 manifest',
    ]);
    expect(brief(planAliases(section, {}, { prior: memory }))).toEqual(['+alias sales 1 manifest']);
    const kept = planAliases(section, { sales: 'b@x.example' }, { prior: memory });
    expect([kept.changes, codes(kept)]).toEqual([[], []]);
  });

  test('a signature holds no value that came from a reference', () => {
    const references = fromEnvironment({ 'boss@secret.example': 'BOSS' });
    const state = { forward: decodeForward('boss@secret.example,b@x.example') };
    expect(signature({ kind: 'alias', state }, references)).not.toContain('secret');
  });
});

describe('for any two sets of aliases', () => {
  const names = fc.constantFrom('a', 'B', 'c', 'tmp-1', 'tmp-2', '*', 'x', 'Y');
  const forwards = fc.constantFrom('1@x.example', '2@x.example', '1@x.example,2@x.example', 'null');
  const rows = fc.dictionary(names, forwards);
  const entries = fc.dictionary(names, fc.oneof(forwards, fc.constant(false as const)));

  test('applying the plan leaves nothing to plan, and nothing unmanaged is touched', () => {
    fc.assert(
      fc.property(entries, rows, fc.boolean(), (wanted, found, prune) => {
        const section = aliasSection(wanted, { prune, ignore: ['tmp-*'] });
        const result = planAliases(section, found);
        const after = new Map<string, string>(Object.entries(found));
        for (const change of result.changes) {
          if (change.kind !== 'alias') throw new Error('only aliases');
          if (change.desired === null) after.delete(change.name);
          else after.set(change.name, encodeForward(change.desired.forward));
        }
        expect(planAliases(section, Object.fromEntries(after)).changes).toEqual([]);
        for (const text of Object.keys(found)) {
          const managed = !text.startsWith('tmp-') && (prune || text in wanted);
          if (!managed) expect(after.get(text)).toBe(found[text]);
        }
      }),
    );
  });

  test('the plan does not depend on the order of anything', () => {
    fc.assert(
      fc.property(entries, rows, (wanted, found) => {
        const domains = ['b.example', 'a.example', 'c.example'].map((domain) =>
          present(domain, { aliases: aliasSection(wanted, { prune: true }) }),
        );
        const accounts = domains.map(({ domain }) => live(domain, { aliases: liveAliases(found) }));
        const forth = plan(desired(domains), observed(accounts));
        const back = plan(
          desired(domains.toReversed().map((entry) => ({ ...entry, aliases: reversed(entry.aliases) }))),
          observed(
            accounts
              .toReversed()
              .map((entry) => ({ ...entry, aliases: [...(entry.aliases ?? [])].reverse() })),
          ),
        );
        expect(JSON.stringify(back)).toBe(JSON.stringify(forth));
      }),
    );
  });
});

function reversed(section: ReturnType<typeof present>['aliases']) {
  if (section === undefined) throw new Error('there is a section');
  return { ...section, entries: new Map([...section.entries].reverse()) };
}
