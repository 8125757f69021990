import { entryKey } from '../../../../src/core/kinds/item-key.ts';
import { describe, expect, test } from 'vitest';
import type { AliasSection, PresentDomain } from '../../../../src/core/model/desired.ts';
import type { Change } from '../../../../src/core/model/plan.ts';
import { resolveConditional } from '../../../../src/core/kinds/alias/diff-catch-all.ts';
import { signature } from '../../../../src/core/kinds/items.ts';
import {
  ACME,
  aliasSection,
  at,
  brief,
  desired,
  liveAliases,
  name,
  observed,
  plan,
  present,
  prior,
  rule,
  ruleSection,
} from '../support/build.ts';

const NEW = name('new.example');

function planNew(parts: Partial<PresentDomain>, options: Parameters<typeof plan>[2] = {}) {
  return plan(desired([present(NEW, parts)]), observed([]), options);
}

describe('a domain that is added', () => {
  test('with the settings that the manifest states, and no others', () => {
    const settings = {
      notification_email: { value: 'it@x.example', source: at(2) },
      whitelabel: { value: null, source: at(3) },
    };
    expect(planNew({ settings }).changes).toEqual([
      {
        kind: 'domain',
        action: 'add',
        domain: NEW,
        name: NEW,
        id: null,
        observed: null,
        desired: { notification_email: 'it@x.example', whitelabel: null },
        fields: ['notification_email', 'whitelabel'],
        stage: 1,
        conditional: false,
        reason: 'manifest',
        source: at(1),
      },
    ]);
    expect(planNew({}).changes).toMatchObject([{ desired: {}, fields: [] }]);
    expect(planNew({}).withheld).toEqual([]);
  });

  test('with a rule named like its catch-all: only the alias is conditional', () => {
    const rules = ruleSection([rule('*', 'a@x.example', { match: { type: 'alias', alias: 'a' } })]);
    const { changes } = planNew({ aliases: aliasSection({ '*': 'a@x.example' }), rules });
    expect(changes.map(({ kind, conditional }) => [kind, conditional])).toEqual([
      ['domain', false],
      ['alias', true],
      ['rule', false],
    ]);
  });

  test('again, after another user deleted it: drift', () => {
    const wanted = signature({ kind: 'domain', state: {} }, new Map());
    const memory = prior(NEW, { applied: new Map([[entryKey('domain', NEW), wanted]]) });
    expect(planNew({}, { prior: memory }).changes).toMatchObject([{ reason: 'drift' }]);
  });

  test('before its aliases, and nothing of it is unchanged or unmanaged', () => {
    const result = planNew({
      aliases: aliasSection({ info: 'a@x.example' }),
      rules: ruleSection([rule('r', 'a@x.example')]),
    });
    expect(brief(result)).toEqual([
      '+domain new.example 1 manifest',
      '+alias info 1 manifest',
      '+rule r 1 manifest',
    ]);
    expect(result.summary).toMatchObject({ add: 3, unchanged: 0, unmanaged: 0 });
    expect(result.unchanged.get(NEW)).toBe(0);
  });
});

describe('the * that the service may make with a domain', () => {
  test.each<[string, AliasSection | undefined, readonly string[], readonly string[]]>([
    ['named', aliasSection({ '*': 'a@x.example' }), ['+alias *? 1 manifest'], []],
    ['not named, pruned', aliasSection({}, { prune: true }), ['-alias *? 2 prune'], []],
    ['not named, not pruned', aliasSection({}), [], ['default-catch-all']],
    ['aliases not managed', undefined, [], ['default-catch-all']],
    ['absent', aliasSection({ '*': false }), ['-alias *? 2 absent'], []],
    ['pruned and ignored', aliasSection({}, { prune: true, ignore: ['\\*'] }), [], ['default-catch-all']],
    [
      'named beside others',
      aliasSection({ a: 'a@x.example', '*': 'b@x.example' }),
      ['+alias *? 1 manifest', '+alias a 1 manifest'],
      [],
    ],
  ])('%s', (_, aliases, changes, warnings) => {
    const result = planNew(aliases === undefined ? {} : { aliases });
    expect(brief(result).slice(1)).toEqual(changes);
    expect(result.warnings.map(({ code }) => code)).toEqual(warnings);
  });

  test('a rule by the name of * is no alias', () => {
    const result = planNew({ rules: ruleSection([rule('*', 'a@x.example')]) });
    expect(result.changes.map(({ kind, conditional }) => [kind, conditional])).toEqual([
      ['domain', false],
      ['rule', false],
    ]);
  });

  test('a delete that may be needed says so, at the entry that asks for it', () => {
    const change = {
      kind: 'alias',
      action: 'delete',
      domain: NEW,
      name: '*',
      id: null,
      observed: null,
      desired: null,
      fields: [],
      stage: 2,
      conditional: true,
    };
    const absent = planNew({ aliases: aliasSection({ '*': false }) }).changes;
    expect(absent.slice(1)).toEqual([{ ...change, reason: 'absent', source: at(10) }]);
    const pruned = planNew({ aliases: aliasSection({}, { prune: true }) }).changes;
    expect(pruned.slice(1)).toEqual([{ ...change, reason: 'prune', source: null }]);
  });

  test('an unmanaged one is a warning', () => {
    expect(planNew({}).warnings).toEqual([
      {
        code: 'default-catch-all',
        message:
          'new.example is new: the service may create a "*" alias in it, which the manifest does not manage',
        hint: 'add "*" to its aliases, or prune them',
        source: at(1),
      },
    ]);
  });
});

describe('once the domain was added and its aliases were read', () => {
  const add = () => planNew({ aliases: aliasSection({ '*': 'a@x.example' }) }).changes[1] as Change;
  const remove = () => planNew({ aliases: aliasSection({}, { prune: true }) }).changes[1] as Change;
  const made = (forward: string) => liveAliases({ info: 'x@x.example', '*': forward });

  test.each<[string, () => Change, Parameters<typeof resolveConditional>[2], object | null]>([
    ['wanted, not made: added', add, [], {}],
    [
      'wanted, made otherwise: updated',
      add,
      made('b@x.example'),
      { action: 'update', id: '2', observed: { forward: ['b@x.example'] } },
    ],
    ['wanted, made so: nothing', add, made('a@X.example'), null],
    ['unwanted, not made: nothing', remove, liveAliases({ info: 'x@x.example' }), null],
    [
      'unwanted, made: deleted',
      remove,
      made('b@x.example'),
      { id: '2', observed: { forward: ['b@x.example'] } },
    ],
  ])('%s', (_, change, rows, becomes) => {
    const settled = becomes === null ? [] : [{ ...change(), conditional: false, ...becomes }];
    expect(resolveConditional([change()], NEW, rows)).toEqual(settled);
  });

  test('no other change is touched', () => {
    const certain = { ...add(), conditional: false } as Change;
    const elsewhere = { ...add(), domain: ACME } as Change;
    const domain = planNew({}).changes[0] as Change;
    const changes = [certain, elsewhere, domain, { ...domain, conditional: true }];
    expect(resolveConditional(changes, NEW, made('b@x.example'))).toEqual(changes);
  });
});
