import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { addBatch, CONFIGS, useEmptyList } from '../support/empty-domain.ts';
import { assumed, expectV3Failure, useTarget, type Body } from '../support/target.ts';

const rules = useEmptyList(useTarget('v3'), 'rules');
const { batch, live } = rules;
const config = CONFIGS.alias;

function addAll(count: number): Promise<Body[]> {
  return addBatch(
    rules,
    'rules',
    Array.from({ length: count }, () => ({ type: 'alias', config })),
  );
}

describe('v3: Rules: batch create', () => {
  test('200 with added, added_count, failed and failed_count', async () => {
    const rule = { id: randomUUID(), type: 'alias', config, rank: 4, active: false };
    const { status, body } = await batch('POST', { rules: [rule] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ added: [rule], added_count: 1, failed: [], failed_count: 0 });
    expect(await live()).toMatchObject([rule]);
  });

  test('207 when one fails; a failed entry has index, message and errors', async () => {
    const rules = [
      { type: 'alias', config: { alias: 'a', forward: 'nowhere' } },
      { type: 'alias', config },
    ];
    const { status, body } = await batch('POST', { rules });
    expect(status).toBe(207);
    expect(body).toMatchObject({ added_count: 1, failed_count: 1 });
    expect(body.failed).toEqual([
      { index: 0, message: expect.stringContaining('nowhere'), errors: expect.any(Object) },
    ]);
  });
});

describe('v3: Rules: batch update', () => {
  test.each([{ config: { alias: 'hr', forward: 'b@corp.example' } }, { rank: 12.5 }, { active: false }])(
    '%j alone',
    async (fields) => {
      const [rule] = await addAll(1);
      const { status, body } = await batch('PUT', { rules: [{ id: rule.id, ...fields }] });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        updated: [{ id: rule.id, ...fields }],
        updated_count: 1,
        failed_count: 0,
      });
      expect(await live()).toMatchObject([{ id: rule.id, ...fields }]);
    },
  );

  test('207 with "rule not found" for a missing id', async () => {
    const { status, body } = await batch('PUT', { rules: [{ id: randomUUID(), rank: 4 }] });
    expect(status).toBe(207);
    expect(body.failed).toEqual([
      { index: 0, message: expect.stringMatching(/rule not found/i), errors: {} },
    ]);
  });
});

describe('v3: Rules: batch delete', () => {
  test('200 with deleted, deleted_count, failed and failed_count', async () => {
    const [a, b, c] = await addAll(3);
    const { status, body } = await batch('DELETE', { ids: [c.id, a.id] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ deleted: [c.id, a.id], deleted_count: 2, failed: [], failed_count: 0 });
    expect((await live()).map(({ id }) => id)).toEqual([b.id]);
  });

  test('207 when one is missing', async () => {
    const { status, body } = await batch('DELETE', { ids: [randomUUID()] });
    expect(status).toBe(207);
    expect(body).toMatchObject({ deleted: [], deleted_count: 0, failed: [{ index: 0 }], failed_count: 1 });
  });
});

describe('v3: Limits: batch size of rules', () => {
  test('500 items are taken', async () => {
    expect(await addAll(500)).toHaveLength(500);
  });

  test.each([
    ['POST', { rules: Array.from({ length: 501 }, () => ({ type: 'alias', config })) }],
    ['PUT', { rules: Array.from({ length: 501 }, () => ({ id: randomUUID(), rank: 1 })) }],
    ['DELETE', { ids: Array.from({ length: 501 }, () => randomUUID()) }],
  ])('%s of 501 items is refused as a whole', async (method, body) => {
    expectV3Failure(await batch(method, body), assumed(400));
    expect(await live()).toEqual([]);
  });
});
