import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONTROL_ROUTES } from '../../../src/emulator/control/control-routes.ts';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import type { Fault } from '../../../src/emulator/faults/faults.ts';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import type { Emulator, ServerOptions } from '../../../src/emulator/http/server.ts';
import { everyNth, runs } from '../../support/share.ts';
import { START, startTestEmulator, type Body, type Clock, type Send } from '../support/target.ts';

const forward = 'ana@corp.example';
const SEED: Seed = { domains: [{ domain: 'acme.example', aliases: [{ alias: 'sales', forward }] }] };
const ALIASES = '/domains/acme.example/aliases';

interface Started {
  readonly emulator: Emulator;
  readonly send: Send;
  readonly clock: Clock;
  /** Sends a request to a path below `/_emulator`, without a key. */
  readonly control: Send;
}

async function start(options: Partial<ServerOptions> = {}): Promise<Started> {
  const { emulator, send, clock } = await startTestEmulator({ control: true, state: SEED, ...options });
  const root = new URL('/_emulator', emulator.urls.v4).href;
  const control: Send = async (method, path, body, headers = {}) => {
    const answer = await fetch(root + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const content = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: content === '' ? undefined : JSON.parse(content),
    };
  };
  return { emulator, send, clock, control };
}

/** `fetch` sets some headers by itself. */
async function rawGet(
  emulator: Emulator,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number | undefined; body: Body }> {
  const { port } = emulator;
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/_emulator/clock', headers }, resolve)
      .on('error', reject)
      .end();
  });
  return { status: response.statusCode, body: JSON.parse(await text(response)) };
}

describe('access', () => {
  test('no one by default', async () => {
    const { emulator, control, send } = await start({ control: undefined });
    expect(emulator.controlUrl).toBeNull();
    expect((await control('GET', '/state')).status).toBe(401);
    expect((await send('GET', '/../_emulator/state')).status).toBe(404);
    expect((await send('GET', '/account')).status).toBe(200);
  });

  test('it needs no key, says what it serves and leaves no trace', async () => {
    const { emulator, control } = await start({ rateLimit: 1 });
    const { body } = await control('GET', '');
    expect(body.routes).toContain('PUT /_emulator/state');
    expect((await control('GET', '/')).body.routes).toEqual(body.routes);
    expect(emulator.journal.total()).toBe(0);
    expect(emulator.controlUrl).toBe(new URL('/_emulator', emulator.urls.v4).href);
  });

  const HEADERS = [
    [{ Host: '127.0.0.1:8025' }, 200],
    [{ Host: 'localhost' }, 200],
    [{ Host: '[::1]:80' }, 200],
    [{ Host: 'rebound.example' }, 403],
    [{ Host: '127.0.0.1.rebound.example' }, 403],
    [{ Host: 'localhost:1:2' }, 403],
    [{ Origin: 'http://localhost:3000' }, 200],
    [{ Origin: 'https://evil.example' }, 403],
    [{ Origin: 'null' }, 403],
  ] as const;

  test.each(everyNth(2, HEADERS))('%j: %d', async (headers, status) => {
    const { emulator } = await start();
    const answer = await rawGet(emulator, headers as Record<string, string>);
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body).toEqual({ message: expect.any(String), problems: [] });
  });

  test.each([
    ['192.0.2.7', 403],
    ['::ffff:127.0.0.1', 200],
    ['::1', 200],
    [undefined, 403],
  ])('from %s: %d', async (remoteAddress, status) => {
    const { dispatch } = createEmulator({
      apiKey: 'k',
      plan: 'paid',
      control: true,
      now: () => START,
      sleep: async () => {},
      randomId: () => '0',
    });
    const outcome = await dispatch({
      method: 'GET',
      target: '/_emulator/clock',
      headers: { host: 'localhost' },
      body: undefined,
      remoteAddress,
    });
    expect(outcome.kind === 'answer' && outcome.answer.status).toBe(status);
  });

  test.each([
    ['GET', '/nothing', 404],
    ['DELETE', '/state', 405],
    ['POST', '', 404],
  ])('%s %s: %d', async (method, path, status) => {
    const { control } = await start();
    const answer = await control(method, path);
    expect([answer.status, answer.body.problems]).toEqual([status, []]);
    if (status === 405) expect(answer.headers.get('allow')).toBe('GET, PUT');
  });
});

describe('state', () => {
  test('the state that is read can be written back', async () => {
    const { emulator, control, send } = await start();
    const { body } = await control('GET', '/state');
    expect(body).toEqual(emulator.store.dump());
    await send('DELETE', '/domains/acme.example');
    expect((await control('PUT', '/state', body)).body).toEqual({ domains: 1, aliases: 1, rules: 0 });
    expect((await control('GET', '/state')).body).toEqual(body);
    expect((await send('GET', ALIASES)).body.total).toBe(1);
  });

  test('another account takes the place of the old one', async () => {
    const { control, send } = await start();
    await control('PUT', '/state', {
      tier: 'free',
      account: { email: 'new@corp.example', created_at: '2020-01-02T03:04:05Z' },
      switches: { unknownStatus: 410 },
    });
    const { body } = await send('GET', '/account');
    expect(body.account).toMatchObject({ email: 'new@corp.example', created_at: '2020-01-02T03:04:05Z' });
    expect(body.account.plan.name).toBe('Free');
    expect((await send('GET', ALIASES)).status).toBe(410);
  });

  const NO_STATES: readonly (readonly [string, unknown, string, string])[] = [
    ['no object', [], '$', 'must be an object'],
    ['a field that nobody knows', { domain: [] }, '$.domain', 'is unknown; known fields: tier, '],
    ['a field that is missing', { domains: [{}] }, '$.domains[0].domain', 'is missing'],
    [
      'a type',
      { domains: [{ domain: 'a.example' }, { domain: 7 }] },
      '$.domains[1].domain',
      'must be a string',
    ],
    ['a word', { tier: 'gold' }, '$.tier', 'must be one of "free", "paid"'],
    [
      'an alias',
      { domains: [{ domain: 'a.example', aliases: [{ alias: 'x' }] }] },
      '$.domains[0].aliases[0].forward',
      'is missing',
    ],
    [
      'a time',
      { domains: [{ domain: 'a.example', created_at: 'soon' }] },
      '$.domains[0].created_at',
      'must be an ISO 8601 time',
    ],
    [
      'a time that no calendar has',
      { account: { created_at: 1e20 } },
      '$.account.created_at',
      'must be an ISO',
    ],
    [
      'a twin',
      { domains: [{ domain: 'a.example' }, { domain: 'A.example' }] },
      '$.domains[1]',
      'has "a.example", like item 0',
    ],
    [
      'an id twice',
      {
        domains: [
          {
            domain: 'a.example',
            aliases: [
              { alias: 'x', forward, id: 1 },
              { alias: 'y', forward, id: 1 },
            ],
          },
        ],
      },
      '$.domains[0].aliases[1]',
      'has 1, like item 0',
    ],
    [
      'a kind of rule',
      { domains: [{ domain: 'a.example', rules: [{ type: 'sieve', config: {} }] }] },
      '$.domains[0].rules[0].type',
      'must be one of "alias", "regex", "cel"',
    ],
    [
      'a rule',
      {
        domains: [
          {
            domain: 'a.example',
            rules: [{ type: 'regex', config: { regex: 'x', scopes: ['to'], forward } }],
          },
        ],
      },
      '$.domains[0].rules[0].config.scopes[0]',
      'must be one of "sender"',
    ],
    [
      'a log',
      {
        domains: [{ domain: 'a.example', logs: [{ sender: forward, recipient: forward, events: ['LOST'] }] }],
      },
      '$.domains[0].logs[0].events[0]',
      'must be one of "QUEUED"',
    ],
    ['a switch', { switches: { rankDigits: 2 } }, '$.switches.rankDigits', 'must be one of 0, 1, 3, "all"'],
    ['an odd name', { 'a b': 1 }, '$["a b"]', 'is unknown'],
  ];

  test.each(everyNth(3, NO_STATES))('%s', async (_name, body, path, message) => {
    const { control } = await start();
    const before = (await control('GET', '/state')).body;
    const answer = await control('PUT', '/state', body);
    expect(answer.status).toBe(400);
    expect(answer.body.problems).toEqual([{ path, message: expect.stringContaining(message) }]);
    expect(answer.body.message).toContain(path);
    expect((await control('GET', '/state')).body).toEqual(before);
  });

  test('all problems are said in one go, up to twenty', async () => {
    const { control } = await start();
    const domains = Array.from({ length: 50 }, () => ({ domain: 'a.example', aliases: 1, extra: 2 }));
    expect((await control('PUT', '/state', { domains })).body.problems).toHaveLength(20);
    const two = await control('PUT', '/state', { tier: 1, whitelabels: {} });
    expect(two.body.problems.map(({ path }: Body) => path)).toEqual(['$.tier', '$.whitelabels']);
  });

  test.each([
    ['{', 'malformed'],
    ['['.repeat(5000) + ']'.repeat(5000), 'too-deep'],
  ])('a body that is no JSON: %.3s', async (body, problem) => {
    const { control } = await start();
    const answer = await control('PUT', '/state', body);
    expect([answer.status, answer.body.message]).toEqual([400, `The body is ${problem}.`]);
  });

  test('an empty body is no state', async () => {
    const { control } = await start();
    expect((await control('PUT', '/state')).status).toBe(400);
  });

  test('a state of 20 MB is taken, though requests of the API may have 16', async () => {
    const { control } = await start();
    const count = runs(20_000, 1_000);
    const aliases = Array.from({ length: count }, (_, index) => ({
      alias: `a${index}`,
      forward: Array.from({ length: 14 }, (__, person) => `${'x'.repeat(57)}${person}@corp.example`).join(),
    }));
    const state = JSON.stringify({ domains: [{ domain: 'a.example', aliases }] });
    const answer = await control('PUT', '/state', state.padEnd(20_000_000));
    expect(answer.body).toEqual({ domains: 1, aliases: count, rules: 0 });
  });
});

describe('journal', () => {
  test('read, read on, and clear', async () => {
    const { control, send } = await start();
    for (const path of ['/account', '/domains', '/nowhere']) await send('GET', path);
    const { body } = await control('GET', '/journal');
    expect(body.total).toBe(3);
    expect(body.entries[2]).toEqual({
      number: 3,
      at: START,
      version: 'v4',
      method: 'GET',
      endpoint: null,
      path: '/nowhere',
      status: 404,
    });
    expect((await control('GET', '/journal?after=2')).body.entries).toHaveLength(1);
    expect((await control('DELETE', '/journal')).status).toBe(204);
    expect((await control('GET', '/journal')).body).toEqual({ total: 0, entries: [] });
  });
});

describe('faults', () => {
  const busy: Fault = { match: { endpoint: '/account' }, do: { kind: 'status', code: 503 } };
  const drop: Fault = { match: { nth: 2 }, do: { kind: 'drop', when: 'after' } };

  test('read, replace, add and clear', async () => {
    const { control, send } = await start();
    expect((await control('PUT', '/faults', [busy])).body).toEqual([busy]);
    expect((await control('POST', '/faults', [drop])).body).toEqual([busy, drop]);
    expect((await send('GET', '/account')).status).toBe(503);
    expect((await control('GET', '/faults')).body).toEqual([drop]);
    expect((await control('PUT', '/faults', [busy])).body).toEqual([busy]);
    expect((await control('DELETE', '/faults')).status).toBe(204);
    expect((await send('GET', '/account')).status).toBe(200);
  });

  test('another user edits the account at the nth request', async () => {
    const { control, send } = await start();
    const request = { method: 'POST', path: `/v4${ALIASES}`, body: { alias: 'foreign', forward } };
    await control('PUT', '/faults', [{ match: { method: 'GET', nth: 2 }, do: { kind: 'edit', request } }]);
    const totals = [];
    for (const _ of [1, 2]) totals.push((await send('GET', ALIASES)).body.total);
    expect(totals).toEqual([1, 2]);
  });

  const ACTIONS: readonly Fault['do'][] = [
    { kind: 'status', code: 502, body: '<html>', headers: { 'Retry-After': 'abc' }, when: 'after' },
    { kind: 'status', code: 429, body: { message: 'slow', errors: {} } },
    { kind: 'drop' },
    { kind: 'delay', ms: 5, when: 'before' },
    { kind: 'drip', ms: 0, chunkBytes: 10 },
    { kind: 'truncate', bytes: 3 },
    { kind: 'flood', bytes: 100 },
    { kind: 'body', body: '[', contentType: 'text/plain' },
    { kind: 'headers', set: { 'X-RateLimit-Reset': 'NaN', Date: null } },
    {
      kind: 'fail-items',
      items: [{ index: 0, message: 'no', errors: { alias: ['no'] }, applied: true }],
      lies: [
        'shuffled',
        'repeated-index',
        'index-out-of-range',
        'index-as-string',
        'wrong-counts',
        'in-both',
        'in-neither',
      ],
    },
    {
      kind: 'listing',
      shift: -1,
      total: 3,
      ids: 'numbers',
      set: { extra: [1] },
      unset: ['forward'],
      duplicate: 0,
      missing: 1,
      limit: 5,
      empty: true,
    },
  ];

  test.each(everyNth(3, ACTIONS))('%j', async (action) => {
    const { control } = await start();
    const faults = [
      { match: { version: 'v4', method: 'POST', path: '^/domains', nth: 2, times: 'always' }, do: action },
    ];
    expect((await control('PUT', '/faults', faults)).body).toEqual(faults);
  });

  const NO_FAULTS: readonly (readonly [unknown, string])[] = [
    [{}, '$'],
    [[{ match: {} }], '$[0].do'],
    [[busy, { match: { nth: 0 }, do: { kind: 'drop' } }], '$[1].match.nth'],
    [[{ match: { path: '(' }, do: { kind: 'drop' } }], '$[0].match.path'],
    [[{ match: { method: 'get' }, do: { kind: 'drop' } }], '$[0].match.method'],
    [[{ match: { times: 'often' }, do: { kind: 'drop' } }], '$[0].match.times'],
    [[{ match: {}, do: { kind: 'explode' } }], '$[0].do.kind'],
    [[{ match: {}, do: { kind: 'drop', when: 'later' } }], '$[0].do.when'],
    [[{ match: {}, do: { kind: 'status', code: 99 } }], '$[0].do.code'],
    [[{ match: {}, do: { kind: 'delay', ms: -1 } }], '$[0].do.ms'],
    [[{ match: {}, do: { kind: 'fail-items', lies: ['white'] } }], '$[0].do.lies[0]'],
    [[{ match: {}, do: { kind: 'listing', shift: 0.5 } }], '$[0].do.shift'],
    [
      [{ match: {}, do: { kind: 'edit', request: { method: 'GET', path: '/account' } } }],
      '$[0].do.request.path',
    ],
    [[{ match: {}, do: { kind: 'headers', set: { Date: 7 } } }], '$[0].do.set.Date'],
  ];

  test.each(everyNth(3, NO_FAULTS))('%j is refused', async (faults, path) => {
    const { control } = await start();
    await control('PUT', '/faults', [busy]);
    const answer = await control('PUT', '/faults', faults);
    expect([answer.status, answer.body.problems[0].path]).toEqual([400, path]);
    expect((await control('GET', '/faults')).body).toEqual([busy]);
  });
});

describe('clock and limits', () => {
  test('the clock advances past the window', async () => {
    const { control, send } = await start({ rateLimit: 1 });
    await send('GET', '/account');
    expect((await send('GET', '/account')).status).toBe(429);
    expect((await control('POST', '/clock', { advance_seconds: 59.5 })).body).toEqual({
      now: new Date(START + 59_500).toISOString(),
    });
    expect((await send('GET', '/account')).headers.get('retry-after')).toBe('1');
    await control('POST', '/clock', { advance_seconds: 0.5 });
    const answer = await send('GET', '/account');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('date')).toBe(new Date(START + 60_000).toUTCString());
    expect((await control('GET', '/clock')).body).toEqual({ now: new Date(START + 60_000).toISOString() });
  });

  const NO_ADVANCES = [{}, { advance_seconds: 0 }, { advance_seconds: -5 }, { advance_seconds: '60' }];

  test.each(everyNth(2, NO_ADVANCES))('%j is refused', async (body) => {
    const { control } = await start();
    expect((await control('POST', '/clock', body)).status).toBe(400);
  });

  test('the rules of the rate limit', async () => {
    const { control, send } = await start({ rateLimit: 5 });
    expect((await control('GET', '/limits')).body).toEqual([
      { per: 'template', limit: 5, windowSeconds: 60 },
    ]);
    const rules = [
      { per: 'account', limit: 2, methods: 'read', window: 'sliding' },
      { per: 'path', limit: 1, endpoint: '/domains', align: 'clock', windowSeconds: 5 },
    ];
    expect((await control('PUT', '/limits', rules)).body).toEqual(rules);
    const statuses = [];
    for (const path of ['/account', '/account', '/account']) statuses.push((await send('GET', path)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await control('PUT', '/limits', [{ per: 'planet', limit: 1 }])).body.problems[0].path).toBe(
      '$[0].per',
    );
  });
});

describe('switches and DNS', () => {
  test('switches are read and changed, also those that shape the indexes', async () => {
    const { control, send } = await start();
    expect((await control('GET', '/switches')).body).toMatchObject({ aliasNameCase: 'insensitive' });
    const twin = { alias: 'SALES', forward };
    expect((await send('POST', ALIASES, twin)).status).toBe(400);
    const changed = await control('PATCH', '/switches', { aliasNameCase: 'sensitive', unknownStatus: 410 });
    expect(changed.body).toMatchObject({ aliasNameCase: 'sensitive', unknownStatus: 410, rankDigits: 'all' });
    expect((await send('POST', ALIASES, twin)).status).toBe(200);
    expect((await send('GET', '/domains/none.example')).status).toBe(410);
    expect((await control('PATCH', '/switches', { aliasNameCase: 'odd' })).status).toBe(400);
  });

  test('DNS records appear, and a verification finds them', async () => {
    const { control, send } = await start({
      state: { domains: [{ domain: 'acme.example', dns: 'missing' }] },
    });
    const verify = async (): Promise<boolean> =>
      (await send('POST', '/domains/acme.example/verify')).body.records.valid;
    expect(await verify()).toBe(false);
    await control('POST', '/dns', { domain: 'acme.example', dns: 'valid' });
    expect(await verify()).toBe(true);
    const partly = await control('POST', '/dns', { domain: 'acme.example', dns: { mx: false } });
    expect(partly.body).toMatchObject({ domain: 'acme.example', dns: { mx: false, spf: true } });
    expect(await verify()).toBe(false);
    const unknown = await control('POST', '/dns', { domain: 'none.example', dns: 'valid' });
    expect([unknown.status, unknown.body.problems[0].path]).toEqual([404, '$.domain']);
  });
});

describe('messages', () => {
  test('a mail is routed and leaves its log', async () => {
    const { control, send } = await start();
    const { status, body } = await control('POST', '/messages', {
      to: 'sales+x@acme.example',
      from: 'Ben <ben@corp.example>',
      subject: 'Hello',
      body: 'Hi',
      outcomes: { [forward]: 'SOFT-BOUNCE' },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      domain: 'acme.example',
      route: { kind: 'alias', by: 'plus-address', alias: 'sales', id: '1' },
      destinations: [forward],
      logs: [expect.any(String)],
    });
    const log = (await send('GET', `/domains/acme.example/logs/${body.logs[0]}`)).body;
    expect(log.events.map((event: Body) => event.status)).toEqual(['QUEUED', 'SOFT-BOUNCE']);
  });

  test.each<[Seed['domains'], object]>([
    [[{ domain: 'acme.example' }], { kind: 'refused', reason: 'no alias matches this address' }],
    [
      [
        {
          domain: 'acme.example',
          routing_engine: 'rules',
          rules: [{ id: 'r', type: 'cel', config: { expression: 'true', forward } }],
        },
      ],
      { kind: 'rule', id: 'r', rank: 1 },
    ],
    [[{ domain: 'acme.example', routing_engine: 'rules' }], { kind: 'fallback' }],
  ])('%j', async (domains, route) => {
    const { control } = await start({ state: { domains } });
    const { body } = await control('POST', '/messages', { to: 'x@acme.example', from: forward });
    expect(body.route).toEqual(route);
  });

  test.each<[object, number, string]>([
    [{ to: 'x@none.example', from: forward }, 404, '$.to'],
    [{ to: 'sales', from: forward }, 400, '$.to'],
    [{ to: 'sales@acme.example' }, 400, '$.from'],
    [{ to: 'sales@acme.example', from: forward, outcome: 'LOST' }, 400, '$.outcome'],
    [
      { to: 'sales@acme.example', from: forward, outcomes: { [forward]: ['QUEUED', 1] } },
      400,
      `$.outcomes["${forward}"][1]`,
    ],
  ])('%j', async (message, status, path) => {
    const { control } = await start();
    const answer = await control('POST', '/messages', message);
    expect([answer.status, answer.body.problems[0].path]).toEqual([status, path]);
  });
});

test('random requests are answered, and none breaks the emulator', async () => {
  const { dispatch } = createEmulator({
    apiKey: 'k',
    plan: 'paid',
    control: true,
    now: () => START,
    sleep: async () => {},
    randomId: () => '0',
  });
  const ask = async (method: string, path: string, body: unknown): Promise<number> => {
    const outcome = await dispatch({
      method,
      target: `/_emulator${path}`,
      headers: { host: 'localhost' },
      body: JSON.stringify(body),
      remoteAddress: '127.0.0.1',
    });
    return outcome.kind === 'answer' ? outcome.answer.status : 0;
  };
  const routes = CONTROL_ROUTES.filter(({ body }) => body !== undefined);
  const names = ['domains', 'domain', 'aliases', 'alias', 'match', 'do', 'kind', 'to', 'from', 'dns', 'tier'];
  const leaf = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('drop', 'edit', 'a@b.example', 'valid', 'free', {}, []),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(leaf, fc.array(tie('tree')), fc.dictionary(fc.constantFrom(...names), tie('tree'))),
  }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...routes), tree, async ({ method, path }, body) => {
      expect([200, 400, 404]).toContain(await ask(method, path, body));
      expect(await ask('GET', '/state', undefined)).toBe(200);
    }),
    { numRuns: runs(500, 25) },
  );
});

test('onChange hears of writes, of mail and of the control interface', async () => {
  const { emulator, control, send } = await start();
  let changes = 0;
  const remove = emulator.onChange(() => {
    changes += 1;
  });
  const counts = [];
  for (const act of [
    () => send('GET', '/account'),
    () => send('POST', '/domains', { domain: 'b.example' }),
    () => control('GET', '/state'),
    () => control('PUT', '/state', 7),
    () => control('PUT', '/state', {}),
    () => Promise.resolve(emulator.deliver({ to: 'a@b.example', from: forward })),
  ]) {
    await act();
    counts.push(changes);
  }
  expect(counts).toEqual([0, 1, 1, 1, 2, 3]);
  remove();
  await send('POST', '/domains', { domain: 'c.example' });
  expect(changes).toBe(3);
});
