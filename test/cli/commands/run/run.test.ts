import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { byHand } from '../../../support/by-hand.ts';
import { fwdsync } from '../../../support/command.ts';
import { KEY, OWNER } from '../../../support/workspace.ts';
import { startMailServer } from '../../../service/notify/support/mail-server.ts';
import { daemon, MANIFEST, place, type Place } from '../../support/daemon-process.ts';
import { everyNth, IS_FULL } from '../../../support/share.ts';

describe('logs', () => {
  test('one line an event, with run, account and domain, and no secret in any', async () => {
    const here = await place();
    const process = daemon(here, ['--log-level', 'trace']);
    await process.event('run.finished');
    expect(await process.end()).toBe(0);
    const lines = await process.lines();
    expect(lines.map(({ event }) => event)).toEqual(
      expect.arrayContaining([
        'started',
        'status.listening',
        'manifest.accepted',
        'run.started',
        'request',
        'change.applied',
        'run.finished',
        'stopped',
      ]),
    );
    const applied = lines.filter(({ event }) => event === 'change.applied');
    expect(applied[0]).toMatchObject({
      account: 'default',
      run: expect.any(String) as unknown,
      domain: expect.any(String) as unknown,
    });
    const output = await process.output;
    for (const secret of [
      KEY,
      'battery',
      'boss@private.example',
      Buffer.from(`api:${KEY}`).toString('base64'),
    ]) {
      expect(output).not.toContain(secret);
    }
    expect(here.emulator.store.dump().domains.map(({ domain }) => domain)).toEqual([
      'acme.example',
      'new.example',
    ]);
  });

  test.runIf(IS_FULL)('--mask hides the local parts of destinations', async () => {
    const here = await place(MANIFEST.replace('carol@corp.example', 'carol@corp.example, bad@@x'));
    const options = { cwd: here.directory, env: here.env };
    const { code, stdout, stderr } = await fwdsync(['run', '--once', '--mask'], options);
    expect(code).toBe(5);
    expect(stdout + stderr).toContain('bad@@');
    expect(stdout + stderr).not.toContain('carol@');
  });
});

/** A module that lets every wait of ten seconds and more last a twentieth of its time. */
const TWENTY_TIMES_FASTER = `data:text/javascript,${encodeURIComponent(`
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (work, milliseconds, ...rest) =>
    setTimeout(work, milliseconds < 10_000 ? milliseconds : milliseconds / 20, ...rest);
`)}`;

describe('SIGTERM', () => {
  const SMALL = `version: 1
api: { account: ${OWNER} }
domains:
  acme.example:
    prune: { aliases: true }
    aliases: { sales: carol@corp.example, info: carol@corp.example }
`;

  test('at each request of a run: exit 0 in time, and the next start converges', async () => {
    const whole = await place(SMALL);
    const first = daemon(whole);
    await first.event('run.finished');
    await first.end();
    const total = whole.emulator.journal.total();
    const wanted = aliasesOf(whole);
    expect(total).toBeGreaterThan(8);
    const all = Array.from({ length: total }, (_, index) => index + 1);
    const requests = everyNth(24, all);
    for (let at = 0; at < requests.length; at += 4) {
      await Promise.all(requests.slice(at, at + 4).map((request) => endedAt(request, wanted)));
    }
  }, 120_000);

  async function endedAt(request: number, wanted: object): Promise<void> {
    const here = await place(SMALL);
    const process = daemon(here);
    let arrived = 0;
    let signalledAt = 0;
    here.emulator.onRequest(({ phase }) => {
      if (phase === 'before') arrived += 1;
      if (phase !== 'before' || arrived !== request) return;
      signalledAt = Date.now();
      process.child.kill('SIGTERM');
    });
    await once(process.child, 'exit');
    expect([request, process.child.exitCode]).toEqual([request, 0]);
    expect(Date.now() - signalledAt).toBeLessThan(20_000);
    // Requests in flight may still arrive; no new one is sent.
    expect(here.emulator.journal.total()).toBeLessThanOrEqual(request + 2);
    const next = await fwdsync(['run', '--once'], { cwd: here.directory, env: here.env });
    expect([request, next.code]).toEqual([request, 0]);
    expect([request, aliasesOf(here)]).toEqual([request, wanted]);
  }

  function aliasesOf({ emulator }: Place): object {
    return emulator.store
      .dump({ without: 'volatile' })
      .domains.map(({ domain, aliases }) => ({ domain, aliases }));
  }

  test.each(everyNth(2, ['POST', 'GET']))(
    'a %s that is never answered: exit 0 after 20 s, and no sooner',
    async (method) => {
      const here = await place(SMALL);
      here.emulator.faults.push({ match: { method, times: 'always' }, do: { kind: 'delay', ms: 60_000 } });
      const hanging = Promise.withResolvers<void>();
      here.emulator.onRequest((event) => {
        if (event.phase === 'before' && event.method === method) hanging.resolve();
      });
      const process = daemon(here, [], { NODE_OPTIONS: `--import ${TWENTY_TIMES_FASTER}` });
      await process.event('started');
      await hanging.promise;
      const sent = here.emulator.journal.total();
      const signalledAt = performance.now();
      expect(await process.end()).toBe(0);
      const seconds = ((performance.now() - signalledAt) / 1000) * 20;
      expect(seconds).toBeGreaterThan(19.9);
      expect(here.emulator.journal.total()).toBe(sent);
      expect((await process.lines()).at(-1)).toMatchObject({ event: 'stopped', signal: 'SIGTERM' });
    },
  );

  test.runIf(IS_FULL)('while a request hangs, a second signal ends it at once', async () => {
    const here = await place();
    here.emulator.faults.push({
      match: { method: 'POST', times: 'always' },
      do: { kind: 'delay', ms: 30_000 },
    });
    const hanging = Promise.withResolvers<void>();
    here.emulator.onRequest(({ phase, method }) => {
      if (phase === 'before' && method === 'POST') hanging.resolve();
    });
    const process = daemon(here);
    await hanging.promise;
    process.child.kill('SIGTERM');
    await sleep(300);
    expect(process.child.exitCode).toBeNull();
    expect(await process.end('SIGTERM')).toBe(143);
  });
});

test('a status port in use and a password that is not set are told; the rest of --domain is looked after, on SIGHUP at once', async () => {
  const here = await place();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const args = ['--interval', '1h', '--listen', `127.0.0.1:${port}`, '--domain', 'acme.example'];
  const process = daemon(here, args, { PRINTER: '' });
  await process.event('status.unavailable');
  await process.event('password.unset');
  await process.event('run.finished');
  const before = here.emulator.journal.total();
  process.child.kill('SIGHUP');
  await expect.poll(() => here.emulator.journal.total()).toBeGreaterThan(before);
  expect(await process.end('SIGINT')).toBe(0);
  const [acme, ...others] = here.emulator.store.dump().domains;
  expect(others).toEqual([]);
  // The password withholds only its credential.
  expect(acme?.aliases.map(({ alias }) => alias)).toEqual(['boss', 'sales']);
  expect(acme?.credentials).toEqual([]);
});

test('64: standard input cannot be watched', async () => {
  const here = await place();
  const { code } = await fwdsync(['run', '-f', '-'], { cwd: here.directory, env: here.env, stdin: MANIFEST });
  expect(code).toBe(64);
});

describe('--once', () => {
  test('0: applied; then 0: nothing to do', async () => {
    const here = await place();
    const args = ['run', '--once'];
    expect((await fwdsync(args, { cwd: here.directory, env: here.env })).code).toBe(0);
    expect((await fwdsync(args, { cwd: here.directory, env: here.env })).code).toBe(0);
    // The replaced values of a run are in the state directory.
    const [account = ''] = await readdir(join(here.directory, 'state'));
    const snapshots = join(here.directory, 'state', account, 'snapshots');
    const [snapshot = ''] = await readdir(snapshots);
    expect(await readFile(join(snapshots, snapshot), 'utf8')).toContain('dan@corp.example');
  });

  test('2 with --mode observe where something differs, and nothing is written; 0 where nothing does', async () => {
    const here = await place();
    const options = { cwd: here.directory, env: here.env };
    const { code } = await fwdsync(['run', '--once', '--mode', 'observe'], options);
    expect(code).toBe(2);
    expect(here.emulator.journal.entries().every(({ method }) => method === 'GET')).toBe(true);
    expect((await fwdsync(['run', '--once'], options)).code).toBe(0);
    expect((await fwdsync(['run', '--once', '--mode', 'observe'], options)).code).toBe(0);
  });

  test('its lines are those of the daemon', async () => {
    const here = await place();
    const { stdout } = await fwdsync(['run', '--once', '--log-level', 'debug'], {
      cwd: here.directory,
      env: here.env,
    });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; account: string });
    const events = [
      'manifest.accepted',
      'run.started',
      'request',
      'snapshot.saved',
      'change.applied',
      'run.finished',
    ];
    expect([...new Set(lines.map(({ event }) => event))]).toEqual(expect.arrayContaining(events));
    expect(lines.every(({ account }) => account === 'default')).toBe(true);
    const applied = lines.find((line) => line.event === 'change.applied' && 'from' in line);
    expect(applied).toMatchObject({ run: expect.any(String) as unknown });
    expect(lines.at(-1)).toMatchObject({
      event: 'run.finished',
      requests: here.emulator.journal.entries().length,
    });
    expect(stdout).not.toContain('boss@private.example');
  });

  test('1: the key is refused, which has the step of the daemon, and a hint', async () => {
    const here = await place();
    const env = { ...here.env, FWDSYNC_API_KEY: 'another-key' };
    const { code, stdout, stderr } = await fwdsync(['run', '--once'], { cwd: here.directory, env });
    expect(code).toBe(1);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      event: 'run.failed',
      step: 'unauthorised',
    });
    expect(stderr).toContain('try: check the key');
  });

  test('5: the manifest is invalid', async () => {
    const here = await place('version: 1\ndomains: { acme.example: 1 }\n');
    expect((await fwdsync(['run', '--once'], { cwd: here.directory, env: here.env })).code).toBe(5);
  });
});

describe('notifications', () => {
  async function hook(
    answers: readonly number[],
  ): Promise<{ url: string; bodies: Record<string, unknown>[]; server: Server }> {
    const bodies: Record<string, unknown>[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      bodies.push(JSON.parse(await text(request)) as Record<string, unknown>);
      response.statusCode = answers[bodies.length - 1] ?? 200;
      response.end();
    };
    const server = createServer((request, response) => {
      void answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/T0P/secret-token`,
      bodies,
      server,
    };
  }

  test('drift that was put right, a run that failed, and the one that put it right, with the address in a file', async () => {
    const here = await place();
    // It is tried again when the hook fails.
    const { url, bodies } = await hook([503]);
    await writeFile(join(here.directory, 'hook'), `${url}\n`);
    const process = daemon(here, ['--interval', '1s'], { FWDSYNC_NOTIFY_URL_FILE: 'hook' });
    await process.event('run.finished');
    const [domain] = here.emulator.store.dump().domains;
    const id = domain?.aliases.find(({ alias }) => alias === 'sales')?.id;
    const edit = (forward: string): Promise<unknown> =>
      byHand(here.emulator, 'PUT', `/v4/domains/acme.example/aliases/${id}`, { forward });
    await edit('mallory@elsewhere.example');
    await expect.poll(() => bodies.length).toBe(2);
    expect(bodies[1]).toMatchObject({
      event: 'drift-found',
      count: 1,
      text: expect.stringContaining('alias sales of acme.example') as unknown,
    });
    await edit('mallory@elsewhere.example');
    here.emulator.faults.push({
      match: { method: 'PUT', times: 'always' },
      do: { kind: 'status', code: 400 },
    });
    await expect.poll(() => bodies.map(({ event }) => event)).toContain('apply-failed');
    here.emulator.faults.clear();
    // A run sends one message: the recovery is in the message about the drift that this run corrects.
    await expect.poll(() => bodies.at(-1)?.['text']).toContain('resolved: runs succeed again');
    await writeFile(join(here.directory, 'fwdsync.yaml'), 'version: 1\ndomains: { acme.example: 1 }\n');
    await expect
      .poll(() => bodies.at(-1))
      .toMatchObject({
        event: 'manifest-invalid',
        account: 'default',
        text: expect.stringContaining('fwdsync.yaml:2') as unknown,
      });
    await process.end();
    expect(await process.output).not.toContain('secret-token');
  });

  const mailUrl = (port: number): string =>
    `smtp://ops:p%25ss%20word@127.0.0.1:${port}/?from=f@acme.example&to=ops@acme.example`;

  test('a test message by mail, with the password nowhere', async () => {
    const server = await startMailServer({ tls: 'starttls' });
    const here = await place('version: 1\ndomains: { acme.example: 1 }\n');
    const env = { ...here.env, FWDSYNC_NOTIFY_URL: mailUrl(server.port) };
    const args = ['run', '--notify-format', 'mail', '--notify-test'];
    const { code, stdout, stderr } = await fwdsync(args, { cwd: here.directory, env });
    expect([code, server.mails.map(({ subject }) => subject)]).toEqual([0, ['fwdsync: test']]);
    expect(here.emulator.journal.entries()).toEqual([]);
    expect(stdout + stderr).not.toContain('p%');
  });

  test.runIf(IS_FULL)('events by mail, without the password', async () => {
    const server = await startMailServer({ tls: 'starttls' });
    const here = await place('version: 1\ndomains: { acme.example: 1 }\n');
    const env = { FWDSYNC_NOTIFY_URL: mailUrl(server.port) };
    const process = daemon(here, ['--notify-format', 'mail'], env);
    await expect.poll(() => server.mails.length).toBe(1);
    expect(server.mails[0]).toMatchObject({
      isSecure: true,
      subject: 'fwdsync default: the manifest is invalid',
      text: expect.stringContaining('fwdsync.yaml:2') as unknown,
    });
    expect(await process.end()).toBe(0);
    expect(await process.output).not.toContain('p%');
  });

  test('an address that is not safe for a secret: 64', async () => {
    const here = await place();
    const env = { ...here.env, FWDSYNC_NOTIFY_URL: 'http://hooks.example/secret-token' };
    const { code, stderr, stdout } = await fwdsync(['run', '--listen', '127.0.0.1:0'], {
      cwd: here.directory,
      env,
    });
    expect(code).toBe(64);
    expect(stderr + stdout).not.toContain('secret-token');
  });
});
