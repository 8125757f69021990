import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  assumed,
  expectFailure,
  authorization,
  targetKey,
  useTarget,
  type Body,
  type Send,
  type Version,
} from '../support/target.ts';

const target = useTarget('v3');
const forward = 'ana@corp.example';
const WAYS: readonly (readonly [Version, Version])[] = [
  ['v3', 'v4'],
  ['v4', 'v3'],
];
let domain = '';

beforeEach(async () => {
  domain = await target.emptyDomain();
});

/** Sends a request that must succeed. Returns the body. */
function via(version: Version): (...request: Parameters<Send>) => Promise<Body> {
  return async (...request) => {
    const { status, body } = await target[version](...request);
    expect(status).toBeLessThan(207);
    return body;
  };
}

describe.each(WAYS)('v4: Versioning: what %s writes, %s reads', (writer, reader) => {
  const write = via(writer);
  const read = via(reader);

  test('domains', async () => {
    const name = target.freshName();
    await write('POST', '/domains', { domain: name, notification_email: 'ops@corp.example' });
    expect((await read('GET', `/domains/${name}`)).domain).toMatchObject({
      domain: name,
      notification_email: 'ops@corp.example',
      whitelabel: null,
    });
    await write('PUT', `/domains/${name}`, { whitelabel: 'w.example' });
    expect((await read('GET', `/domains/${name}`)).domain.whitelabel).toBe('w.example');
    await write('DELETE', `/domains/${name}`);
    expectFailure(await target[reader]('GET', `/domains/${name}`), assumed(404));
  });

  test('aliases', async () => {
    const root = `/domains/${domain}/aliases`;
    const { alias } = await write('POST', root, { alias: 'sales', forward });
    const other = (await read('GET', `${root}/${alias.id}`)).alias;
    expect(other).toMatchObject({ alias: 'sales', forward });
    expect(String(other.id)).toBe(String(alias.id));
    expect(typeof other.id).toBe(reader === 'v3' ? 'number' : 'string');
    await write('PUT', `${root}/${alias.id}`, { forward: 'ben@corp.example' });
    expect((await read('GET', root)).aliases).toMatchObject([{ forward: 'ben@corp.example' }]);
    await write('DELETE', `${root}/${alias.id}`);
    expect((await read('GET', root)).total).toBe(0);
  });

  test('batches of aliases', async () => {
    const root = `/domains/${domain}/aliases`;
    const aliases = ['a', 'b', 'c'].map((alias) => ({ alias, forward }));
    const ids: string[] = (await write('POST', `${root}/batch`, { aliases })).added.map(
      (alias: Body) => alias.id,
    );
    expect((await read('GET', root)).aliases.map(({ id }: Body) => String(id)).toSorted()).toEqual(
      ids.toSorted(),
    );
    await read('DELETE', `${root}/batch`, { ids });
    expect((await write('GET', root)).total).toBe(0);
  });

  test('rules', async () => {
    const root = `/domains/${domain}/rules`;
    const fields = { id: randomUUID(), type: 'alias', config: { alias: 'jobs', forward }, rank: 7.5 };
    await write('POST', root, fields);
    expect((await read('GET', root)).rules).toMatchObject([fields]);
    const changed = { config: { alias: 'careers', forward }, rank: 3, active: false };
    await write('PUT', `${root}/${fields.id}`, changed);
    expect((await read('GET', root)).rules).toMatchObject([{ id: fields.id, ...changed }]);
    await write('DELETE', `${root}/${fields.id}`);
    expect((await read('GET', root)).total).toBe(0);
  });

  test('credentials', async () => {
    const root = `/domains/${domain}/credentials`;
    await write('POST', root, { username: 'carol', password: 'correct horse' });
    expect((await read('GET', root)).credentials).toMatchObject([{ username: 'carol', usage: 0 }]);
    const second = { username: 'dave', password: 'correct horse' };
    expect((await read('POST', root, second)).requires_new_mx_check).toBe(false);
    await write('DELETE', `${root}/carol`);
    expect((await read('GET', root)).credentials).toMatchObject([{ username: 'dave' }]);
  });

  test('verification', async () => {
    const paths = {
      v3: ['GET', `/domains/${domain}/check`],
      v4: ['POST', `/domains/${domain}/verify`],
    } as const;
    const { records } = await write(paths[writer][0], paths[writer][1]);
    expect((await read(paths[reader][0], paths[reader][1])).records).toEqual(records);
  });
});

describe('v4: Versioning', () => {
  test('version 2 was removed', async () => {
    const headers = { Authorization: authorization(targetKey()) };
    const { status } = await fetch(`${target.url('v4').replace(/v4$/, 'v2')}/account`, { headers });
    expect(status).toBeGreaterThanOrEqual(400);
  });
});

describe('v4: Versioning: what only v3 has, v4 sees', () => {
  test('bulk aliases', async () => {
    const root = `/domains/${domain}/aliases`;
    const write = via('v3');
    await write('POST', `${root}/bulk`, { aliases: ['a', 'b'].map((alias) => ({ alias, forward })) });
    expect((await via('v4')('GET', root)).aliases).toMatchObject([{ alias: 'a' }, { alias: 'b' }]);
    await write('POST', `${root}/bulk`, { aliases: [{ alias: 'a' }], behavior: 'delete' });
    expect((await via('v4')('GET', root)).aliases).toMatchObject([{ alias: 'b' }]);
  });

  test('bulk rules', async () => {
    const root = `/domains/${domain}/rules`;
    const rule = { id: randomUUID(), type: 'alias', config: { alias: 'jobs', forward } };
    await via('v3')('POST', `${root}/bulk`, { rules: [rule] });
    expect((await via('v4')('GET', root)).rules).toMatchObject([rule]);
    await via('v3')('POST', `${root}/bulk`, { rules: [{ id: rule.id }], behavior: 'delete' });
    expect((await via('v4')('GET', root)).total).toBe(0);
  });

  test('active is forwarding_ready', async () => {
    const { active } = (await via('v3')('GET', `/domains/${domain}`)).domain;
    expect((await via('v4')('GET', `/domains/${domain}`)).domain.forwarding_ready).toBe(active);
  });
});
