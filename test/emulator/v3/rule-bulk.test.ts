import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { assumed, expectV3Failure, useTarget, type Answer, type Body } from '../support/target.ts';

const target = useTarget('v3');
const config = { alias: 'jobs', forward: 'ana@corp.example' };
const changed = { alias: 'careers', forward: 'ben@corp.example' };
let domain = '';

beforeEach(async () => {
  domain = await target.emptyDomain();
});

function bulk(body: unknown): Promise<Answer> {
  return target.send('POST', `/domains/${domain}/rules/bulk`, body);
}

async function addAll(count: number): Promise<Body[]> {
  const { status, body } = await bulk({
    rules: Array.from({ length: count }, () => ({ type: 'alias', config })),
  });
  expect(status).toBe(200);
  expect(body.errors).toEqual([]);
  return body.results.map((result: Body) => result.rule);
}

async function live(): Promise<Body[]> {
  return (await target.send('GET', `/domains/${domain}/rules`)).body.rules;
}

describe('v3: Rules: bulk add', () => {
  test.each([{ behavior: 'add' }, {}])('%j: errors, results and success', async (options) => {
    const rule = { id: randomUUID(), type: 'alias', config, rank: 3, active: false };
    const { status, body } = await bulk({ rules: [rule], ...options });
    expect(status).toBe(200);
    expect(body).toEqual({
      errors: [],
      results: [{ operation: 'add', rule: expect.objectContaining(rule), success: true }],
      success: true,
    });
  });

  test('the rules are those of the listing', async () => {
    const added = await addAll(2);
    expect(await live()).toEqual(added);
  });

  test('an item that fails is in errors and does not fail the request', async () => {
    const rules = [
      { type: 'alias', config: { ...config, forward: 'nowhere' } },
      { type: 'alias', config },
    ];
    const { status, body } = await bulk({ rules });
    expect(status).toBe(200);
    expect(body.errors).toHaveLength(1);
    expect(body.results.filter((result: Body) => result.success)).toHaveLength(1);
    expect(await live()).toHaveLength(1);
  });

  test.each([null, 7, [], {}, { type: 'x', config }, { type: 'alias' }])('%j fails alone', async (item) => {
    const { status, body } = await bulk({ rules: [item, { type: 'alias', config }] });
    expect(status).toBe(200);
    expect(body.errors).toHaveLength(1);
    expect(await live()).toHaveLength(1);
  });
});

describe('v3: Rules: bulk update', () => {
  test('an item needs id and config', async () => {
    const [rule] = await addAll(1);
    const { status, body } = await bulk({ rules: [{ id: rule.id, config: changed }], behavior: 'update' });
    expect(status).toBe(200);
    expect(body).toEqual({
      errors: [],
      results: [{ operation: 'update', rule: { ...rule, config: changed }, success: true }],
      success: true,
    });
    expect(await live()).toEqual([{ ...rule, config: changed }]);
  });

  test('rank and active may be there too', async () => {
    const [rule] = await addAll(1);
    const fields = { id: rule.id, config, rank: 9.5, active: false };
    await bulk({ rules: [fields], behavior: 'update' });
    expect(await live()).toMatchObject([fields]);
  });

  test.each([
    ['no id', { config: changed }],
    ['no config', { id: 'ID', rank: 4 }],
    ['a config of another type', { id: 'ID', config: { expression: 'true', forward: 'x@corp.example' } }],
    ['an unknown id', { id: '99999999-2222-5333-8444-555555555555', config: changed }],
    ['null', null],
  ])('%s fails alone and changes nothing', async (_name, item) => {
    const [rule] = await addAll(1);
    const sent = item !== null && 'id' in item && item.id === 'ID' ? { ...item, id: rule.id } : item;
    const { status, body } = await bulk({ rules: [sent], behavior: 'update' });
    expect(status).toBe(200);
    expect(body.errors).toHaveLength(1);
    expect(await live()).toEqual([rule]);
  });
});

describe('v3: Rules: bulk delete', () => {
  test('an item needs only id', async () => {
    const [a, b] = await addAll(2);
    const { status, body } = await bulk({ rules: [{ id: a.id }], behavior: 'delete' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      errors: [],
      results: [{ operation: 'delete', success: true }],
      success: true,
    });
    expect(await live()).toEqual([b]);
  });

  test.each([null, {}, { id: 7 }, { id: '99999999-2222-5333-8444-555555555555' }])(
    '%j fails alone',
    async (item) => {
      const rules = await addAll(1);
      const { status, body } = await bulk({ rules: [item], behavior: 'delete' });
      expect(status).toBe(200);
      expect(body.errors).toHaveLength(1);
      expect(await live()).toEqual(rules);
    },
  );
});

describe('v3: Rules: bulk requests that are refused', () => {
  test.each([
    ['no rules', {}, 'rules'],
    ['rules that are no array', { rules: {} }, 'rules'],
    ['an unknown behavior', { rules: [], behavior: 'replace' }, 'behavior'],
    ['a behavior that is no string', { rules: [], behavior: [] }, 'behavior'],
  ])('%s is a field error', async (_name, body, field) => {
    expect(expectV3Failure(await bulk(body), 400).errors).toHaveProperty(field);
  });
});

describe('v3: Limits: bulk size of rules', () => {
  test('500 items are taken, 501 are refused as a whole', async () => {
    expect(await addAll(500)).toHaveLength(500);
    const rules = Array.from({ length: 501 }, () => ({ type: 'alias', config }));
    expectV3Failure(await bulk({ rules }), assumed(400));
    expect((await target.send('GET', `/domains/${domain}/rules`)).body.total).toBe(500);
  });
});
