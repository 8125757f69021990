import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fwdsync, type CommandResult } from '../../../support/command.ts';
import { PROGRAM } from '../../../support/program.ts';
import { everyNth, IS_FULL } from '../../../support/share.ts';

const KEY = 'emulator';
const forward = 'ana@corp.example';

let directory: string;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fwdsync-emulator-'));
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await rm(directory, { recursive: true });
});

interface Running {
  readonly urls: { readonly v4: string; readonly v3: string; readonly control?: string };
  /** Stops it. Returns its standard error. */
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; stderr: string }>;
}

/** The real command as a child process, listening. */
async function start(...args: readonly string[]): Promise<Running> {
  const child = spawn(PROGRAM, ['emulator', '--port', '0', ...args], {
    cwd: directory,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const stderr = text(child.stderr);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    urls: JSON.parse(line) as Running['urls'],
    async stop(signal) {
      child.kill(signal);
      const [code] = (await once(child, 'close')) as [number | null];
      children.delete(child);
      return { code, stderr: await stderr };
    },
  };
}

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests read answers of any shape
  readonly body: any;
}

async function send(url: string, method = 'GET', body?: unknown, key: string = KEY): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: {
      Authorization: `Basic ${btoa(`api:${key}`)}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const content = await answer.text();
  return { status: answer.status, body: content === '' ? undefined : JSON.parse(content) };
}

/** A start that fails. */
async function refused(...args: readonly string[]): Promise<CommandResult> {
  return fwdsync(['emulator', '--port', '0', ...args], { cwd: directory });
}

async function write(name: string, content: unknown): Promise<string> {
  await writeFile(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

describe('serving', () => {
  test.each(everyNth(2, ['SIGTERM', 'SIGINT'] as const))(
    'both versions until %s, which ends it with 0',
    async (signal) => {
      const running = await start();
      expect(Object.keys(running.urls)).toEqual(['v4', 'v3']);
      expect((await send(`${running.urls.v4}/domains`, 'POST', { domain: 'acme.example' })).status).toBe(200);
      expect((await send(`${running.urls.v3}/domains`)).body).toMatchObject({ success: true, total: 1 });
      expect((await send(new URL('/_emulator/state', running.urls.v4).href)).status).toBe(404);
      expect(await running.stop(signal)).toEqual({ code: 0, stderr: '' });
      expect(await readdir(directory)).toEqual([]);
    },
  );

  test('--api-key, --plan, --rate-limit and --window; --accounts serves more accounts, each under its own key', async () => {
    const accounts = [{ key: 'one', state: { account: { email: 'one@agency.example' } } }, { key: 'two' }];
    const file = await write('accounts.json', accounts);
    const limit = ['--rate-limit', '2', '--window', '300'];
    const running = await start('--api-key', 'secret', '--plan', 'free', ...limit, '--accounts', file);
    expect((await send(`${running.urls.v4}/account`)).status).toBe(401);
    const account = await send(`${running.urls.v4}/account`, 'GET', undefined, 'secret');
    expect(account.body.account.plan.name).toBe('Free');
    await send(`${running.urls.v4}/account`, 'GET', undefined, 'secret');
    expect((await send(`${running.urls.v4}/account`, 'GET', undefined, 'secret')).status).toBe(429);
    const one = await send(`${running.urls.v4}/account`, 'GET', undefined, 'one');
    expect(one.body.account.email).toBe('one@agency.example');
    expect((await send(`${running.urls.v4}/account`, 'GET', undefined, 'two')).status).toBe(200);
    await running.stop('SIGTERM');
    expect(await refused('--accounts', file, '--api-key', 'two')).toMatchObject({ code: 64 });
    await write('accounts.json', [...accounts, { key: 'one' }]);
    const twice = await refused('--accounts', file);
    expect(twice).toMatchObject({ code: 1 });
    expect(twice.stderr).toContain('accounts.json: $[2] has "one", like item 0');
  });

  test('--control and --faults, which strike; its port is in use', async () => {
    const name = await write('faults.json', [
      { match: { method: 'GET', endpoint: '/account' }, do: { kind: 'status', code: 503 } },
    ]);
    const running = await start('--control', '--faults', name);
    expect(Object.keys(running.urls)).toEqual(['v4', 'v3', 'control']);
    const { control = '' } = running.urls;
    await send(`${control}/state`, 'PUT', {
      domains: [{ domain: 'acme.example', aliases: [{ alias: '*', forward }] }],
    });
    const delivered = await send(`${control}/messages`, 'POST', { to: 'x@acme.example', from: forward });
    expect(delivered.body.destinations).toEqual([forward]);
    expect((await send(`${running.urls.v4}/domains/acme.example/logs/count`)).body).toEqual({ total: 1 });
    const statuses = [];
    for (const _ of [1, 2]) statuses.push((await send(`${running.urls.v4}/account`)).status);
    expect(statuses).toEqual([503, 200]);
    const { port } = new URL(running.urls.v4);
    const second = await fwdsync(['emulator', '--port', port], { cwd: directory });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain('EADDRINUSE');
    expect(second.stderr).toContain('--port');
    await running.stop('SIGTERM');
  });

  test.each([
    [['--port', 'http'], 'It must be a port', 64],
    [['--plan', 'gold'], 'Allowed choices', 64],
    [['--port', '99999'], 'It must be a port', 64],
  ])('%j: %s', async (args, message, code) => {
    const result = await fwdsync(['emulator', ...args], { cwd: directory });
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toContain(message);
  });
});

describe('--state', () => {
  test('the account is there again after a restart, in directories that are made, and through a link', async () => {
    const first = await start('--state', 'a/b/account.json', '--control');
    await send(`${first.urls.v4}/domains`, 'POST', { domain: 'acme.example' });
    const domain = `${first.urls.v4}/domains/acme.example`;
    const added = await send(`${domain}/aliases`, 'POST', { alias: 'sales', forward });
    await send(`${domain}/rules`, 'POST', { type: 'alias', config: { alias: 'jobs', forward } });
    await send(`${domain}/credentials`, 'POST', { username: 'carol', password: 'correct horse' });
    await send(`${first.urls.control}/messages`, 'POST', { to: 'sales@acme.example', from: forward });
    const { body: before } = await send(`${first.urls.control}/state`);
    expect((await first.stop('SIGTERM')).code).toBe(0);

    await symlink('a/b/account.json', join(directory, 'account.json'));
    const second = await start('--state', 'account.json', '--control');
    expect((await send(`${second.urls.control}/state`)).body).toEqual(before);
    const kept = `${second.urls.v4}/domains/acme.example`;
    expect((await send(`${kept}/aliases/${added.body.alias.id}`)).body).toEqual(added.body);
    expect((await send(`${kept}/logs`)).body.logs).toHaveLength(1);
    await send(`${second.urls.v4}/domains`, 'POST', { domain: 'beta.example' });
    await second.stop('SIGTERM');
    expect(await readlink(join(directory, 'account.json'))).toBe('a/b/account.json');
    expect(await readdir(join(directory, 'a/b'))).toEqual(['account.json']);
    expect((await savedState()).domains).toHaveLength(2);
  });

  test.runIf(IS_FULL)('changes are soon on disk, complete, and only for the owner', async () => {
    const running = await start('--state', 'account.json');
    for (const index of Array.from({ length: 20 }).keys()) {
      await send(`${running.urls.v4}/domains`, 'POST', { domain: `d${index}.example` });
    }
    await expect.poll(async () => (await savedState()).domains.length, { interval: 20 }).toBe(20);
    expect((await stat(join(directory, 'account.json'))).mode & 0o777).toBe(0o600);
    await running.stop('SIGKILL');
    const again = await start('--state', 'account.json');
    expect((await send(`${again.urls.v4}/domains`)).body.total).toBe(20);
    await again.stop('SIGTERM');
    expect((await readdir(directory)).filter((name) => !name.endsWith('.tmp'))).toEqual(['account.json']);
  });

  test.each<[string, unknown, string]>([
    ['no JSON', '{"domains": [', 'account.json is not JSON'],
    ['empty', '', 'account.json is not JSON'],
    [
      'a mistake',
      { domains: [{ domain: 'a.example', aliases: [{ alias: 'x' }] }] },
      'account.json: $.domains[0].aliases[0].forward is missing',
    ],
    ['two mistakes', { tier: 'gold', domain: [] }, 'account.json: $.domain is unknown'],
  ])('%s: 1, with file and place, and the file stays as it is', async (_name, content, message) => {
    await write('account.json', content);
    const before = await readFile(join(directory, 'account.json'), 'utf8');
    const { code, stdout, stderr } = await refused('--state', 'account.json');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(await readFile(join(directory, 'account.json'), 'utf8')).toBe(before);
  });

  test('a directory in its place', async () => {
    await mkdir(join(directory, 'account.json'));
    const { code, stderr } = await refused('--state', 'account.json');
    expect(code).toBe(1);
    expect(stderr).toContain('cannot be read');
  });

  test('a directory that cannot be made: 1 at once', async () => {
    const { code, stdout, stderr } = await refused('--state', '/proc/nothing/here/account.json');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('/proc/nothing/here/account.json cannot be written');
  });

  test.runIf(IS_FULL)('a place that cannot be written is said, and the emulator serves on', async () => {
    await mkdir(join(directory, 'place'));
    const running = await start('--state', 'place/account.json');
    await rm(join(directory, 'place'), { recursive: true });
    await write('place', 'a file in place of the directory');
    await send(`${running.urls.v4}/domains`, 'POST', { domain: 'acme.example' });
    expect((await send(`${running.urls.v4}/domains`)).body.total).toBe(1);
    const { code, stderr } = await running.stop('SIGTERM');
    expect(code).toBe(1);
    expect(stderr).toContain('cannot be written');
  });

  async function savedState(): Promise<{ domains: unknown[] }> {
    const content = await readFile(join(directory, 'account.json'), 'utf8').catch(() => '{"domains":[]}');
    return JSON.parse(content) as { domains: unknown[] };
  }
});

describe('--faults', () => {
  test.each<[string, unknown, string]>([
    ['not there', undefined, 'faults.json does not exist'],
    ['no JSON', '[', 'faults.json is not JSON'],
    ['no list', {}, 'faults.json: $ must be an array'],
    [
      'a mistake',
      [{ match: {}, do: { kind: 'drop', when: 'never' } }],
      'faults.json: $[0].do.when must be one of "before", "after"',
    ],
  ])('%s: 1, with file and place', async (_name, content, message) => {
    if (content !== undefined) await write('faults.json', content);
    const { code, stderr } = await refused('--faults', 'faults.json');
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});
