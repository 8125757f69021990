import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { startEmulator, type Emulator, type ServerOptions } from '../../../src/emulator/http/server.ts';

/**
 * The server that the suites of v3 and v4 facts test. By default each suite starts an emulator. With EMULATOR_URL (a v4 root
 * address) and EMULATOR_KEY it is any other implementation with a paid account, a high rate limit and no domain that ends in
 * `.suite.example`. Domains that a suite adds are deleted at the end.
 */
export interface Target {
  readonly version: Version;
  /** Sends a request to the version under test. */
  readonly send: Send;
  readonly v3: Send;
  readonly v4: Send;
  /** The root address of a version. */
  url(version: Version): string;
  /** Adds a domain and deletes the aliases that the service made with it. */
  emptyDomain(): Promise<string>;
  /** A name that no domain has. */
  freshName(): string;
  /** Deletes the domain with this name at the end. */
  claim(name: string): void;
  /** Lets at least a second go by. */
  passSecond(): Promise<void>;
  /** Checks that an answer is an error of the API version; returns its body. */
  readonly expectFailure: (answer: Answer, status: Refusal) => Body;
}

export type Version = 'v3' | 'v4';
/** For suites about features of both versions: `describe.each(VERSIONS)('%s: …')`. */
export const VERSIONS: readonly Version[] = ['v4', 'v3'];

// oxlint-disable-next-line typescript/no-explicit-any -- the tests read answers of any shape
export type Body = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** undefined means no body. */
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

/** Sends JSON; a string is sent unchanged. */
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

interface TestEmulator {
  readonly emulator: Emulator;
  readonly send: Send;
  readonly clock: Clock;
  readonly slept: number[];
}

/** Starts an emulator whose clock stands still until the test sets it. It is closed after the test. */
export async function startTestEmulator(options?: Partial<ServerOptions>): Promise<TestEmulator> {
  const started = await openTestEmulator(options);
  onTestFinished(() => started.emulator.close());
  return started;
}

/** Starts the same emulator; the caller closes it. */
export async function openTestEmulator(options: Partial<ServerOptions> = {}): Promise<TestEmulator> {
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

/** Call at the top of a file. The target can be used only inside tests. */
export function useTarget(version: Version = 'v4'): Target {
  const external = process.env['EMULATOR_URL'];
  let server: Server | undefined;
  const running = (): Server => {
    if (server === undefined) throw new Error('the target can be used inside of tests only');
    return server;
  };
  const added: string[] = [];
  beforeAll(async () => {
    server = external === undefined ? await startOwn() : useExternal(external.replace(/\/$/, ''));
  });
  afterAll(async () => {
    for (const domain of added) await running().v4('DELETE', `/domains/${domain}`);
    await server?.stop();
  });
  const call =
    (which: Version): Send =>
    (...request) =>
      running()[which](...request);
  const freshName = (): string => {
    const name = `t${randomUUID().slice(0, 13)}.suite.example`;
    added.push(name);
    return name;
  };
  const send = call(version);
  return {
    version,
    send,
    expectFailure: version === 'v4' ? expectFailure : expectV3Failure,
    v3: call('v3'),
    v4: call('v4'),
    url: (which) => running().urls[which],
    freshName,
    claim: (name) => added.push(name),
    passSecond: () => running().passSecond(),
    async emptyDomain() {
      const domain = freshName();
      expect((await send('POST', '/domains', { domain })).status).toBe(200);
      const everything = version === 'v4' ? 'aliases?all=true' : 'aliases/aliases-all?all=true';
      expect((await send('DELETE', `/domains/${domain}/${everything}`)).status).toBe(200);
      return domain;
    },
  };
}

interface Server {
  readonly v3: Send;
  readonly v4: Send;
  readonly urls: Readonly<Record<Version, string>>;
  passSecond(): Promise<void>;
  stop(): Promise<void>;
}

async function startOwn(): Promise<Server> {
  const { emulator, send, clock } = await openTestEmulator({ rateLimit: 1_000_000 });
  return {
    v3: sender(emulator.urls.v3, KEY),
    v4: send,
    urls: emulator.urls,
    async passSecond() {
      clock.now += 1000;
    },
    stop: () => emulator.close(),
  };
}

/** The version is the last path segment of a root address (v4: Versioning). */
function useExternal(v4: string): Server {
  const urls = { v4, v3: v4.replace(/\/v4$/, '/v3') };
  return {
    v3: sender(urls.v3, targetKey()),
    v4: sender(urls.v4, targetKey()),
    urls,
    passSecond: () => pause(1100),
    stop: async () => {},
  };
}

/** The key of the target. */
export function targetKey(): string {
  return process.env['EMULATOR_URL'] === undefined ? KEY : (process.env['EMULATOR_KEY'] ?? '');
}

/** A status, or any refusal. */
export type Refusal = number | 'refused';

/** True if the tests run against another implementation. */
export const isExternal = process.env['EMULATOR_URL'] !== undefined;

/** A status that no document states. Another implementation may refuse with a different one. */
export function assumed(status: number): Refusal {
  return isExternal ? 'refused' : status;
}

/** No document defines a page after the last. Our emulator returns an empty page; others may refuse it. */
export function expectAfterEnd(answer: Answer, empty: Body): void {
  const isRefused = isExternal && answer.status >= 400;
  if (isRefused) expectFailure(answer, 'refused');
  else expect(answer).toMatchObject({ status: 200, body: empty });
}

/** v4: Errors: `message` and `errors` are always there; with field messages, `message` repeats the first. */
export function expectFailure(answer: Answer, status: Refusal): Body {
  if (status === 'refused') expect(answer.status).toSatisfy((sent: number) => sent >= 400 && sent < 500);
  else expect(answer.status).toBe(status);
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

/** v3: Errors: like those of v4, with `success` set to false. */
export function expectV3Failure(answer: Answer, status: Refusal): Body {
  const body = expectFailure(answer, status);
  expect(body.success).toBe(false);
  return body;
}

export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
