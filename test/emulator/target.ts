import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { startEmulator, type Emulator, type ServerOptions } from '../../src/emulator/server.ts';

/**
 * What the suite of v4 facts runs against: an emulator of its own, or, with EMULATOR_URL (a v4 root address) and
 * EMULATOR_KEY in the environment, any other implementation with a paid account, a high rate limit and no domain
 * that ends in `.suite.example`. The domains it adds are deleted at the end.
 */
export interface Target {
  readonly send: Send;
  /** Adds a domain and deletes whatever aliases came with it. */
  emptyDomain(): Promise<string>;
  /** A name that no domain has. */
  freshName(): string;
  /** Has a domain of this name deleted at the end. */
  claim(name: string): void;
  /** Lets at least a second go by. */
  passSecond(): Promise<void>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the tests read answers of any shape
export type Body = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** undefined when there is none. */
  readonly body: Body;
}

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

export const KEY = 'sk_test_key';
export const START = Date.UTC(2026, 0, 15, 12, 0, 0);

export function authorization(key: string): string {
  return `Basic ${Buffer.from(`api:${key}`).toString('base64')}`;
}

/** Sends JSON, or a string as it is. */
export function sender(root: string, key: string): Send {
  return async (method, path, body, headers) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(root + path, {
      method,
      redirect: 'manual',
      headers: {
        Authorization: authorization(key),
        ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: answer === '' ? undefined : JSON.parse(answer),
    };
  };
}

export interface Clock {
  now: number;
}

/** An emulator with a clock that stands still until it is set. */
export async function startTestEmulator(
  options: Partial<ServerOptions> = {},
): Promise<{ emulator: Emulator; send: Send; clock: Clock; slept: number[] }> {
  const clock: Clock = { now: START };
  const slept: number[] = [];
  const emulator = await startEmulator({
    apiKey: KEY,
    plan: 'paid',
    now: () => clock.now,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
    },
    randomId: randomUUID,
    ...options,
  });
  return { emulator, send: sender(emulator.urls.v4, KEY), clock, slept };
}

/** Call at the top of a file; the target can be used inside of its tests. */
export function useTarget(): Target {
  const external = process.env['EMULATOR_URL'];
  let send: Send | undefined;
  let stop = async (): Promise<void> => {};
  let passSecond = async (): Promise<void> => {
    await pause(1100);
  };
  const added: string[] = [];
  beforeAll(async () => {
    if (external !== undefined) {
      send = sender(external.replace(/\/$/, ''), process.env['EMULATOR_KEY'] ?? '');
      return;
    }
    const own = await startTestEmulator({ rateLimit: 1_000_000 });
    send = own.send;
    stop = () => own.emulator.close();
    passSecond = async () => {
      own.clock.now += 1000;
    };
  });
  afterAll(async () => {
    for (const domain of added) await send?.('DELETE', `/domains/${domain}`);
    await stop();
  });
  const call: Send = (...request) => {
    if (send === undefined) throw new Error('the target can be used inside of tests only');
    return send(...request);
  };
  const freshName = (): string => {
    const name = `t${randomUUID().slice(0, 13)}.suite.example`;
    added.push(name);
    return name;
  };
  return {
    send: call,
    freshName,
    claim: (name) => added.push(name),
    passSecond: () => passSecond(),
    async emptyDomain() {
      const domain = freshName();
      expect((await call('POST', '/domains', { domain })).status).toBe(200);
      expect((await call('DELETE', `/domains/${domain}/aliases?all=true`)).status).toBe(200);
      return domain;
    },
  };
}

/** v4: Errors: `message` and `errors` are always there; with field messages, `message` repeats the first. */
export function expectFailure(answer: Answer, status: number): Body {
  expect(answer.status).toBe(status);
  expect(answer.body.message).toEqual(expect.any(String));
  expect(answer.body.message).not.toBe('');
  expect(answer.body.errors).toEqual(expect.any(Object));
  expect(Array.isArray(answer.body.errors)).toBe(false);
  const fields: unknown[] = Object.values(answer.body.errors);
  for (const messages of fields) expect(messages).toEqual(expect.arrayContaining([expect.any(String)]));
  const first = fields[0];
  if (Array.isArray(first)) expect(answer.body.message).toBe(first[0]);
  return answer.body;
}

export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
