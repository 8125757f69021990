import { describe, expect, test } from 'vitest';
import { decodeBatch } from '../../src/api/batch.ts';
import { ContradictionError, DecodeError, type Json } from '../../src/api/decode.ts';
import { decodeAlias } from '../../src/api/decode-resources.ts';
import { deletedBatch } from '../../src/api/operations/batches.ts';
import type { DomainName } from '../../src/model/names.ts';
import type { BatchLie } from '../../src/emulator/faults.ts';
import { EMAIL, testAccount } from '../support/account.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
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
function outcomes(json: Json, sent: readonly string[] = NAMES): readonly string[] {
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
  });

  test('names are compared without case, and equal names are told apart by their number', () => {
    expect(outcomes(answer([row('A')], [failure(1)]), ['a', 'a'])).toEqual(['id-A', 'no 1']);
    expect(outcomes(answer([row('a'), { ...row('a'), id: 'second' }], []), ['a', 'a'])).toEqual([
      'id-a',
      'second',
    ]);
  });

  test('messages come from the entry, whatever shape its errors have', () => {
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
  test.each<[string, Json]>([
    ['an index out of range', answer([row('a')], [failure(2)])],
    ['a negative index', answer([row('a')], [failure(-1)])],
    ['a broken index', answer([row('a')], [failure(1.5)])],
    ['an index that is no number', answer([row('a')], [failure('one')])],
    ['an index that is an empty text', answer([row('a')], [failure('')])],
    ['no index', answer([row('a')], [failure(undefined)])],
    ['an index twice', answer([], [failure(0), failure(0)])],
    ['the same index as number and text', answer([], [failure(0), failure('0')])],
    ['an item in both lists', answer([row('a'), row('b')], [failure(1)])],
    ['an item in neither list', answer([row('a')], [])],
    ['an item twice', answer([row('a'), row('a')], [])],
    ['an item that was not sent', answer([row('a'), row('z')], [])],
    ['a count of successes that is too high', answer([row('a'), row('b')], [], { added_count: 3 })],
    ['a count of failures that is too low', answer([row('a')], [failure(1)], { failed_count: 0 })],
  ])('%s is not believed', (_, json) => {
    expect(() => outcomes(json, two)).toThrow(ContradictionError);
  });

  test.each<[string, Json]>([
    ['no list of successes', { added_count: 2, failed: [], failed_count: 0 }],
    ['no list of failures', { added: [row('a'), row('b')], added_count: 2, failed_count: 0 }],
    ['no counts', { added: [row('a'), row('b')], failed: [] }],
    ['a failure that is no object', answer([row('a')], ['b'])],
    ['a success without an id', answer([{ alias: 'a', forward: 'x@corp.example' }, row('b')], [])],
  ])('%s cannot be decoded', (_, json) => {
    expect(() => outcomes(json, two)).toThrow(DecodeError);
  });

  test('deleted ids may be numbers, and UUIDs in other case', () => {
    const json = { deleted: [7, 'AB'], deleted_count: 2, failed: [], failed_count: 0 };
    expect(deletedBatch(['ab', '7'])(json)).toEqual([
      { ok: true, value: undefined },
      { ok: true, value: undefined },
    ]);
  });
});

describe('scenario 20: a service that lies about a batch', () => {
  const items = NAMES.map((alias) => ({
    alias,
    forward: alias === 'c' || alias === 'f' ? 'nonsense' : 'x@corp.example',
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
    expect(await account.client().addAliases(DOMAIN, items)).toMatchObject({
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
      const results = await account.client().addAliases(DOMAIN, items);
      expect(results.ok && results.value.map(({ ok }) => ok)).toEqual(
        NAMES.map((name) => name !== 'c' && name !== 'f'),
      );
    },
  );
});
