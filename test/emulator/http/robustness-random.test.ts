import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countInAccount } from '../../../src/emulator/account/state.ts';
import { createEmulator, type EmulatorCore } from '../../../src/emulator/emulator.ts';
import type { EmulatorAnswer } from '../../../src/emulator/http/protocol.ts';
import { authorization, expectFailure, KEY, START, type Body } from '../support/target.ts';
import { runs } from '../../support/share.ts';

/** Change the seed to send other requests. A failure prints it with the shortest requests that fail. */
const SEED = 20_260_116;
const ID = '11111111-2222-5333-8444-555555555555';
const forward = 'ana@corp.example';
const DOMAINS = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example'];

interface RandomRequest {
  readonly method: string;
  readonly target: string;
  readonly body: string | undefined;
}

const word = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a.example', 'sales', 'carol', '1', '2', ID) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', '%00', '%ZZ', '%2F', '..', '*', '') },
  {
    weight: 1,
    arbitrary: fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text.toWellFormed())),
  },
);
const WORDS = `account whitelabels domains aliases rules credentials logs verify check batch bulk aliases-all rules-all
  count search`;
const part = fc.constantFrom(...WORDS.split(/\s+/));
const wildPath = fc.array(fc.oneof(word, part), { maxLength: 6 }).map((parts) => `/${parts.join('/')}`);
const anyMethod = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS');

const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'limit',
        'page',
        'query',
        'q',
        'search',
        'order',
        'all',
        'is_active',
        'alias',
        '__proto__',
      ),
      fc.constantFrom('1', '0', '-1', '7', '1e9', 'true', 'null', 'name_desc', 'sales', '%00', ''),
    ),
    { maxLength: 2 },
  )
  .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'));

const alias = fc.record(
  {
    alias: fc.constantFrom<unknown>('sales', 'Support', '*', '__proto__', 'a\u0000', 7, null),
    forward: fc.constantFrom<unknown>(forward, 'null', 'nowhere', `${forward},${forward}`, '', []),
    id: fc.constantFrom<unknown>('1', '2', '3', 4, null),
  },
  { requiredKeys: ['alias', 'forward'] },
);
const rule = fc.record(
  {
    type: fc.constantFrom<unknown>('alias', 'cel', 'regex', 7),
    config: fc.constantFrom<unknown>(
      { alias: 'jobs', forward },
      { expression: 'true', forward },
      { regex: 'x', scopes: ['body'], forward },
      { alias: 'jobs', forward: 'nowhere' },
      null,
    ),
    id: fc.constantFrom<unknown>(ID, ID.replaceAll('1', '2'), 'x', 7),
    rank: fc.constantFrom<unknown>(1, 2.5, -1, 'first', null),
    active: fc.constantFrom<unknown>(true, false, 'yes'),
  },
  { requiredKeys: ['type', 'config'] },
);
const single = fc.record(
  {
    domain: fc.constantFrom<unknown>(...DOMAINS, 'new.example', 7),
    notification_email: fc.constantFrom<unknown>(forward, null, 'nobody', 7),
    webhook: fc.constantFrom<unknown>('https://hooks.example/', null, 'x'),
    username: fc.constantFrom<unknown>('carol', 'dave', '__proto__', 'a b', null),
    password: fc.constantFrom<unknown>('correct horse', 'short', null),
  },
  { requiredKeys: ['domain', 'username', 'password'] },
);
const list = fc.record(
  {
    aliases: fc.array(fc.oneof(alias, fc.constant(null)), { maxLength: 4 }),
    rules: fc.array(fc.oneof(rule, fc.constant(null)), { maxLength: 4 }),
    ids: fc.array(fc.constantFrom<unknown>('1', '2', '3', ID, 7), { maxLength: 4 }),
    behavior: fc.constantFrom<unknown>('add', 'update', 'delete', 'x', null),
  },
  { requiredKeys: ['aliases', 'rules', 'ids'] },
);
const body = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 10, arbitrary: fc.oneof(single, alias, rule, list).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
);
/** Served paths; D is a domain, W a word. Most requests should get past the router. */
const SERVED = `POST /domains, POST /domains, POST /domains, GET /domains, GET /account, GET /domains/D, PUT /domains/D, DELETE /domains/D,
  POST /domains/D/verify, GET /domains/D/check, POST /domains/D/aliases, GET /domains/D/aliases/W,
  PUT /domains/D/aliases/W, DELETE /domains/D/aliases/W, POST /domains/D/aliases/batch, PUT /domains/D/aliases/batch,
  DELETE /domains/D/aliases/batch, POST /domains/D/aliases/bulk, DELETE /domains/D/aliases,
  DELETE /domains/D/aliases/aliases-all, POST /domains/D/rules, GET /domains/D/rules/W, PUT /domains/D/rules/W,
  DELETE /domains/D/rules/W, POST /domains/D/rules/batch, PUT /domains/D/rules/batch, DELETE /domains/D/rules/batch,
  POST /domains/D/rules/bulk, DELETE /domains/D/rules, DELETE /domains/D/rules-all, POST /domains/D/credentials,
  GET /domains/D/credentials, PUT /domains/D/credentials/W, DELETE /domains/D/credentials/W`;
const served = fc
  .tuple(fc.constantFrom(...SERVED.split(/,\s+/)), fc.constantFrom(...DOMAINS), word)
  .map(
    ([route, domain, one]) =>
      route.replace(/\bD\b/, domain).replace(/\bW\b/, one).split(' ') as [string, string],
  );

const request: fc.Arbitrary<RandomRequest> = fc
  .record({
    root: fc.constantFrom('/v4', '/v3'),
    route: fc.oneof(
      { weight: 8, arbitrary: served },
      { weight: 1, arbitrary: fc.tuple(anyMethod, wildPath) },
      { weight: 1, arbitrary: fc.tuple(anyMethod, fc.constantFrom('', '/', '?', '//', '/../v4/account')) },
    ),
    asked: query,
    body,
  })
  .map(({ root, route: [method, path], asked, body: text }) => ({
    method,
    target: `${root}${path}${asked === '' ? '' : `?${asked}`}`,
    body: text,
  }));

test('random requests leave the emulator alive and consistent', async () => {
  let count = 0;
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 200, size: 'max' }), async (sequence) => {
      const core = startCore();
      for (const { method, target, body: text } of sequence) {
        count += 1;
        const answer = await send(core, method, target, text);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        checkAnswer(target, answer);
      }
      await checkAccount(core);
    }),
    { seed: SEED, numRuns: runs(130, 40) },
  );
  expect(count).toBeGreaterThanOrEqual(runs(10_000, 3_000));
  // Not only refusals: each documented outcome occurred.
  for (const status of [200, 204, 207, 400, 404]) expect(statuses.get(status)).toBeGreaterThan(runs(50, 15));
});

function startCore(): EmulatorCore {
  const aliases = [{ alias: 'sales', forward }];
  return createEmulator({
    apiKey: KEY,
    plan: 'paid',
    rateLimit: Number.MAX_SAFE_INTEGER,
    now: () => START,
    sleep: async () => {},
    randomId: randomUUID,
    state: { domains: DOMAINS.map((domain) => ({ domain, aliases })) },
  });
}

async function send(
  core: EmulatorCore,
  method: string,
  target: string,
  text?: string,
): Promise<EmulatorAnswer> {
  const headers = { authorization: authorization(KEY) };
  const outcome = await core.dispatch({ method, target, headers, body: text });
  if (outcome.kind === 'dropped') throw new Error('dropped');
  return outcome.answer;
}

function textOf(answer: EmulatorAnswer): string {
  return answer.body;
}

function checkAnswer(target: string, answer: EmulatorAnswer): void {
  const { status, headers } = answer;
  const text = textOf(answer);
  expect(headers).toMatchObject({
    'X-RateLimit-Limit': expect.stringMatching(/^\d+$/),
    'X-RateLimit-Remaining': expect.stringMatching(/^\d+$/),
    'X-RateLimit-Reset': expect.stringMatching(/^\d+$/),
  });
  expect([200, 204, 207, 400, 404]).toContain(status);
  if (status === 204) {
    expect(text).toBe('');
    return;
  }
  const parsed: Body = JSON.parse(text);
  if (status < 400) return;
  expectFailure({ status, headers: new Headers(), body: parsed }, status);
  expect(parsed.success).toBe(/^\/v3(\/|\?|$)/.test(target) ? false : undefined);
}

/** Checks that totals equal lists, ids are unique, both versions agree, and nothing is left of deleted domains. */
async function checkAccount(core: EmulatorCore): Promise<void> {
  const { state } = core.store;
  const aliasIds: string[] = [];
  let ruleCount = 0;
  const domains = await readList(core, '/domains', 'domains');
  expect(domains).toHaveLength(state.domains.size);
  for (const { domain } of domains) {
    const root = `/domains/${domain}`;
    const aliases = await readList(core, `${root}/aliases`, 'aliases');
    const rules = await readList(core, `${root}/rules`, 'rules');
    const credentials = await readList(core, `${root}/credentials`, 'credentials');
    aliasIds.push(...aliases.map(({ id }) => String(id)));
    ruleCount += rules.length;
    expectUnique(aliases.map((each) => each.alias.toLowerCase()));
    expectUnique(rules.map(({ id }) => id.toLowerCase()));
    expectUnique(credentials.map(({ username }) => username.toLowerCase()));
    expect(rules).toEqual(rules.toSorted((a, b) => a.rank - b.rank));
  }
  expectUnique(aliasIds);
  expect([countInAccount(state, 'aliases'), countInAccount(state, 'rules')]).toEqual([
    aliasIds.length,
    ruleCount,
  ]);
}

async function readList(core: EmulatorCore, below: string, key: string): Promise<Body[]> {
  const [v4, v3]: [Body, Body] = [
    JSON.parse(textOf(await send(core, 'GET', `/v4${below}?limit=200`))),
    JSON.parse(textOf(await send(core, 'GET', `/v3${below}?limit=100`))),
  ];
  expect(v4.total).toBe(v4[key].length);
  expect(v3.total ?? v4.total).toBe(v4.total);
  const names = (items: Body[]): string[] =>
    items.map((item) => item.domain ?? item.alias ?? item.id ?? item.username);
  expect(names(v3[key])).toEqual(names(v4[key]).slice(0, 100));
  return v4[key];
}

function expectUnique(values: readonly string[]): void {
  expect(new Set(values).size).toBe(values.length);
}
