import { describe, expect, test } from 'vitest';
import { addRule, CONFIGS, useEmptyList } from '../support/empty-domain.ts';
import { assumed, expectV3Failure, useTarget, UUID, type Body } from '../support/target.ts';

const target = useTarget('v3');
const rules = useEmptyList(target, 'rules');
const { post, one, total } = rules;
const add = (fields?: Readonly<Record<string, unknown>>): Promise<Body> => addRule(rules, fields);

describe('v3: Rules: add', () => {
  test.each(Object.entries(CONFIGS))(
    'type %s: rule with the fields of v3, and success',
    async (type, config) => {
      const { status, body } = await post({ type, config });
      expect(status).toBe(200);
      expect(body).toEqual({
        rule: {
          id: expect.stringMatching(UUID),
          type,
          config,
          rank: expect.any(Number),
          active: true,
          created: expect.any(Number),
        },
        success: true,
      });
    },
  );

  test('created is in epoch milliseconds or, as in some samples, in seconds', async () => {
    const { id, created } = await add();
    const v4 = (await target.v4('GET', one(id))).body.rule;
    const seconds = created < 1e11 ? created : Math.floor(created / 1000);
    expect(Number.isInteger(created)).toBe(true);
    expect(seconds).toBe(Date.parse(v4.created_at) / 1000);
  });
});

describe('v3: Rules: get', () => {
  test('the rule object, unwrapped', async () => {
    const rule = await add();
    const { status, body } = await target.send('GET', one(rule.id));
    expect(status).toBe(200);
    expect(body).toEqual(rule);
  });
});

describe('v3: Rules: update', () => {
  test('config, rank and active', async () => {
    const rule = await add();
    const fields = { config: { alias: 'careers', forward: 'b@corp.example' }, rank: 77.5, active: false };
    const { status, body } = await target.send('PUT', one(rule.id), fields);
    expect(status).toBe(200);
    expect(body).toEqual({ rule: { ...rule, ...fields }, success: true });
    expect((await target.send('GET', one(rule.id))).body).toEqual(body.rule);
  });
});

describe('v3: Rules: delete', () => {
  test('200 with success alone, and the rule is gone', async () => {
    const { id } = await add();
    const { status, body } = await target.send('DELETE', one(id));
    expect(status).toBe(200);
    expect(body).toEqual({ success: true });
    expectV3Failure(await target.send('GET', one(id)), assumed(404));
  });
});

describe('v3: Rules: delete all', () => {
  test('it leaves nothing, and says how many there were or that it went well', async () => {
    await add();
    await add();
    const { status, body } = await target.send('DELETE', `${rules.root()}/rules-all?all=true`);
    expect(status).toBe(200);
    expect(body.deleted === 2 || body.success === true).toBe(true);
    expect(await total()).toBe(0);
  });
});
