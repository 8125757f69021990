import { describe, expect, test } from 'vitest';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import type { Switches } from '../../../src/emulator/account/switches.ts';
import {
  expectFailure,
  expectV3Failure,
  KEY,
  sender,
  START,
  startTestEmulator,
  type Send,
} from '../support/target.ts';

/** Switches about listings, searches and times. */

const ROOT = '/domains/acme.example';
const forward = 'ana@corp.example';

async function start(
  switches: Partial<Switches>,
  domain: Partial<NonNullable<Seed['domains']>[number]> = {},
): Promise<{ v4: Send; v3: Send }> {
  const { emulator, send } = await startTestEmulator({
    switches,
    state: { domains: [{ domain: 'acme.example', ...domain }] },
  });
  return { v4: send, v3: sender(emulator.urls.v3, KEY) };
}

const names = (body: { readonly aliases: readonly { readonly alias: string }[] }): readonly string[] =>
  body.aliases.map(({ alias }) => alias);

describe('switch nameOrder', () => {
  const aliases = ['b', 'A', 'a1', 'B1'].map((alias) => ({ alias, forward }));

  test.each([
    ['lower-case', ['A', 'a1', 'b', 'B1'], ['b', 'B1']],
    ['as-written', ['A', 'B1', 'a1', 'b'], ['B1', 'b']],
  ] as const)('%s', async (nameOrder, inOrder, withPrefix) => {
    const { v4, v3 } = await start({ nameOrder }, { aliases });
    expect(names((await v4('GET', `${ROOT}/aliases`)).body)).toEqual(inOrder);
    expect(names((await v4('GET', `${ROOT}/aliases?order=name_desc`)).body)).toEqual(inOrder.toReversed());
    expect(names((await v3('GET', ROOT)).body.domain)).toEqual(inOrder);
    expect(names((await v3('GET', `${ROOT}/aliases?alias=B`)).body)).toEqual(withPrefix);
    expect(names((await v4('GET', `${ROOT}/aliases?query=B`)).body)).toEqual(withPrefix);
  });
});

describe('switch emptyParameters', () => {
  test.each(['/domains?query=', `${ROOT}/aliases?order=&limit=`, `${ROOT}/logs?status=`])(
    '%s',
    async (path) => {
      const { v4 } = await start({ emptyParameters: 'ignore' });
      expect((await v4('GET', path)).status).toBe(200);
      const strict = await start({ emptyParameters: 'refuse' });
      const { errors } = expectFailure(await strict.v4('GET', path), 400);
      expect(Object.keys(errors)).toEqual([...new URLSearchParams(path.split('?')[1]).keys()]);
    },
  );
});

describe('switch pageAfterEnd', () => {
  const lists = ['/domains', ...['aliases', 'rules', 'credentials'].map((list) => `${ROOT}/${list}`)];

  test('empty', async () => {
    const { v4 } = await start({});
    for (const path of lists) {
      const { status, body } = await v4('GET', `${path}?page=9`);
      expect([status, body.page]).toEqual([200, 9]);
    }
  });

  test('refuse: a first page is there even when it is empty', async () => {
    const { v4, v3 } = await start({ pageAfterEnd: 'refuse' });
    for (const path of lists) {
      expectFailure(await v4('GET', `${path}?page=2`), 404);
      expect((await v4('GET', path)).status).toBe(200);
    }
    expectV3Failure(await v3('GET', '/domains?page=2'), 404);
  });
});

describe('switch logTimes', () => {
  test.each([
    ['seconds', 0, 0],
    ['milliseconds', 1, 1],
  ] as const)('%s', async (logTimes, after, before) => {
    const created_at = START - 60_000 + 500;
    const logs = [{ sender: forward, recipient: 'a@acme.example', forward, created_at }];
    const { v4, v3 } = await start({ logTimes }, { logs });
    const count = async (filter: string): Promise<number> =>
      (await v4('GET', `${ROOT}/logs/count?${filter}`)).body.total;
    const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();
    expect(await count(`after=${iso(created_at - 100)}`)).toBe(after);
    expect(await count(`after=${iso(created_at)}`)).toBe(0);
    expect(await count(`after=${iso(created_at - 1000)}`)).toBe(1);
    expect(await count(`before=${iso(created_at + 100)}`)).toBe(1);
    expect(await count(`before=${iso(created_at)}`)).toBe(1 - before);
    expect((await v3('GET', `${ROOT}/logs/count?after=${iso(created_at - 100)}`)).body.total).toBe(after);
  });
});

describe('searches of logs', () => {
  const logs = ['Quarterly invoice', 'Quarterly report', 'Something else'].map((subject, index) => ({
    id: `log-${index}`,
    sender: 'x@x.example',
    recipient: 'y@acme.example',
    subject,
  }));

  test.each([
    ['logSearchWords', 'every', 'quarterly+invoice', ['log-0']],
    ['logSearchWords', 'any', 'quarterly+invoice', ['log-0', 'log-1']],
    ['logSearchWords', 'any', 'xyz+nothing', []],
    ['logSearchTypos', 'by-length', 'qaurtrely', ['log-1', 'log-0']],
    ['logSearchTypos', 'one', 'qaurtrely', []],
    ['logSearchTypos', 'one', 'qaurterly', ['log-1', 'log-0']],
  ] as const)('switch %s: %s, %s', async (name, value, query, found) => {
    const { v4 } = await start({ [name]: value }, { logs });
    const { body } = await v4('GET', `${ROOT}/logs/search?query=${query}`);
    expect(body.logs.map(({ id }: { readonly id: string }) => id)).toEqual(found);
  });
});

describe('switch listingLag', () => {
  test.each([
    [0, [[], ['a'], ['a'], ['a']]],
    [1, [[], [], ['a'], ['a']]],
    [2, [[], [], [], ['a']]],
  ])('%i: an alias that was added shows as many reads late', async (listingLag, expected) => {
    const { v4, v3 } = await start({ listingLag });
    const list = async () => names((await v4('GET', `${ROOT}/aliases`)).body);
    const shown = [await list()];
    expect((await v4('POST', `${ROOT}/aliases`, { alias: 'a', forward })).status).toBe(200);
    for (let reads = 0; reads < 3; reads += 1) shown.push(await list());
    expect(shown).toEqual(expected);
    // Each page is late separately; a single alias is never late.
    expect(names((await v3('GET', `${ROOT}/aliases`)).body)).toEqual(['a']);
    expect((await v4('GET', `${ROOT}/aliases/1`)).body.alias.alias).toBe('a');
  });
});
