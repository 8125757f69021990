import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { addBatch, CONFIGS, useEmptyList } from '../support/empty-domain.ts';
import { assumed, useTarget, VERSIONS, type Body } from '../support/target.ts';

const config = CONFIGS.alias;

/** Batches return rules in the form of v4, with both versions (v3: Resources). */
describe.each(VERSIONS)('%s: Rules', (version) => {
  const target = useTarget(version);
  const rules = useEmptyList(target, 'rules');
  const { batch, live } = rules;

  function addAll(count: number): Promise<Body[]> {
    return addBatch(
      rules,
      'rules',
      Array.from({ length: count }, () => ({ type: 'alias', config })),
    );
  }

  async function stored(): Promise<Body[]> {
    return (await target.v4('GET', `${rules.root()}/rules?limit=100`)).body.rules;
  }

  describe('batch create', () => {
    test('200 with added, added_count, failed and failed_count', async () => {
      const id = randomUUID();
      const rule = { id, type: 'alias', config, rank: 4, active: false };
      const { status, body } = await batch('POST', { rules: [rule] });
      expect(status).toBe(200);
      expect(body).toEqual({
        added: [expect.objectContaining(rule)],
        added_count: 1,
        failed: [],
        failed_count: 0,
      });
      expect(await live()).toMatchObject([rule]);
      expect(await stored()).toEqual(body.added);
    });

    test('the three types in one batch, in the order sent', async () => {
      const { body } = await batch('POST', {
        rules: [
          { type: 'cel', config: { expression: 'true', forward: config.forward } },
          { type: 'regex', config: { regex: 'x', scopes: ['body'], forward: config.forward } },
          { type: 'alias', config },
        ],
      });
      expect(body.added.map((rule: Body) => rule.type)).toEqual(['cel', 'regex', 'alias']);
    });

    test('without ranks they come in the order sent', async () => {
      const added = await addAll(5);
      expect((await live()).map((rule) => rule.id)).toEqual(added.map((rule) => rule.id));
    });

    test('207 when one fails; the others are added', async () => {
      const { status, body } = await batch('POST', {
        rules: [
          { type: 'alias', config: { alias: 'a', forward: 'nowhere' } },
          { type: 'alias', config },
        ],
      });
      expect(status).toBe(207);
      expect(body).toMatchObject({ added_count: 1, failed_count: 1 });
      expect(body.failed).toEqual([
        { index: 0, message: expect.stringContaining('invalid forward address'), errors: expect.any(Object) },
      ]);
    });

    test.each([
      ['null', null],
      ['an empty object', {}],
      ['an unknown type', { type: 'x', config }],
      ['no config', { type: 'alias' }],
      ['an id that is no UUID', { type: 'alias', config, id: '7' }],
    ])('an item that is %s fails alone', async (_name, item) => {
      const { status, body } = await batch('POST', { rules: [item, { type: 'alias', config }] });
      expect(status).toBe(207);
      expect(body).toMatchObject({ added_count: 1, failed: [{ index: 0 }] });
    });
  });

  describe('batch update', () => {
    test.each([
      ['config', { config: { alias: 'hr', forward: 'b@corp.example' } }],
      ['rank', { rank: 12.5 }],
      ['active', { active: false }],
    ])('%s alone', async (_name, fields) => {
      const [rule] = await addAll(1);
      await target.passSecond();
      const { status, body } = await batch('PUT', { rules: [{ id: rule.id, ...fields }] });
      expect(status).toBe(200);
      expect(body).toEqual({
        updated: [{ ...rule, ...fields, updated_at: expect.any(String) }],
        updated_count: 1,
        failed: [],
        failed_count: 0,
      });
      expect(body.updated[0].updated_at > rule.updated_at).toBe(true);
    });

    test('a missing id fails with "rule not found"', async () => {
      const [rule] = await addAll(1);
      const { status, body } = await batch('PUT', {
        rules: [
          { id: rule.id, rank: 3 },
          { id: randomUUID(), rank: 4 },
        ],
      });
      expect(status).toBe(207);
      expect(body.updated_count).toBe(1);
      expect(body.failed).toEqual([
        { index: 1, message: expect.stringMatching(/rule not found/i), errors: {} },
      ]);
    });

    test('ranks may be swapped in one batch', async () => {
      const [first, second] = await addAll(2);
      await batch('PUT', {
        rules: [
          { id: first.id, rank: second.rank },
          { id: second.id, rank: first.rank },
        ],
      });
      expect((await live()).map((rule) => rule.id)).toEqual([second.id, first.id]);
    });

    test.each([
      ['no id', { rank: 1 }],
      ['a rank that is text', { id: 'ID', rank: '1' }],
      ['a config of another type', { id: 'ID', config: { expression: 'true', forward: 'x@corp.example' } }],
      ['null', null],
    ])('%s fails alone and changes nothing', async (_name, item) => {
      const [rule] = await addAll(1);
      const sent = item !== null && 'id' in item ? { ...item, id: rule.id } : item;
      const { status, body } = await batch('PUT', { rules: [sent] });
      expect(status).toBe(207);
      expect(body).toMatchObject({ updated: [], failed: [{ index: 0 }] });
      expect(await stored()).toEqual([rule]);
    });
  });

  describe('batch delete', () => {
    test('200 with deleted, deleted_count, failed and failed_count', async () => {
      const [a, b, c] = await addAll(3);
      const { status, body } = await batch('DELETE', { ids: [c.id, a.id] });
      expect(status).toBe(200);
      expect(body).toEqual({ deleted: [c.id, a.id], deleted_count: 2, failed: [], failed_count: 0 });
      expect(await stored()).toEqual([b]);
    });

    test('a missing id fails with "rule not found"', async () => {
      const id = randomUUID();
      const { status, body } = await batch('DELETE', { ids: [id] });
      expect(status).toBe(207);
      expect(body).toEqual({
        deleted: [],
        deleted_count: 0,
        failed: [{ index: 0, message: expect.stringMatching(/rule not found/i), errors: {} }],
        failed_count: 1,
      });
    });
  });

  describe('batch size', () => {
    test('500 items are taken', async () => {
      const added = await addAll(500);
      const rules = added.map(({ id }) => ({ id, active: false }));
      expect((await batch('PUT', { rules })).body.updated_count).toBe(500);
      const ids = added.map(({ id }) => id);
      expect((await batch('DELETE', { ids })).body.deleted_count).toBe(500);
    });

    test.each([
      ['POST', { rules: Array.from({ length: 501 }, () => ({ type: 'alias', config })) }],
      ['PUT', { rules: Array.from({ length: 501 }, () => ({ id: randomUUID(), rank: 1 })) }],
      ['DELETE', { ids: Array.from({ length: 501 }, () => randomUUID()) }],
    ])('%s of 501 items is refused as a whole', async (method, body) => {
      target.expectFailure(await batch(method, body), assumed(400));
      expect(await live()).toEqual([]);
    });

    test.each([
      ['POST', {}, 'rules'],
      ['PUT', { rules: 'x' }, 'rules'],
      ['DELETE', {}, 'ids'],
    ])('%s of %j is a bad request', async (method, body, field) => {
      expect(target.expectFailure(await batch(method, body), 400).errors).toHaveProperty(field);
    });
  });
});
