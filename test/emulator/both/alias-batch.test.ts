import { describe, expect, test } from 'vitest';
import { addBatch, forward, useEmptyList } from '../support/empty-domain.ts';
import { assumed, TIMESTAMP, useTarget, VERSIONS, type Body } from '../support/target.ts';

/** Batches return aliases in the form of v4, with both versions (v3: Resources). */
describe.each(VERSIONS)('%s: Aliases', (version) => {
  const target = useTarget(version);
  const aliases = useEmptyList(target, 'aliases');
  const { batch, live } = aliases;

  function addAll(names: readonly string[]): Promise<Body[]> {
    return addBatch(
      aliases,
      'aliases',
      names.map((alias) => ({ alias, forward })),
    );
  }

  async function liveNames(): Promise<string[]> {
    return (await live()).map((item: { alias: string }) => item.alias);
  }

  describe('batch create', () => {
    test('200 with added, added_count, failed and failed_count', async () => {
      const { status, body } = await batch('POST', { aliases: [{ alias: 'a', forward }] });
      expect(status).toBe(200);
      expect(body).toEqual({
        added: [
          {
            id: expect.any(String),
            alias: 'a',
            forward,
            created_at: expect.stringMatching(TIMESTAMP),
            updated_at: expect.stringMatching(TIMESTAMP),
          },
        ],
        added_count: 1,
        failed: [],
        failed_count: 0,
      });
    });

    test('the added are whole aliases, in the order sent', async () => {
      const added = await addAll(['c', 'a', 'b']);
      expect(added.map((item) => item.alias)).toEqual(['c', 'a', 'b']);
      const { body } = await target.v4('GET', `${aliases.root()}/aliases/${added[0].id}`);
      expect(body.alias).toEqual(added[0]);
    });

    test('207 when one fails; the others are added', async () => {
      const { status, body } = await batch('POST', {
        aliases: [
          { alias: 'a', forward },
          { alias: 'b', forward: 'nowhere' },
          { alias: 'c', forward },
        ],
      });
      expect(status).toBe(207);
      expect(body).toMatchObject({ added_count: 2, failed_count: 1 });
      expect(await liveNames()).toEqual(['a', 'c']);
    });

    test('207 when all fail', async () => {
      const { status, body } = await batch('POST', { aliases: [{ alias: 'b', forward: 'nowhere' }] });
      expect(status).toBe(207);
      expect(body).toMatchObject({ added: [], added_count: 0, failed_count: 1 });
    });

    test('a failed entry has index, message and errors, and does not echo the item', async () => {
      const { body } = await batch('POST', {
        aliases: [
          { alias: 'a', forward },
          { alias: 'b', forward: 'nowhere' },
        ],
      });
      expect(body.failed).toEqual([
        { index: 1, message: expect.stringContaining('nowhere'), errors: expect.any(Object) },
      ]);
    });

    test('the message of an invalid forward names the address', async () => {
      const { body } = await batch('POST', { aliases: [{ alias: 'b', forward: `${forward},nowhere` }] });
      expect(body.failed[0].message).toContain('invalid forward address');
      expect(body.failed[0].message).toContain('nowhere');
    });

    test('an alias that exists fails', async () => {
      await addAll(['a']);
      const { status, body } = await batch('POST', { aliases: [{ alias: 'a', forward }] });
      expect(status).toBe(207);
      expect(body.failed[0].errors).toHaveProperty('alias');
    });

    test('the second of two equal ones fails', async () => {
      const { body } = await batch('POST', {
        aliases: [
          { alias: 'a', forward },
          { alias: 'a', forward },
        ],
      });
      expect(body).toMatchObject({ added_count: 1, failed: [{ index: 1 }] });
    });

    test.each([
      ['null', null],
      ['a number', 7],
      ['a list', []],
      ['an empty object', {}],
      ['no forward', { alias: 'a' }],
      ['no alias', { forward }],
      ['a number as alias', { alias: 1, forward }],
    ])('an item that is %s fails alone', async (_name, item) => {
      const { status, body } = await batch('POST', { aliases: [item, { alias: 'ok', forward }] });
      expect(status).toBe(207);
      expect(body).toMatchObject({ added_count: 1, failed_count: 1, failed: [{ index: 0 }] });
    });
  });

  describe('batch update', () => {
    test('200 with updated, updated_count, failed and failed_count', async () => {
      const [alias] = await addAll(['a']);
      await target.passSecond();
      const { status, body } = await batch('PUT', { aliases: [{ id: alias.id, forward: 'b@corp.example' }] });
      expect(status).toBe(200);
      expect(body).toEqual({
        updated: [{ ...alias, forward: 'b@corp.example', updated_at: expect.any(String) }],
        updated_count: 1,
        failed: [],
        failed_count: 0,
      });
      expect(body.updated[0].updated_at > alias.updated_at).toBe(true);
    });

    test('a missing id fails with "alias not found"', async () => {
      const [alias] = await addAll(['a']);
      const { status, body } = await batch('PUT', {
        aliases: [
          { id: '999999999', forward },
          { id: alias.id, forward: 'b@corp.example' },
        ],
      });
      expect(status).toBe(207);
      expect(body.updated_count).toBe(1);
      expect(body.failed).toEqual([
        { index: 0, message: expect.stringMatching(/alias not found/i), errors: {} },
      ]);
    });

    test.each([
      ['an id that is a number', { id: 1, forward }],
      ['no id', { forward }],
      ['null', null],
    ])('%s fails alone', async (_name, item) => {
      const { status, body } = await batch('PUT', { aliases: [item] });
      expect(status).toBe(207);
      expect(body).toMatchObject({ updated: [], failed: [{ index: 0 }] });
    });

    test('an invalid forward fails and changes nothing', async () => {
      const [alias] = await addAll(['a']);
      const { body } = await batch('PUT', { aliases: [{ id: alias.id, forward: 'nowhere' }] });
      expect(body.failed[0].errors).toHaveProperty('forward');
      const live = await target.v4('GET', `${aliases.root()}/aliases/${alias.id}`);
      expect(live.body.alias).toEqual(alias);
    });
  });

  describe('batch delete', () => {
    test('200 with deleted, deleted_count, failed and failed_count', async () => {
      const [a, b] = await addAll(['a', 'b', 'c']);
      const { status, body } = await batch('DELETE', { ids: [b.id, a.id] });
      expect(status).toBe(200);
      expect(body).toEqual({ deleted: [b.id, a.id], deleted_count: 2, failed: [], failed_count: 0 });
      expect(await liveNames()).toEqual(['c']);
    });

    test('a missing id fails with "alias not found"', async () => {
      const [a] = await addAll(['a']);
      const { status, body } = await batch('DELETE', { ids: [a.id, '999999999'] });
      expect(status).toBe(207);
      expect(body).toEqual({
        deleted: [a.id],
        deleted_count: 1,
        failed: [{ index: 1, message: expect.stringMatching(/alias not found/i), errors: {} }],
        failed_count: 1,
      });
    });

    test('the second of two equal ids fails', async () => {
      const [a] = await addAll(['a']);
      const { body } = await batch('DELETE', { ids: [a.id, a.id] });
      expect(body).toMatchObject({ deleted: [a.id], failed: [{ index: 1 }] });
    });

    test.each([1, null, {}])('an id of %j fails alone', async (id) => {
      const { status, body } = await batch('DELETE', { ids: [id] });
      expect(status).toBe(207);
      expect(body).toMatchObject({ deleted: [], failed: [{ index: 0 }] });
    });
  });

  describe('batch size', () => {
    const many = (count: number): { alias: string; forward: string }[] =>
      Array.from({ length: count }, (_, index) => ({ alias: `n${index}`, forward }));

    test('500 items are taken', async () => {
      const { status, body } = await batch('POST', { aliases: many(500) });
      expect(status).toBe(200);
      expect(body.added_count).toBe(500);
      const ids: string[] = body.added.map((item: { id: string }) => item.id);
      const updated = await batch('PUT', { aliases: ids.map((id) => ({ id, forward: 'b@corp.example' })) });
      expect(updated.body.updated_count).toBe(500);
      expect((await batch('DELETE', { ids })).body.deleted_count).toBe(500);
    });

    test.each([
      ['POST', { aliases: many(501) }],
      ['PUT', { aliases: many(501).map(({ forward }, index) => ({ id: String(index), forward })) }],
      ['DELETE', { ids: many(501).map((_, index) => String(index)) }],
    ])('%s of 501 items is refused as a whole', async (method, body) => {
      target.expectFailure(await batch(method, body), assumed(400));
      expect(await liveNames()).toEqual([]);
    });

    test.each([
      ['POST', {}],
      ['POST', { aliases: 'x' }],
      ['POST', { aliases: { 0: {} } }],
      ['PUT', {}],
      ['PUT', { aliases: null }],
      ['DELETE', {}],
      ['DELETE', { ids: '1' }],
      ['DELETE', []],
    ])('%s of %j is a bad request', async (method, body) => {
      target.expectFailure(await batch(method, body), 400);
    });

    test.each([
      ['POST', { aliases: [] }, 'added_count'],
      ['PUT', { aliases: [] }, 'updated_count'],
      ['DELETE', { ids: [] }, 'deleted_count'],
    ])('%s of nothing does nothing', async (method, body, count) => {
      const answer = await batch(method, body);
      expect(answer.status).toBe(200);
      expect(answer.body[count]).toBe(0);
    });
  });
});
