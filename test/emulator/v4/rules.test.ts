import { describe, expect, test } from 'vitest';
import { addRule, CONFIGS, useEmptyList } from '../support/empty-domain.ts';
import { assumed, expectFailure, TIMESTAMP, useTarget, UUID, type Body } from '../support/target.ts';

const target = useTarget();
const rules = useEmptyList(target, 'rules');
const { post, one, total } = rules;
const add = (fields?: Readonly<Record<string, unknown>>): Promise<Body> => addRule(rules, fields);

describe('v4: Rules: add', () => {
  test.each(Object.entries(CONFIGS))(
    'a rule of type %s has the fields of the table and no other',
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
          created_at: expect.stringMatching(TIMESTAMP),
          updated_at: expect.stringMatching(TIMESTAMP),
        },
      });
    },
  );
});

describe('v4: Rules: update, delete', () => {
  test('update of config, rank and active gives a new updated_at', async () => {
    const rule = await add();
    await target.passSecond();
    const fields = { config: { alias: 'careers', forward: 'b@corp.example' }, rank: 77.5, active: false };
    const { status, body } = await target.send('PUT', one(rule.id), fields);
    expect(status).toBe(200);
    expect(body.rule).toEqual({ ...rule, ...fields, updated_at: expect.any(String) });
    expect(body.rule.updated_at > rule.updated_at).toBe(true);
    expect((await target.send('GET', one(rule.id))).body).toEqual(body);
  });

  test('delete is 204 without body, and the rule is gone', async () => {
    const { id } = await add();
    expect(await target.send('DELETE', one(id))).toMatchObject({ status: 204, body: undefined });
    expectFailure(await target.send('GET', one(id)), assumed(404));
    expect(await total()).toBe(0);
  });
});

describe('v4: Rules: delete all', () => {
  test('it gives the number removed', async () => {
    await add();
    await add();
    const { status, body } = await target.send('DELETE', `${rules.root()}/rules?all=true`);
    expect(status).toBe(200);
    expect(body).toEqual({ deleted: 2 });
    expect(await total()).toBe(0);
  });
});
