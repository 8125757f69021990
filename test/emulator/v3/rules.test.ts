import { randomUUID } from 'node:crypto';
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

  test('id, rank and active are kept', async () => {
    const fields = { id: randomUUID(), rank: 2.5, active: false };
    expect(await add(fields)).toMatchObject(fields);
  });

  test('rank defaults to the next largest', async () => {
    await add({ rank: 41.5 });
    expect((await add()).rank).toBeGreaterThan(41.5);
  });

  test.each([
    ['no type', { config: CONFIGS.alias }, 'type'],
    ['no config', { type: 'alias' }, 'config'],
    ['a config of another type', { type: 'cel', config: CONFIGS.alias }, 'config'],
    ['a rank that is text', { type: 'alias', config: CONFIGS.alias, rank: '1' }, 'rank'],
    ['an id that is no UUID', { type: 'alias', config: CONFIGS.alias, id: 'mine' }, 'id'],
  ])('%s is a field error', async (_name, fields, field) => {
    expect(expectV3Failure(await post(fields), 400).errors).toHaveProperty(field);
    expect(await total()).toBe(0);
  });
});

describe('v3: Rules: get', () => {
  test('the rule object, unwrapped', async () => {
    const rule = await add();
    const { status, body } = await target.send('GET', one(rule.id));
    expect(status).toBe(200);
    expect(body).toEqual(rule);
  });

  test('everything about an unknown rule is 404 (field notes)', async () => {
    const path = one(randomUUID());
    expectV3Failure(await target.send('GET', path), assumed(404));
    expectV3Failure(await target.send('PUT', path, { config: CONFIGS.alias }), assumed(404));
    expectV3Failure(await target.send('DELETE', path), assumed(404));
  });

  test('everything in an unknown domain is 404 (field notes)', async () => {
    const unknown = `/domains/${target.freshName()}`;
    const root = `${unknown}/rules`;
    const answers = [
      await target.send('GET', root),
      await target.send('POST', root, { type: 'alias', config: CONFIGS.alias }),
      await target.send('POST', `${root}/batch`, { rules: [] }),
      await target.send('PUT', `${root}/batch`, { rules: [] }),
      await target.send('DELETE', `${root}/batch`, { ids: [] }),
      await target.send('POST', `${root}/bulk`, { rules: [] }),
      await target.send('DELETE', `${unknown}/rules-all?all=true`),
    ];
    for (const answer of answers) expectV3Failure(answer, assumed(404));
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

  test('rank and active that are left out stay', async () => {
    const rule = await add({ rank: 9, active: false });
    const { body } = await target.send('PUT', one(rule.id), { config: CONFIGS.alias });
    expect(body.rule).toMatchObject({ rank: 9, active: false });
  });

  test.each([
    ['no config', { rank: 5 }, 'config'],
    ['the config of another type', { config: CONFIGS.cel }, 'config'],
    ['a rank that is text', { config: CONFIGS.alias, rank: 'first' }, 'rank'],
  ])('%s is a field error and changes nothing', async (_name, fields, field) => {
    const rule = await add();
    const answer = await target.send('PUT', one(rule.id), fields);
    expect(expectV3Failure(answer, 400).errors).toHaveProperty(field);
    expect((await target.send('GET', one(rule.id))).body).toEqual(rule);
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

  test.each(['', '?all=false', '?all=1'])('without the guard (%j) nothing is deleted', async (query) => {
    await add();
    expectV3Failure(await target.send('DELETE', `${rules.root()}/rules-all${query}`), assumed(400));
    expect(await total()).toBe(1);
  });
});
