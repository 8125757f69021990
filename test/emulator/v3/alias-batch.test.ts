import { describe, expect, test } from 'vitest';
import { addBatch, forward, useEmptyList } from '../support/empty-domain.ts';
import { assumed, expectV3Failure, TIMESTAMP, useTarget, type Body } from '../support/target.ts';

const target = useTarget('v3');
const aliases = useEmptyList(target, 'aliases');
const { batch, live } = aliases;

function addAll(names: readonly string[]): Promise<Body[]> {
  return addBatch(
    aliases,
    'aliases',
    names.map((alias) => ({ alias, forward })),
  );
}

describe('v3: Aliases: batch create', () => {
  test('200 with added, added_count, failed and failed_count', async () => {
    const { status, body } = await batch('POST', { aliases: [{ alias: 'a', forward }] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      added: [{ alias: 'a', forward }],
      added_count: 1,
      failed: [],
      failed_count: 0,
    });
  });

  test('ids are strings and times are those of v4', async () => {
    const [alias] = await addAll(['a']);
    expect(alias).toMatchObject({
      id: expect.any(String),
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
    });
  });

  test('a string id and the integer id of the listing name the same alias', async () => {
    const [alias] = await addAll(['a']);
    expect((await live()).map(({ id }) => id)).toEqual([Number(alias.id)]);
  });

  test('207 when one fails; a failed entry has index, message and errors', async () => {
    const aliases = [
      { alias: 'a', forward },
      { alias: 'b', forward: 'nowhere' },
    ];
    const { status, body } = await batch('POST', { aliases });
    expect(status).toBe(207);
    expect(body.failed).toEqual([
      { index: 1, message: expect.stringContaining('nowhere'), errors: expect.any(Object) },
    ]);
    expect((await live()).map(({ alias }) => alias)).toEqual(['a']);
  });
});

describe('v3: Aliases: batch update', () => {
  test('200 with updated, updated_count, failed and failed_count', async () => {
    const [alias] = await addAll(['a']);
    const { status, body } = await batch('PUT', { aliases: [{ id: alias.id, forward: 'b@corp.example' }] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      updated: [{ id: alias.id, alias: 'a', forward: 'b@corp.example' }],
      updated_count: 1,
      failed: [],
      failed_count: 0,
    });
    expect(await live()).toMatchObject([{ forward: 'b@corp.example' }]);
  });

  test('207 with the index of a missing id', async () => {
    const { status, body } = await batch('PUT', { aliases: [{ id: '999999999', forward }] });
    expect(status).toBe(207);
    expect(body).toMatchObject({ updated_count: 0, failed: [{ index: 0, errors: {} }], failed_count: 1 });
  });
});

describe('v3: Aliases: batch delete', () => {
  test('200 with deleted, deleted_count, failed and failed_count', async () => {
    const [a, b] = await addAll(['a', 'b', 'c']);
    const { status, body } = await batch('DELETE', { ids: [b.id, a.id] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ deleted: [b.id, a.id], deleted_count: 2, failed: [], failed_count: 0 });
    expect((await live()).map(({ alias }) => alias)).toEqual(['c']);
  });

  test('the integer id of the listing, as a string', async () => {
    await target.send('POST', `${aliases.root()}/aliases`, { alias: 'a', forward });
    const [{ id }] = (await live()) as [Body];
    expect((await batch('DELETE', { ids: [String(id)] })).body.deleted_count).toBe(1);
    expect(await live()).toEqual([]);
  });

  test('207 when one is missing: "alias not found" (field notes)', async () => {
    const [a] = await addAll(['a']);
    const { status, body } = await batch('DELETE', { ids: ['999999999', a.id] });
    expect(status).toBe(207);
    expect(body).toMatchObject({ deleted: [a.id], deleted_count: 1, failed_count: 1 });
    expect(body.failed).toEqual([
      { index: 0, message: expect.stringMatching(/alias not found/i), errors: {} },
    ]);
  });
});

describe('v3: Limits: batch size of aliases', () => {
  const many = Array.from({ length: 501 }, (_, index) => ({ alias: `n${index}`, forward }));

  test('500 items are taken', async () => {
    const { status, body } = await batch('POST', { aliases: many.slice(1) });
    expect(status).toBe(200);
    expect(body.added_count).toBe(500);
  });

  test.each([
    ['POST', { aliases: many }],
    ['PUT', { aliases: many.map((_, index) => ({ id: String(index), forward })) }],
    ['DELETE', { ids: many.map((_, index) => String(index)) }],
  ])('%s of 501 items is refused as a whole', async (method, body) => {
    expectV3Failure(await batch(method, body), assumed(400));
    expect(await live()).toEqual([]);
  });

  test.each([
    ['POST', {}, 'aliases'],
    ['PUT', { aliases: 'x' }, 'aliases'],
    ['DELETE', { ids: null }, 'ids'],
  ])('%s of %j is a bad request', async (method, body, field) => {
    expect(expectV3Failure(await batch(method, body), 400).errors).toHaveProperty(field);
  });
});
