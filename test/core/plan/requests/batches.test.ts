import { describe, expect, test } from 'vitest';
import {
  requestsOf,
  requestsOfStep,
  type RequestOptions,
  type WriteRequest,
} from '../../../../src/core/plan/requests/requests.ts';
import type { Plan } from '../../../../src/core/model/plan.ts';
import {
  ACME,
  aliasSection,
  credentialSection,
  desired,
  live,
  liveAliases,
  liveTwin,
  name,
  observed,
  plan,
  planAliases,
  planRules,
  present,
  rule,
  ruleSection,
} from '../support/build.ts';
import type { WriteItem } from '../../../../src/core/kinds/steps.ts';
import type { Kind } from '../../../../src/core/model/kinds.ts';

const V4: RequestOptions = { version: 'v4', batches: 'allowed' };

function requestsIn(made: Pick<Plan, 'changes'>, options = V4): readonly WriteRequest[] {
  return requestsOf(made, options).flatMap(({ domains }) => domains.flatMap(({ requests }) => requests));
}

/** An item whose kind alone counts. */
function item(kind: Kind): WriteItem {
  return { change: { kind, name: 'x', domain: ACME }, sent: {} } as unknown as WriteItem;
}

describe('the operations of each step', () => {
  test.each<[string, Kind, string, string]>([
    ['domain-adds', 'domain', 'addDomain', 'addDomain'],
    ['domain-updates', 'domain', 'updateDomain', 'updateDomain'],
    ['credential-adds', 'credential', 'addCredential', 'addCredential'],
    ['credential-updates', 'credential', 'updateCredential', 'updateCredential'],
    ['alias-adds', 'alias', 'addAlias', 'addAliases'],
    ['alias-updates', 'alias', 'updateAlias', 'updateAliases'],
    ['rule-moves', 'rule', 'updateRule', 'updateRules'],
    ['rule-adds', 'rule', 'addRule', 'addRules'],
    ['rule-changes', 'rule', 'updateRule', 'updateRules'],
    ['rule-narrowings', 'rule', 'updateRule', 'updateRules'],
    ['rule-deletes', 'rule', 'deleteRule', 'deleteRules'],
    ['alias-deletes', 'alias', 'deleteAlias', 'deleteAliases'],
    ['credential-deletes', 'credential', 'deleteCredential', 'deleteCredential'],
    ['domain-deletes', 'domain', 'deleteDomain', 'deleteDomain'],
  ])('%s', (step, kind, single, batch) => {
    const one = [item(kind)];
    const two = [item(kind), item(kind)];
    const request = { domain: ACME, step };
    const alone = { ...request, operation: single, items: one };
    expect(requestsOfStep({ ...request, items: one }, V4)).toEqual([alone]);
    const together = [{ ...request, operation: batch, items: two }];
    expect(requestsOfStep({ ...request, items: two }, V4)).toEqual(
      single === batch ? [alone, alone] : together,
    );
  });

  test('domains by their names, with any order of changes; each item with its kind', () => {
    const wanted = ['b.example', 'a.example'].map((domain) =>
      present(domain, {
        aliases: aliasSection({ x: 'x@x.example' }),
        rules: ruleSection([rule('r', 'x@x.example')]),
        credentials: credentialSection({ p: 'password' }),
      }),
    );
    const { changes } = plan(desired(wanted), observed([]));
    const [stage] = requestsOf({ changes: changes.toReversed() }, V4);
    expect(stage?.domains.map(({ domain }) => domain)).toEqual(['a.example', 'b.example']);
    const items = stage?.domains[0]?.requests.map(({ step, items }) => [step, items[0]?.change.kind]);
    expect(items).toEqual([
      ['domain-adds', 'domain'],
      ['credential-adds', 'credential'],
      ['alias-adds', 'alias'],
      ['rule-adds', 'rule'],
    ]);
  });

  test('a rule that moves, and is narrowed only after another domain has left it', () => {
    const match = { type: 'alias', alias: 'z' } as const;
    const hub = name('hub.example');
    const { changes } = plan(
      desired([
        present(ACME, { aliases: aliasSection({ info: false }) }),
        present(hub, {
          rules: ruleSection([
            rule('c', 'x@x.example', { id: 'derived-alias-c', match }),
            rule('a', 'x@x.example'),
            rule('b', 'x@x.example'),
          ]),
        }),
      ]),
      observed([
        live(ACME, {
          aliases: liveAliases({ info: 'c@hub.example', more: 'x@x.example', most: 'x@x.example' }),
        }),
        live(hub, {
          rules: ['a', 'b', 'c'].map((text, index) => liveTwin(text, 10 * (index + 1), 'x@x.example')),
        }),
      ]),
    );
    const stages = requestsOf({ changes }, V4).map(({ stage, domains }) => [
      stage,
      ...domains.flatMap(({ requests }) => requests.map(({ step }) => step)),
    ]);
    expect(stages).toEqual([
      [1, 'rule-moves'],
      [2, 'alias-deletes'],
      [2, 'rule-narrowings'],
    ]);
  });

  test('on v3 an alias whose id is a name as well goes where only ids count', () => {
    const made = planAliases(aliasSection({ '1': 'b@x.example', x: false }), {
      '1': 'a@x.example',
      x: 'a@x.example',
    });
    const operations = (version: 'v3' | 'v4') =>
      requestsIn(made, { version, batches: 'allowed' }).map(({ operation }) => operation);
    expect(operations('v4')).toEqual(['updateAlias', 'deleteAlias']);
    expect(operations('v3')).toEqual(['updateAliases', 'deleteAlias']);
    const twoDigits = planAliases(aliasSection({ '2': 'n@x.example', x: 'b@x.example' }), {
      a: 'a@x.example',
      x: 'a@x.example',
    });
    expect(liveAliases({ a: '', x: '' }).map(({ id }) => id)).toEqual(['1', '2']);
    const named = requestsIn(twoDigits, { version: 'v3', batches: 'allowed' });
    expect(named.map(({ operation }) => operation)).toEqual(['addAlias', 'updateAliases']);
  });
});

describe('batches', () => {
  test('rules that are added go one by one where batches are refused, and only they', () => {
    const entries = ['a', 'b'].map((text) => rule(text, 'x@x.example'));
    const refused = { version: 'v4', batches: 'refused' } as const;
    expect(requestsIn(planRules(entries, []), refused).map(({ operation }) => operation)).toEqual([
      'addRule',
      'addRule',
    ]);
    const gone = planAliases(aliasSection({ a: false, b: false }), { a: 'x@x.example', b: 'x@x.example' });
    expect(requestsIn(gone, refused).map(({ operation }) => operation)).toEqual(['deleteAliases']);
  });

  /** Length of the forwards in bytes with which a body of two aliases has exactly a million bytes. */
  const HALF = 499_873;
  test.each([
    ['x', 1],
    ['\u007f', 1],
    ['\u0080', 2],
    ['\u07ff', 2],
    ['\u0800', 3],
    ['\ud7ff', 3],
    ['\ue000', 3],
    ['\uffff', 3],
    ['\u{10000}', 4],
    ['\u{10ffff}', 4],
  ])('%j counts as %i bytes of a body', (character, bytes) => {
    const forward = character.repeat(Math.floor(HALF / bytes)) + 'x'.repeat(HALF % bytes);
    const sizes = (b: string) =>
      requestsIn(planAliases(aliasSection({ a: forward, b }), {})).map(({ items }) => items.length);
    expect(sizes(forward)).toEqual([2]);
    expect(sizes(`${forward}x`)).toEqual([1, 1]);
  });

  test('the bytes of a rule are those of all that is sent of it', () => {
    const made = (length: number) => {
      const match = { type: 'cel', expression: 'ä'.repeat(length) } as const;
      return requestsIn(planRules([rule('a', 'x@x.example', { match }), rule('b', 'x@x.example')], []));
    };
    const sized = made(0)[0]?.items.reduce(
      (sum, each) => sum + 100 + Buffer.byteLength(JSON.stringify(each.sent)),
      0,
    );
    const room = Math.floor((1_000_000 - (sized ?? 0)) / 2);
    expect(made(room).map(({ items }) => items.length)).toEqual([2]);
    expect(made(room + 1).map(({ items }) => items.length)).toEqual([1, 1]);
  });

  test('deletes of any length of forward are small', () => {
    const long = 'x'.repeat(900_000);
    const made = planAliases(aliasSection({ a: false, b: false }), { a: long, b: long });
    expect(requestsIn(made).map(({ items }) => items.length)).toEqual([2]);
  });

  test('a batch that is full in bytes makes room for the next', () => {
    const forward = 'x'.repeat(400_000);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const made = planAliases(aliasSection(Object.fromEntries(names.map((text) => [text, forward]))), {});
    expect(requestsIn(made).map(({ items }) => items.length)).toEqual([2, 2, 1]);
  });
});
