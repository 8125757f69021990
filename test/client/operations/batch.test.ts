import { decodeForward } from '../../../src/core/model/destinations.ts';
import { describe, expect, test } from 'vitest';
import { ContradictionError, DecodeError, type Json, objectOf } from '../../../src/core/fields/json.ts';
import { ALIAS_WIRE } from '../../../src/core/kinds/alias/wire.ts';
import type { Call } from '../../../src/client/http/call.ts';
import { decodeBatch, deletedBatch, sendBatch } from '../../../src/client/operations/batch.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import type { BatchLie } from '../../../src/emulator/faults/faults.ts';
import { EMAIL, testAccount } from '../../support/account.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const decodeAlias = (row: unknown) => ALIAS_WIRE.decode(objectOf(row, 'alias'));
const DOMAIN = 'acme.example' as DomainName;

function row(name: string): Json {
  return { id: `id-${name}`, alias: name, forward: 'x@corp.example' };
}

function failure(index: unknown): Json {
  return { index, message: `no ${String(index)}`, errors: {} };
}

function answer(added: readonly unknown[], failed: readonly unknown[], counts: Json = {}): Json {
  return { added, added_count: added.length, failed, failed_count: failed.length, ...counts };
}

/** For each item that was sent: its id, or the message of its failure. */
function outcomes(json: Json | null, sent: readonly string[] = NAMES): readonly string[] {
  return decodeBatch(json, {
    field: 'added',
    decode: decodeAlias,
    sent,
    keyOf: ({ name }) => name.toLowerCase(),
  }).map((result) => (result.ok ? result.value.id : result.error.message));
}

describe('scenario 20: failed entries of a batch', () => {
  test('every subset of a batch of 8 is mapped back, in any order', () => {
    for (let subset = 0; subset < 256; subset += 1) {
      const fails = (index: number): boolean => ((subset >> index) & 1) === 1;
      const added = NAMES.filter((_, index) => !fails(index)).map(row);
      const failed = NAMES.flatMap((_, index) => (fails(index) ? [failure(index)] : []));
      const expected = NAMES.map((name, index) => (fails(index) ? `no ${index}` : `id-${name}`));
      expect(outcomes(answer(added, failed))).toEqual(expected);
      expect(outcomes(answer(added.toReversed(), failed.toReversed()))).toEqual(expected);
    }
  });

  test('an index that is a text is taken as the number it is', () => {
    expect(outcomes(answer([row('a')], [failure('1')]), ['a', 'b'])).toEqual(['id-a', 'no 1']);
    const eleven = Array.from({ length: 11 }, (_, index) => `n${index}`);
    expect(outcomes(answer(eleven.slice(0, 10).map(row), [failure('10')]), eleven).at(-1)).toBe('no 10');
  });

  test('names are compared without case, and equal names are told apart by their number', () => {
    expect(outcomes(answer([row('A')], [failure(1)]), ['a', 'a'])).toEqual(['id-A', 'no 1']);
    expect(outcomes(answer([row('a'), { ...row('a'), id: 'second' }], []), ['a', 'a'])).toEqual([
      'id-a',
      'second',
    ]);
  });

  test('messages come from the entry, with any form of its errors', () => {
    const failed = [
      { index: 0, message: 'first', errors: { forward: ['first', 'second'] } },
      { index: 1, errors: { forward: 'as a text' } },
      { index: 2 },
    ];
    const results = decodeBatch(answer([], failed), {
      field: 'added',
      decode: decodeAlias,
      sent: ['a', 'b', 'c'],
      keyOf: ({ name }) => name,
    });
    expect(results).toEqual([
      { ok: false, error: { message: 'first', errors: { forward: ['first', 'second'] } } },
      { ok: false, error: { message: 'as a text', errors: { forward: ['as a text'] } } },
      { ok: false, error: { message: 'no message', errors: {} } },
    ]);
  });

  const two = ['a', 'b'];
  test.each<[string, Json, string]>([
    ['an index out of range', answer([row('a')], [failure(2)]), 'failed names the index 2 of 2 items'],
    ['a negative index', answer([row('a')], [failure(-1)]), 'failed names the index -1 of 2 items'],
    ['a broken index', answer([row('a')], [failure(1.5)]), 'failed names the index 1.5 of 2 items'],
    ['an index in words', answer([row('a')], [failure('one')]), 'failed names the index "one" of 2 items'],
    ['an index with a space', answer([row('a')], [failure(' 1')]), 'failed names the index " 1" of 2 items'],
    ['an index in a list', answer([row('a')], [failure([1])]), 'failed names the index [1] of 2 items'],
    ['an empty index', answer([row('b')], [failure('')]), 'failed names the index "" of 2 items'],
    ['no index', answer([row('a')], [failure(undefined)]), 'failed names the index undefined of 2 items'],
    ['an index twice', answer([], [failure(0), failure(0)]), 'failed names the index 0 twice'],
    ['an index as number and text', answer([], [failure(0), failure('0')]), 'failed names the index 0 twice'],
    [
      'an item in both lists',
      answer([row('a'), row('b')], [failure(1)]),
      'added holds b, which was not sent or failed as well',
    ],
    ['an item in neither list', answer([row('a')], []), 'b (index 1) is in neither list'],
    [
      'an item twice',
      answer([row('a'), row('a')], []),
      'added holds a, which was not sent or failed as well',
    ],
    [
      'an item that was not sent',
      answer([row('a'), row('z')], []),
      'added holds z, which was not sent or failed as well',
    ],
    [
      'a count of successes that is too high',
      answer([row('a'), row('b')], [], { added_count: 3 }),
      'added_count is 3, and added holds 2',
    ],
    [
      'a count of failures that is too low',
      answer([row('a')], [failure(1)], { failed_count: 0 }),
      'failed_count is 0, and failed holds 1',
    ],
  ])('%s is not believed', (_, json, message) => {
    expect(() => outcomes(json, two)).toThrow(new ContradictionError(message));
  });

  test.each<[string, Json | null, string]>([
    ['no body', null, 'field added is missing or not an array'],
    [
      'no list of successes',
      { added_count: 2, failed: [], failed_count: 0 },
      'field added is missing or not an array',
    ],
    [
      'no list of failures',
      { added: [row('a'), row('b')], added_count: 2, failed_count: 0 },
      'field failed is missing or not an array',
    ],
    [
      'no count of successes',
      { added: [row('a'), row('b')], failed: [], failed_count: 0 },
      'field added_count is missing or not a count',
    ],
    [
      'no count of failures',
      { added: [row('a'), row('b')], added_count: 2, failed: [] },
      'field failed_count is missing or not a count',
    ],
    ['a failure that is no object', answer([row('a')], ['b']), 'an entry of failed is not an object'],
    [
      'a success without an id',
      answer([{ alias: 'a', forward: 'x@corp.example' }, row('b')], []),
      'field id is missing or not an id',
    ],
  ])('%s cannot be decoded', (_, json, message) => {
    expect(() => outcomes(json, two)).toThrow(new DecodeError(message));
  });

  describe('values that came back under another key than was sent', () => {
    /** The keys sent begin with the forward by which a value is recognised. */
    const recognised = (json: Json, sent: readonly string[]): readonly string[] =>
      decodeBatch(json, {
        field: 'added',
        decode: decodeAlias,
        sent,
        keyOf: ({ name }) => name,
        matches: (index, { forward }) => sent[index]?.startsWith(forward.join()) === true,
      }).map((result) => (result.ok ? result.value.id : result.error.message));
    const under = (name: string, forward: string): Json => ({ ...row(name), forward });

    test('each is the first item that it matches and that no other is', () => {
      const added = [
        under('new1', 'y@x.example'),
        under('new2', 'x@x.example'),
        under('new3', 'x@x.example'),
      ];
      const sent = ['x@x.example 1', 'y@x.example', 'x@x.example 2'];
      expect(recognised(answer(added, []), sent)).toEqual(['id-new2', 'id-new1', 'id-new3']);
    });

    test('an exact key comes before a match', () => {
      const added = [under('new', 'x@x.example'), { ...under('x@x.example 1', 'x@x.example'), id: 'exact' }];
      const sent = ['x@x.example 1', 'x@x.example 2'];
      expect(recognised(answer(added, []), sent)).toEqual(['exact', 'id-new']);
    });

    test('a failed entry matches nothing', () => {
      const json = answer([under('new', 'x@x.example')], [failure(0)]);
      expect(() => recognised(json, ['x@x.example 1', 'y@x.example'])).toThrow(
        new ContradictionError('added holds new, which was not sent or failed as well'),
      );
    });
  });

  test('a deleted item is named by its id', () => {
    const json = { deleted: [{ id: 'a' }], deleted_count: 1, failed: [], failed_count: 0 };
    const expected = new DecodeError('field deleted contains a value that is not an id');
    expect(() => deletedBatch(['a'])(json)).toThrow(expected);
  });

  test('deleted ids may be numbers, and UUIDs in other case', () => {
    const json = { deleted: [7, 'AB'], deleted_count: 2, failed: [], failed_count: 0 };
    expect(deletedBatch(['ab', '7'])(json)).toEqual([
      { ok: true, value: undefined },
      { ok: true, value: undefined },
    ]);
  });
});

describe('the content of a batch', () => {
  const endpoint = { method: 'POST', template: '/domains/:domain/aliases/batch' } as const;
  /** The bodies that a call is asked to send. */
  async function bodies(items: readonly (string | Json)[]): Promise<readonly unknown[]> {
    const asked: unknown[] = [];
    const call: Call = async ({ body, successFlag }) => {
      asked.push([Object.keys(body ?? {}), successFlag]);
      return { ok: true, value: [] as never };
    };
    const answered = await sendBatch(call, endpoint, DOMAIN, { aliases: items }, () => []);
    expect(answered).toEqual({ ok: true, value: [] });
    return asked;
  }

  function many(count: number): readonly Json[] {
    return Array.from({ length: count }, () => ({ alias: 'a' }));
  }

  test.each([
    [0, []],
    [1, [[['aliases'], 'ignored']]],
    [500, [[['aliases'], 'ignored']]],
  ])('%i items', async (count, expected) => {
    expect(await bodies(many(count))).toEqual(expected);
  });

  test.each<[string | Json]>([[''], [{ id: '', forward: 'x@corp.example' }]])(
    'nothing by an empty id, such as %j, which could be more than one item',
    async (item) => {
      await expect(bodies(['7', item])).rejects.toThrow('has an empty id');
    },
  );

  test('no more than the service takes', async () => {
    await expect(bodies(many(501))).rejects.toThrow('a batch of 501 items is over 500');
  });
});

describe('scenario 20: a service that lies about a batch', () => {
  const items = NAMES.map((name) => ({
    name,
    forward: decodeForward(name === 'c' || name === 'f' ? 'nonsense' : 'x@corp.example'),
  }));

  test.each<[BatchLie]>([
    ['repeated-index'],
    ['index-out-of-range'],
    ['wrong-counts'],
    ['in-both'],
    ['in-neither'],
  ])('%s: the outcome is unknown', async (lie) => {
    const account = await testAccount({ account: { email: EMAIL }, domains: [{ domain: DOMAIN }] });
    account.emulator.faults.push({ match: { method: 'POST' }, do: { kind: 'fail-items', lies: [lie] } });
    expect(await account.client().items('alias').addAll(DOMAIN, items)).toMatchObject({
      ok: false,
      error: {
        kind: 'unknown-outcome',
        cause: 'contradictory',
        endpoint: 'POST /domains/:domain/aliases/batch',
      },
    });
    expect(account.writes()).toHaveLength(1);
  });

  test.each<[BatchLie]>([['shuffled'], ['index-as-string']])(
    '%s: the right items are reported',
    async (lie) => {
      const account = await testAccount({ account: { email: EMAIL }, domains: [{ domain: DOMAIN }] });
      account.emulator.faults.push({ match: { method: 'POST' }, do: { kind: 'fail-items', lies: [lie] } });
      const results = await account.client().items('alias').addAll(DOMAIN, items);
      expect(results.ok && results.value.map(({ ok }) => ok)).toEqual(
        NAMES.map((name) => name !== 'c' && name !== 'f'),
      );
    },
  );
});
