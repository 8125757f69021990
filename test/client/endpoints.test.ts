import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createClient, type ClientOptions } from '../../src/client/create.ts';
import { createDeleteAll, DELETE_ALL_ENDPOINTS } from '../../src/client/operations/delete-all.ts';
import { endpointText, type Endpoint } from '../../src/core/model/endpoints.ts';
import { API_KEY, testAccount, type TestAccount } from '../support/account.ts';
import { CALLS, DELETE_ALL_CALLS, SEED } from './support/endpoint-calls.ts';
import { ENDPOINTS } from '../../src/core/kinds/endpoints.ts';

const ROOT = new URL('../../', import.meta.url);
const VERSIONS = ['v4', 'v3'] as const;

interface Opened {
  readonly account: TestAccount;
  readonly options: ClientOptions;
}

async function open(version: 'v4' | 'v3'): Promise<Opened> {
  const account = await testAccount(SEED, { version });
  const { clock, emulator } = account;
  const options = { url: emulator.urls[version], version, key: API_KEY, clock, random: () => 0 };
  return { account, options: { ...options, mode: 'read-write' } };
}

/** Checks that the service matched a request to this endpoint and accepted it. `:id` and `:alias` of logs are one route for it. */
function expectServed(account: TestAccount, { method, template }: Endpoint): void {
  const served = account
    .requests()
    .map((request) => `${request.method} ${request.endpoint} ${request.status}`);
  const text = `${method} ${template.replace('/logs/:alias', '/logs/:id')}`;
  expect(served.map((request) => request.replace(/ 20[04]$/, ' accepted'))).toContain(`${text} accepted`);
}

describe.each(VERSIONS)('each endpoint of %s is reached by a call of the client', (version) => {
  const endpoints: Readonly<Record<string, Endpoint>> = ENDPOINTS[version];

  test.each(Object.entries(CALLS[version]))('%s', async (operation, { call }) => {
    const { account, options } = await open(version);
    const client = createClient(options);
    expect(await call(client)).toMatchObject({ ok: true });
    await client.close();
    const endpoint = endpoints[operation];
    if (endpoint === undefined) throw new Error(`there is no endpoint ${operation}`);
    expectServed(account, endpoint);
    if (operation === 'listAliasLogs') expect(account.requests().at(-1)?.path).toMatch(/\/logs\/sales$/);
  });

  test.each(['aliases', 'rules'] as const)('delete-all of %s', async (what) => {
    const { account, options } = await open(version);
    const all = createDeleteAll(options);
    expect(await DELETE_ALL_CALLS[what].call(all)).toMatchObject({ ok: true });
    await all.close();
    expectServed(account, DELETE_ALL_ENDPOINTS[version][what]);
    expect(account.requests().at(-1)?.path).toContain('all=true');
    expect(account.emulator.store.dump().domains[0]?.[what]).toEqual([]);
  });
});

describe('delete-all is out of reach', () => {
  test('no module of src imports it, and no endpoint of a client is one', async () => {
    const files = await readdir(new URL('src/', ROOT), { recursive: true });
    const sources = files.filter((file) => file.endsWith('.ts'));
    expect(sources).toContain('client/operations/delete-all.ts');
    for (const file of sources) {
      const text = await readFile(new URL(`src/${file}`, ROOT), 'utf8');
      expect(text, file).not.toMatch(/(?:from|import)\b[^;]*\/delete-all\.ts/);
    }
    for (const version of VERSIONS) {
      const all = Object.values(DELETE_ALL_ENDPOINTS[version]).map(endpointText);
      const reached = Object.values<Endpoint>(ENDPOINTS[version]).map(endpointText);
      expect(reached.filter((endpoint) => all.includes(endpoint))).toEqual([]);
    }
  });
});

describe('the table of docs/api.md', () => {
  interface Row {
    readonly version: string;
    readonly endpoint: string;
    readonly method: string;
    readonly file: string;
  }

  async function readTable(): Promise<readonly Row[]> {
    const text = await readFile(new URL('docs/api.md', ROOT), 'utf8');
    return [...text.matchAll(/^\| (v[34]) \| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
      ([, version = '', endpoint = '', method = '', file = '']) => ({ version, endpoint, method, file }),
    );
  }

  function wanted(): readonly string[] {
    return VERSIONS.flatMap((version) => {
      const calls = Object.entries(CALLS[version]).map(([operation, { method }]) => {
        const endpoints: Readonly<Record<string, Endpoint>> = ENDPOINTS[version];
        return `${version} ${endpointText(endpoints[operation] ?? { method: 'GET', template: '?' })} ${method}`;
      });
      const { aliases, rules } = DELETE_ALL_ENDPOINTS[version];
      const all = [
        `${version} ${endpointText(aliases)}?all=true deleteAllAliases`,
        `${version} ${endpointText(rules)}?all=true deleteAllRules`,
      ];
      return [...calls, ...all];
    });
  }

  test('has a row for each endpoint, with the call that reaches it, and no other', async () => {
    const rows = (await readTable()).map(
      ({ version, endpoint, method }) => `${version} ${endpoint} ${method}`,
    );
    expect(rows.toSorted()).toEqual(wanted().toSorted());
  });

  test('each test file that it names calls that method', async () => {
    for (const { method, file } of await readTable()) {
      const text = await readFile(new URL(file, ROOT), 'utf8');
      expect(text, `${file} calls ${method}`).toMatch(
        new RegExp(`\\.${method.split('.').at(-1)}(\\?\\.)?\\(`),
      );
    }
  });
});
