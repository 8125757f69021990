import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { addRule, CONFIGS, forward, useEmptyList } from '../support/empty-domain.ts';
import { assumed, useTarget, VERSIONS, type Body } from '../support/target.ts';

describe.each(VERSIONS)('%s: Rules', (version) => {
  const target = useTarget(version);
  const rules = useEmptyList(target, 'rules');
  const { post, one, total } = rules;
  const everything = version === 'v4' ? '' : '-all';

  function add(fields?: Readonly<Record<string, unknown>>): Promise<Body> {
    return addRule(rules, fields);
  }

  async function get(id: string): Promise<Body> {
    const { body } = await target.send('GET', one(id));
    return version === 'v4' ? body.rule : body;
  }

  describe('add', () => {
    test('an id that is sent is kept', async () => {
      const id = randomUUID();
      expect((await add({ id })).id).toBe(id);
    });

    test('active may be false', async () => {
      expect((await add({ active: false })).active).toBe(false);
    });

    test.each([7, 2.5, 0, -3])('rank %d is kept', async (rank) => {
      expect((await add({ rank })).rank).toBe(rank);
    });

    test('rank defaults to the next largest', async () => {
      const { rank } = await add({ rank: 41.5 });
      expect((await add()).rank).toBeGreaterThan(rank);
      expect((await add({ rank: 3 })).rank).toBe(3);
      expect((await add()).rank).toBeGreaterThan(rank + 0.5);
    });

    test.each(['sender', 'recipient', 'subject', 'body'])('scope %s', async (scope) => {
      const rule = await add({ type: 'regex', config: { ...CONFIGS.regex, scopes: [scope] } });
      expect(rule.config.scopes).toEqual([scope]);
    });

    test.each([
      ['no type', { config: CONFIGS.alias }, 'type'],
      ['an unknown type', { type: 'sieve', config: CONFIGS.alias }, 'type'],
      ['a number as type', { type: 1, config: CONFIGS.alias }, 'type'],
      ['no config', { type: 'alias' }, 'config'],
      ['null as config', { type: 'alias', config: null }, 'config'],
      ['a list as config', { type: 'alias', config: [] }, 'config'],
      ['an alias rule without alias', { type: 'alias', config: { forward } }, 'config'],
      ['an alias rule without forward', { type: 'alias', config: { alias: 'jobs' } }, 'config'],
      ['a regex rule without regex', { type: 'regex', config: { scopes: ['body'], forward } }, 'config'],
      ['a regex rule without scopes', { type: 'regex', config: { regex: 'x', forward } }, 'config'],
      ['a regex rule without forward', { type: 'regex', config: { regex: 'x', scopes: ['body'] } }, 'config'],
      ['an unknown scope', { type: 'regex', config: { regex: 'x', scopes: ['header'], forward } }, 'config'],
      [
        'scopes that are no array',
        { type: 'regex', config: { regex: 'x', scopes: 'body', forward } },
        'config',
      ],
      ['a cel rule without expression', { type: 'cel', config: { forward } }, 'config'],
      ['a cel rule without forward', { type: 'cel', config: { expression: 'true' } }, 'config'],
      ['a config of another type', { type: 'cel', config: CONFIGS.alias }, 'config'],
      ['a rank that is text', { type: 'alias', config: CONFIGS.alias, rank: '1' }, 'rank'],
      ['active that is text', { type: 'alias', config: CONFIGS.alias, active: 'yes' }, 'active'],
      ['an id that is no UUID', { type: 'alias', config: CONFIGS.alias, id: 'mine' }, 'id'],
    ])('%s is a field error', async (_name, fields, field) => {
      expect(target.expectFailure(await post(fields), 400).errors).toHaveProperty(field);
      expect(await total()).toBe(0);
    });

    test('an invalid forward is named', async () => {
      const answer = await post({ type: 'alias', config: { alias: 'jobs', forward: 'nowhere' } });
      expect(target.expectFailure(answer, 400).message).toContain('nowhere');
    });
  });

  describe('get, update, delete', () => {
    test('get gives what add gave', async () => {
      const rule = await add();
      expect(await get(rule.id)).toEqual(rule);
    });

    test('rank and active that are left out stay', async () => {
      const rule = await add({ rank: 9, active: false });
      const { body } = await target.send('PUT', one(rule.id), { config: CONFIGS.alias });
      expect(body.rule).toMatchObject({ rank: 9, active: false });
    });

    test.each([true, false])('active %s moves the rule to that state', async (active) => {
      const rule = await add({ active: !active });
      const { body } = await target.send('PUT', one(rule.id), { config: CONFIGS.alias, active });
      expect(body.rule.active).toBe(active);
    });

    test.each([
      ['no config', { rank: 5 }, 'config'],
      ['the config of another type', { config: CONFIGS.cel }, 'config'],
      ['a rank that is text', { config: CONFIGS.alias, rank: 'first' }, 'rank'],
      ['active that is a number', { config: CONFIGS.alias, active: 1 }, 'active'],
    ])('update with %s is a field error and changes nothing', async (_name, fields, field) => {
      const rule = await add();
      const answer = await target.send('PUT', one(rule.id), fields);
      expect(target.expectFailure(answer, 400).errors).toHaveProperty(field);
      expect(await get(rule.id)).toEqual(rule);
    });

    test('an unknown rule is 404', async () => {
      const path = one(randomUUID());
      target.expectFailure(await target.send('GET', path), assumed(404));
      target.expectFailure(await target.send('PUT', path, { config: CONFIGS.alias }), assumed(404));
      target.expectFailure(await target.send('DELETE', path), assumed(404));
    });

    test('everything in an unknown domain is 404', async () => {
      const root = `/domains/${target.freshName()}/rules`;
      const answers = [
        await target.send('GET', root),
        await target.send('POST', root, { type: 'alias', config: CONFIGS.alias }),
        await target.send('DELETE', `${root}${everything}?all=true`),
        await target.send('POST', `${root}/batch`, { rules: [] }),
        await target.send('PUT', `${root}/batch`, { rules: [] }),
        await target.send('DELETE', `${root}/batch`, { ids: [] }),
        ...(version === 'v3' ? [await target.send('POST', `${root}/bulk`, { rules: [] })] : []),
      ];
      for (const answer of answers) target.expectFailure(answer, assumed(404));
    });
  });

  describe('delete all', () => {
    test.each(['', '?all=false', '?all=1'])('without the guard (%j) nothing is deleted', async (query) => {
      await add();
      target.expectFailure(
        await target.send('DELETE', `${rules.root()}/rules${everything}${query}`),
        assumed(400),
      );
      expect(await total()).toBe(1);
    });
  });
});
