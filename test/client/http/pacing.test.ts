import { describe, expect, test } from 'vitest';
import { createPacer, type PacedReply, type Pacer, type Urgency } from '../../../src/client/http/pacing.ts';
import type { Reply } from '../../../src/client/http/dispatch.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import { durationOf } from '../../../src/core/rate-limit/estimate.ts';
import { EMAIL, testAccount } from '../../support/account.ts';
import { virtualClock, type VirtualClock } from '../../support/clock.ts';

const DOMAIN = 'acme.example' as DomainName;

interface Scripted {
  readonly clock: VirtualClock;
  readonly pacer: Pacer;
  readonly sentAt: readonly number[];
  readonly run: (answers: readonly Answer[], endpoint?: string, urgency?: Urgency) => Promise<PacedReply>;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A pacer whose requests are answered by a script; the last answer repeats. */
function scripted(options: { readonly signal?: AbortSignal; readonly clock?: VirtualClock } = {}): Scripted {
  const clock = options.clock ?? virtualClock();
  const pacer = createPacer(clock, options.signal);
  const sentAt: number[] = [];
  return {
    clock,
    pacer,
    sentAt,
    run(answers, endpoint = 'GET /account', urgency = 'changed') {
      let count = 0;
      const send = (): Promise<Reply> => {
        sentAt.push(clock.monotonic());
        const answer = answers[Math.min(count, answers.length - 1)] ?? {};
        count += 1;
        const headers: Readonly<Record<string, string>> = {
          date: new Date(clock.now()).toUTCString(),
          ...answer.headers,
        };
        const header = (name: string): string | null => headers[name] ?? null;
        return Promise.resolve({ kind: 'answer', status: answer.status ?? 200, header, text: '{}' });
      };
      return pacer.run({ endpoint, urgency, send });
    },
  };
}

const REFUSED = { status: 429 };

describe('scenario 18: what a 429 asks for', () => {
  const start = Math.floor(virtualClock().now() / 1000);
  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['Retry-After of 7', { 'retry-after': '7' }, 7],
    ['Retry-After of 0', { 'retry-after': '0' }, 1],
    ['Retry-After of -1', { 'retry-after': '-1' }, 60],
    ['Retry-After that is a word', { 'retry-after': 'abc' }, 60],
    ['Retry-After that is empty', { 'retry-after': '' }, 60],
    ['Retry-After that is a date', { 'retry-after': new Date((start + 42) * 1000).toUTCString() }, 42],
    [
      'Retry-After that is a date in the past',
      { 'retry-after': new Date((start - 42) * 1000).toUTCString() },
      60,
    ],
    ['a reset', { 'x-ratelimit-reset': String(start + 20) }, 21],
    ['a reset in the past', { 'x-ratelimit-reset': String(start - 20) }, 60],
    ['a reset in milliseconds', { 'x-ratelimit-reset': String((start + 20) * 1000) }, 60],
    ['a reset that is no number', { 'x-ratelimit-reset': 'NaN' }, 60],
    ['nothing', {}, 60],
    [
      'a clock that is a day off',
      { date: new Date((start + 86_400) * 1000).toUTCString(), 'x-ratelimit-reset': String(start + 86_420) },
      21,
    ],
    ['no Date, and our clock agrees', { date: '', 'x-ratelimit-reset': String(start + 20) }, 21],
    [
      'no Date, and our clock is behind by a day',
      { date: '', 'x-ratelimit-reset': String(start + 86_420) },
      60,
    ],
  ])('%s', async (_, headers, seconds) => {
    const { run, sentAt, pacer } = scripted();
    expect(await run([{ status: 429, headers }, {}])).toMatchObject({ kind: 'answer', status: 200 });
    expect(((sentAt[1] ?? 0) - (sentAt[0] ?? 0)) / 1000).toBe(seconds);
    expect(pacer.totals()).toEqual({ total: 2, retried: 0, rateLimited: 1, waitedSeconds: seconds });
  });

  test.each(['10000000000', '901', '1e10'])('Retry-After of %s', async (retryAfter) => {
    const { run, sentAt, clock } = scripted();
    const reply = await run([{ status: 429, headers: { 'retry-after': retryAfter } }, {}]);
    if (retryAfter === '1e10') {
      expect(reply.kind).toBe('answer');
    } else {
      expect(reply).toEqual({ kind: 'too-long', seconds: Number(retryAfter) });
      expect(sentAt).toHaveLength(1);
      expect(clock.sleeps).toEqual([]);
    }
  });

  test('a service that always refuses and says "at once" is asked ever less often, and then no more', async () => {
    const { run, sentAt } = scripted();
    const reply = await run([{ status: 429, headers: { 'retry-after': '0' } }]);
    expect(reply).toMatchObject({ kind: 'too-long' });
    expect(sentAt.length).toBeLessThan(25);
    expect((sentAt.at(-1) ?? 0) - (sentAt[0] ?? 0)).toBeLessThanOrEqual(15 * 60_000);
  });

  test('no wait is longer than a timer can be', async () => {
    const { run, clock } = scripted();
    await run([{ status: 429, headers: { 'retry-after': '99999999' } }]);
    await run([{}]);
    expect(Math.max(0, ...clock.sleeps)).toBeLessThan(2 ** 31);
  });
});

test('among waiting requests, a read that a write needs goes before reads that verify', async () => {
  const { run } = scripted();
  const full = { headers: { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'retry-after': '1' } };
  await run([full]);
  const order: string[] = [];
  const ask = async (name: string, urgency: Urgency): Promise<void> => {
    await run([full], undefined, urgency);
    order.push(name);
  };
  const verifying = Array.from({ length: 12 }, (_, index) => ask(`verify ${index}`, 'verification'));
  await Promise.all([...verifying, ask('reread', 'changed')]);
  // Eight were waiting for the window before it came; four were not.
  expect(order.indexOf('reread')).toBeLessThanOrEqual(8);
});

test('the latency is the mean of what was answered', async () => {
  const { run, pacer, clock } = scripted();
  expect(pacer.latencyMs()).toBe(null);
  for (const ms of [100, 300]) {
    const send = async (): Promise<Reply> => {
      clock.advance(ms);
      return { kind: 'answer', status: 200, header: () => null, text: '{}' };
    };
    await pacer.run({ endpoint: 'GET /account', urgency: 'changed', send });
  }
  expect(pacer.latencyMs()).toBe(200);
  const failed = async (): Promise<Reply> => ({ kind: 'failure', cause: 'timeout', message: 'slow' });
  await pacer.run({ endpoint: 'GET /account', urgency: 'changed', send: failed });
  expect(pacer.latencyMs()).toBe(200);
  await run([{}]);
  expect(pacer.latencyMs()).toBeCloseTo(133, 0);
});

describe('budgets', () => {
  /** Answers as a fixed window of `limit` requests a minute gives them. */
  function limited(clock: VirtualClock, limit: number): () => Answer {
    let start = 0;
    let used = 0;
    return () => {
      const now = Math.floor(clock.now() / 1000);
      if (now >= start + 60) {
        start = now;
        used = 0;
      }
      used += 1;
      const headers = {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(Math.max(0, limit - used)),
        'x-ratelimit-reset': String(start + 60),
      };
      return used > limit
        ? { status: 429, headers: { ...headers, 'retry-after': String(start + 60 - now) } }
        : { headers };
    };
  }

  test('a probe goes first, and the others wait for what it learns', async () => {
    const clock = virtualClock();
    const { pacer } = scripted({ clock });
    const begun: number[] = [];
    const first = Promise.withResolvers<Reply>();
    const send = (index: number) => (): Promise<Reply> => {
      begun.push(index);
      return index === 0 ? first.promise : Promise.resolve(reply());
    };
    const reply = (): Reply => ({ kind: 'answer', status: 200, header: () => null, text: '' });
    const runs = [0, 1, 2].map((index) =>
      pacer.run({ endpoint: 'GET /account', urgency: 'changed', send: send(index) }),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(begun).toEqual([0]);
    first.resolve(reply());
    await Promise.all(runs);
    expect(begun).toEqual([0, 1, 2]);
  });

  test('whole windows are used, and no request is refused', async () => {
    const clock = virtualClock();
    const { pacer } = scripted({ clock });
    const next = limited(clock, 30);
    const statuses: number[] = [];
    const send = (): Promise<Reply> => {
      const { status = 200, headers = {} } = next();
      statuses.push(status);
      const all: Readonly<Record<string, string>> = { date: new Date(clock.now()).toUTCString(), ...headers };
      return Promise.resolve({ kind: 'answer', status, header: (name) => all[name] ?? null, text: '' });
    };
    const begin = clock.now();
    await Promise.all(
      Array.from({ length: 100 }, () => pacer.run({ endpoint: 'GET /account', urgency: 'changed', send })),
    );
    expect(statuses).toEqual(Array.from({ length: 100 }, () => 200));
    // ceil(100 / 30) - 1 windows, each with the second that whole seconds may hide.
    expect((clock.now() - begin) / 1000).toBeLessThanOrEqual(3 * 61);
  });

  test('endpoints do not wait for each other', async () => {
    const { run, clock } = scripted();
    const usedUp = {
      headers: {
        'x-ratelimit-limit': '1',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.floor(clock.now() / 1000) + 60),
      },
    };
    await run([usedUp], 'GET /account');
    await run([{}], 'GET /domains');
    expect(clock.sleeps).toEqual([]);
  });

  test('a 429 that its endpoint does not explain holds the whole account back', async () => {
    const { run, clock, sentAt } = scripted();
    const reset = String(Math.floor(clock.now() / 1000) + 60);
    const headers = {
      'x-ratelimit-limit': '200',
      'x-ratelimit-remaining': '150',
      'x-ratelimit-reset': reset,
    };
    await run([{ headers }], 'GET /account');
    const refused = { ...REFUSED, headers: { ...headers, 'retry-after': '30' } };
    await Promise.all([
      run([refused, { headers }], 'GET /account'),
      run([{}], 'GET /domains').then(() => undefined),
    ]);
    const before = sentAt.length;
    await run([{}], 'GET /domains/:domain');
    expect(clock.sleeps).toContain(30_000);
    expect(sentAt.length).toBe(before + 1);
  });

  test('urgent requests overtake the sweep, which leaves half of the window', async () => {
    const { run, clock, pacer } = scripted();
    const reset = String(Math.floor(clock.now() / 1000) + 60);
    const half = {
      headers: { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': reset },
    };
    await run([half], 'GET /account', 'sweep');
    await run([half], 'GET /account', 'changed');
    expect(clock.sleeps).toEqual([]);
    await run([half], 'GET /account', 'sweep');
    expect(clock.sleeps).toEqual([61_000]);
    expect(pacer.totals().waitedSeconds).toBe(61);
  });

  test('the permission to send a request is checked when its turn comes, not when it begins to wait', async () => {
    const { clock, pacer, run } = scripted();
    const asked: number[] = [];
    const spent = {
      headers: {
        'x-ratelimit-limit': '10',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.floor(clock.now() / 1000) + 60),
      },
    };
    await run([spent]);
    const before = clock.monotonic();
    const objection = (): Promise<string> => {
      asked.push(clock.monotonic() - before);
      return Promise.resolve('somebody else is at it');
    };
    const send = (): never => expect.unreachable();
    const request = { endpoint: 'GET /account', urgency: 'changed', objection, send } as const;
    const refused = { kind: 'objected', message: 'somebody else is at it' };
    expect(await pacer.run(request)).toEqual(refused);
    expect(asked).toEqual([61_000]);
    // It gives back its place, and does not count.
    expect(await Promise.all(Array.from({ length: 20 }, () => pacer.run(request)))).toEqual(
      Array.from({ length: 20 }, () => refused),
    );
    expect(pacer.totals().total).toBe(1);
    expect(await run([{}])).toMatchObject({ kind: 'answer' });
  });

  test('a stop ends every wait, and nothing more is sent', async () => {
    const stop = new AbortController();
    const clock: VirtualClock = { ...virtualClock(), sleep: async () => stop.abort() };
    const { run, sentAt } = scripted({ signal: stop.signal, clock });
    expect(await run([REFUSED])).toEqual({ kind: 'stopped' });
    expect(await run([{}])).toEqual({ kind: 'stopped' });
    expect(sentAt).toHaveLength(1);
  });
});

describe('against a service with limits', () => {
  test('100 requests at 30 a minute: no 429, and no window wasted', async () => {
    const account = await testAccount(
      { account: { email: EMAIL }, domains: [{ domain: DOMAIN }] },
      { rateLimit: 30 },
    );
    const client = account.client();
    const begin = account.clock.now();
    await Promise.all(Array.from({ length: 100 }, () => client.items('alias').list(DOMAIN)));
    expect(client.totals()).toMatchObject({ total: 100, retried: 0, rateLimited: 0 });
    expect((account.clock.now() - begin) / 1000).toBeLessThanOrEqual(3 * 62);
  });

  test.each([
    ['windows at the minutes of the clock', { per: 'template', limit: 30, align: 'clock' }],
    ['windows of ten seconds', { per: 'template', limit: 30, windowSeconds: 10 }],
  ] as const)('%s: no 429', async (_, rule) => {
    const account = await testAccount(
      { account: { email: EMAIL }, domains: [{ domain: DOMAIN }] },
      { rateLimit: [rule] },
    );
    const client = account.client();
    await Promise.all(Array.from({ length: 100 }, () => client.items('alias').list(DOMAIN)));
    expect(client.totals()).toMatchObject({ total: 100, rateLimited: 0 });
  });

  test.each([
    [
      'a limit of the whole account beside those of the endpoints',
      [
        { per: 'template', limit: 30 },
        { per: 'account', limit: 40 },
      ],
    ],
    ['a sliding window', [{ per: 'template', limit: 20, window: 'sliding' }]],
    ['a limit of each path', [{ per: 'path', limit: 20 }]],
  ] as const)('%s: everything arrives, with few refusals', async (_, rateLimit) => {
    const account = await testAccount(
      { account: { email: EMAIL }, domains: [{ domain: DOMAIN }] },
      { rateLimit },
    );
    const client = account.client();
    const asked = Array.from({ length: 50 }, () => [
      client.items('alias').list(DOMAIN),
      client.items('rule').list(DOMAIN),
    ]).flat();
    const answers = await Promise.all<{ readonly ok: boolean }>(asked);
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(client.totals().rateLimited).toBeLessThanOrEqual(16);
  });

  test.each([
    ['one of the whole account', [{ per: 'account', limit: 40, windowSeconds: 4 }]],
    [
      'a sliding one of the whole account',
      [{ per: 'account', limit: 40, windowSeconds: 4, window: 'sliding' }],
    ],
    [
      'one of the whole account beside those of endpoints',
      [
        { per: 'template', limit: 30, windowSeconds: 4 },
        { per: 'account', limit: 40, windowSeconds: 4 },
      ],
    ],
    [
      'one of the whole account beside longer ones of endpoints',
      [
        { per: 'template', limit: 400, windowSeconds: 60 },
        { per: 'account', limit: 40, windowSeconds: 4 },
      ],
    ],
    [
      'one for reads and one for writes',
      [
        { per: 'account', methods: 'read', limit: 40, windowSeconds: 4 },
        { per: 'account', methods: 'write', limit: 20, windowSeconds: 4 },
      ],
    ],
    ['one of each path', [{ per: 'path', limit: 40, windowSeconds: 4 }]],
  ] as const)(
    'a limit that is full again after 4 s, %s: no wait is longer, and the next is foreseen',
    async (_, rateLimit) => {
      const account = await testAccount(
        { account: { email: EMAIL }, domains: [{ domain: DOMAIN }] },
        { rateLimit },
      );
      const client = account.client();
      const askAll = (): readonly Promise<{ readonly ok: boolean }>[] =>
        Array.from({ length: 30 }, () => [
          client.items('alias').list(DOMAIN),
          client.items('rule').list(DOMAIN),
          client.items('credential').list(DOMAIN),
        ]).flat();
      const askOne = (): readonly Promise<{ readonly ok: boolean }>[] =>
        Array.from({ length: 90 }, () => client.items('alias').list(DOMAIN));
      for (const ask of [askAll, askOne, askAll]) {
        expect((await Promise.all(ask())).every(({ ok }) => ok)).toBe(true);
      }
      // The learned limit predicts the rest.
      const pace = { budgets: client.knownBudgets(), assumedLimit: 40, latency: 0 };
      const begin = account.clock.monotonic();
      const steps = [new Map([['GET /domains/:domain/aliases', 90]])];
      const foreseen = durationOf([{ steps, trips: 0 }], pace, begin);
      await Promise.all(askOne());
      expect(Math.abs(account.clock.monotonic() - begin - foreseen)).toBeLessThanOrEqual(1_000);
      expect(client.totals().rateLimited).toBeLessThanOrEqual(16);
      expect(Math.max(...account.clock.sleeps)).toBeLessThanOrEqual(6_000);
    },
  );

  test('no rate-limit headers at all: a 429 is waited out', async () => {
    const account = await testAccount(
      { account: { email: EMAIL }, domains: [{ domain: DOMAIN }] },
      { rateLimit: 30, switches: { rateLimitHeaders: 'omitted' } },
    );
    const answers = await Promise.all(
      Array.from({ length: 70 }, () => account.client().items('alias').list(DOMAIN)),
    );
    expect(answers.every(({ ok }) => ok)).toBe(true);
  });
});

describe('a Date that is off', () => {
  const HOUR = 3_600_000;
  const YEAR = 365 * 24 * HOUR;

  test.each([
    ['an hour behind', -HOUR],
    ['an hour ahead', HOUR],
    ['three years behind', -3 * YEAR],
    ['three years ahead', 3 * YEAR],
  ])('by %s costs at most one window, and is told', async (_, skew) => {
    for (const wrong of ['the header', 'our clock'] as const) {
      const { clock, pacer, run } = scripted();
      const server = (): number => clock.now() + (wrong === 'the header' ? 0 : skew);
      const date = new Date(clock.now() + skew).toUTCString();
      const reset = String(Math.floor(server() / 1000) + 30);
      const limits = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
      const begin = clock.monotonic();
      await run([{ headers: { date, ...limits } }]);
      await run([{}]);
      expect(clock.monotonic() - begin).toBeLessThanOrEqual(61_000);
      // With a Retry-After that is a date by the right clock.
      const second = clock.monotonic();
      const retry = new Date(server() + 20_000).toUTCString();
      await run([{ status: 429, headers: { date, 'retry-after': retry } }, {}], 'GET /else');
      expect(clock.monotonic() - second).toBeLessThanOrEqual(61_000);
      await run([{ headers: { date } }], 'GET /third');
      expect(Math.round((pacer.skewMs() ?? 0) / HOUR)).toBe(Math.round(skew / HOUR));
    }
  });

  test('by less than five minutes is nothing to tell', async () => {
    const { clock, pacer, run } = scripted();
    await run([{ headers: { date: new Date(clock.now() + 299_000).toUTCString() } }]);
    expect(pacer.skewMs()).toBe(null);
    await run([{ headers: { date: 'yesterday' } }]);
    expect(pacer.skewMs()).toBe(null);
  });
});
