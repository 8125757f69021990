import { beforeAll, describe, expect, test } from 'vitest';
import { assumed, useTarget, VERSIONS, type Answer, type Body } from '../support/target.ts';

const FORWARD = 'ana@corp.example';

describe.each(VERSIONS)('%s: Aliases', (version) => {
  const target = useTarget(version);
  const everything = version === 'v4' ? '' : '/aliases-all';
  let domain = '';

  beforeAll(async () => {
    domain = await target.emptyDomain();
  });

  let counter = 0;
  function freshAlias(): string {
    counter += 1;
    return `alias${counter}`;
  }

  async function add(alias: string = freshAlias(), forward: string = FORWARD): Promise<Body> {
    const { status, body } = await target.send('POST', `/domains/${domain}/aliases`, { alias, forward });
    expect(status).toBe(200);
    return body.alias;
  }

  function one(id: string): string {
    return `/domains/${domain}/aliases/${id}`;
  }

  describe('add', () => {
    test.each([
      ['one address', 'a@corp.example'],
      ['two addresses', 'a@corp.example,b@corp.example'],
      ['a webhook', 'https://hooks.corp.example/in?x=1'],
      ['an address and a webhook', 'a@corp.example,https://hooks.corp.example/in'],
      ['the word null (field notes)', 'null'],
      ['a plus address', 'a+b@corp.example'],
    ])('forward may be %s', async (_name, forward) => {
      expect(entriesOf((await add(freshAlias(), forward)).forward)).toEqual(entriesOf(forward));
    });

    test.each([
      ['the catch-all', '*'],
      ['a regular expression', '(contact|support)'],
      ['a regular expression with classes', '([a-z]+)\\.([a-z]+)'],
      ['150 characters', 'x'.repeat(150)],
      ['an underscore', 'first_last'],
      ['digits', '007'],
    ])('alias may be %s (field notes)', async (_name, alias) => {
      expect((await add(alias)).alias).toBe(alias);
    });

    test('forward of a regular expression may hold capture groups (field notes)', async () => {
      const forward = '$1@example.net,$1+$2@example.net';
      expect(entriesOf((await add('([a-c]+)-([a-c]+)', forward)).forward)).toEqual(entriesOf(forward));
    });

    test.each([
      ['no alias', { forward: FORWARD }, 'alias'],
      ['no forward', { alias: 'x1' }, 'forward'],
      ['an empty alias', { alias: '', forward: FORWARD }, 'alias'],
      ['an empty forward', { alias: 'x2', forward: '' }, 'forward'],
      ['a number as alias', { alias: 1, forward: FORWARD }, 'alias'],
      ['null as alias', { alias: null, forward: FORWARD }, 'alias'],
      ['null as forward', { alias: 'x3', forward: null }, 'forward'],
      ['a list as forward', { alias: 'x4', forward: [FORWARD] }, 'forward'],
      ['151 characters', { alias: 'y'.repeat(151), forward: FORWARD }, 'alias'],
      ['a forward that is no destination', { alias: 'x5', forward: 'nowhere' }, 'forward'],
      ['one bad entry among good ones', { alias: 'x6', forward: `${FORWARD},nowhere` }, 'forward'],
      ['an empty entry', { alias: 'x7', forward: `${FORWARD},,b@corp.example` }, 'forward'],
      ['a webhook that is none', { alias: 'x8', forward: 'ftp://files.example/' }, 'forward'],
    ])('%s is a field error', async (_name, fields, field) => {
      const body = target.expectFailure(await target.send('POST', `/domains/${domain}/aliases`, fields), 400);
      expect(body.errors).toHaveProperty(field);
    });

    test('every field that is wrong is named', async () => {
      const body = target.expectFailure(await target.send('POST', `/domains/${domain}/aliases`, {}), 400);
      expect(Object.keys(body.errors)).toEqual(['alias', 'forward']);
    });

    test('the message names the invalid forward address', async () => {
      const answer = await target.send('POST', `/domains/${domain}/aliases`, {
        alias: 'x9',
        forward: 'nowhere',
      });
      expect(target.expectFailure(answer, 400).message).toContain('nowhere');
    });

    test('an alias that exists is a field error that says "update the existing" (field notes)', async () => {
      const { alias } = await add();
      const answer = await target.send('POST', `/domains/${domain}/aliases`, { alias, forward: FORWARD });
      expect(target.expectFailure(answer, 400).errors.alias[0]).toContain('update the existing');
    });

    test('the same alias in another domain is another alias', async () => {
      const { alias } = await add();
      const other = await target.emptyDomain();
      const answer = await target.send('POST', `/domains/${other}/aliases`, { alias, forward: FORWARD });
      expect(answer.status).toBe(200);
    });
  });

  describe('get, update, delete', () => {
    test('get gives what add gave', async () => {
      const alias = await add();
      expect((await target.send('GET', one(alias.id))).body.alias).toEqual(alias);
    });

    test.each([
      ['no forward', {}],
      ['an empty forward', { forward: '' }],
      ['a number', { forward: 1 }],
      ['an invalid address', { forward: 'nowhere' }],
    ])('update with %s is a field error and changes nothing', async (_name, fields) => {
      const alias = await add();
      const body = target.expectFailure(await target.send('PUT', one(alias.id), fields), 400);
      expect(body.errors).toHaveProperty('forward');
      expect((await target.send('GET', one(alias.id))).body.alias).toEqual(alias);
    });

    test('an alias made again has another id (field notes)', async () => {
      const { id, alias } = await add();
      await target.send('DELETE', one(id));
      expect((await add(alias)).id).not.toBe(id);
    });

    // v3 accepts a name instead of an id, and `*` is a name.
    const NO_IDS = version === 'v4' ? ['%2A'] : [];
    test.each(['999999999', 'nobody', '0', '-1', '1.5', '00', ...NO_IDS])(
      'an unknown id %s is 404',
      async (id) => {
        target.expectFailure(await target.send('GET', one(id)), assumed(404));
        target.expectFailure(await target.send('PUT', one(id), { forward: FORWARD }), assumed(404));
        target.expectFailure(await target.send('DELETE', one(id)), assumed(404));
      },
    );

    test('the id of an alias of another domain is unknown', async () => {
      const { id } = await add();
      const other = await target.emptyDomain();
      target.expectFailure(await target.send('GET', `/domains/${other}/aliases/${id}`), assumed(404));
      target.expectFailure(await target.send('DELETE', `/domains/${other}/aliases/${id}`), assumed(404));
      expect((await target.send('GET', one(id))).status).toBe(200);
    });

    test('everything in an unknown domain is 404', async () => {
      const root = `/domains/${target.freshName()}/aliases`;
      const answers: Answer[] = [
        await target.send('GET', root),
        await target.send('POST', root, { alias: 'a', forward: FORWARD }),
        await target.send('DELETE', `${root}${everything}?all=true`),
        await target.send('GET', `${root}/1`),
        await target.send('PUT', `${root}/1`, { forward: FORWARD }),
        await target.send('DELETE', `${root}/1`),
        await target.send('POST', `${root}/batch`, { aliases: [] }),
        await target.send('PUT', `${root}/batch`, { aliases: [] }),
        await target.send('DELETE', `${root}/batch`, { ids: [] }),
        ...(version === 'v3' ? [await target.send('POST', `${root}/bulk`, { aliases: [] })] : []),
      ];
      for (const answer of answers) target.expectFailure(answer, assumed(404));
    });
  });

  describe('delete all', () => {
    test.each(['', '?all=false', '?all=1', '?all=', '?all=TRUE'])(
      'without the guard (%j) nothing is deleted',
      async (query) => {
        const before = (await target.send('GET', `/domains/${domain}/aliases`)).body.total;
        target.expectFailure(
          await target.send('DELETE', `/domains/${domain}/aliases${everything}${query}`),
          assumed(400),
        );
        expect((await target.send('GET', `/domains/${domain}/aliases`)).body.total).toBe(before);
      },
    );
  });
});

/** Spacing and order as the service sends them (field notes). */
function entriesOf(forward: string): readonly string[] {
  return forward
    .split(',')
    .map((entry) => entry.trim())
    .toSorted();
}
