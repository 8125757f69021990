import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import statusSchema from '../../../schemas/status.v1.schema.json' with { type: 'json' };
import type { AccountStatus, DaemonEvent } from '../../../src/core/model/status/daemon.ts';
import type { DomainName } from '../../../src/core/model/names.ts';
import { accountStatus, domainStatus } from './support/statuses.ts';
import { serve } from './support/serve.ts';
import { everyNth } from '../../support/share.ts';

const GOOD = accountStatus();
const BAD: AccountStatus = {
  ...GOOD,
  name: 'beta',
  manifest: {
    state: 'refused',
    inForce: true,
    message: 'the manifest is invalid: 1 error',
    problems: [
      {
        severity: 'error',
        code: 'unknown-key',
        message: 'there is no key secret@corp.example',
        hint: 'leave it out',
        source: { file: 'beta.yaml', line: 3, column: 5 },
      },
    ],
  },
};

describe('health and readiness', () => {
  test('alive, and ready when every account is', async () => {
    const { get } = await serve([GOOD]);
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
  });

  test('one account that is not ready says so, with the reason', async () => {
    const { get } = await serve([GOOD, BAD]);
    const answer = await get('/readyz');
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toMatchObject({
      accounts: [
        { name: 'acme', ready: true },
        { name: 'beta', ready: false, reason: 'the manifest is not valid: see /status' },
      ],
    });
    expect((await get('/healthz')).status).toBe(200);
  });

  test('without any account: alive, not ready', async () => {
    expect((await (await serve([])).get('/readyz')).status).toBe(503);
  });

  test('a loop that no longer turns is not alive', async () => {
    expect((await (await serve([GOOD], { isAlive: () => false })).get('/healthz')).status).toBe(503);
  });
});

test('status tells of accounts and domains, with the places of problems and without what is to be concealed', async () => {
  const { get } = await serve([GOOD, BAD]);
  const { text } = await get('/status');
  const validate = new Ajv2020({ validateFormats: false }).compile(statusSchema);
  expect(validate(JSON.parse(text)), JSON.stringify(validate.errors)).toBe(true);
  expect(JSON.parse(text)).toMatchObject({
    kind: 'fwdsync/status@1',
    accounts: [
      { name: 'acme', ready: true, domains: [{ domain: 'acme.example', state: 'in-sync' }] },
      { name: 'beta', manifest: { problems: [{ source: { file: 'beta.yaml', line: 3, column: 5 } }] } },
    ],
  });
  expect(text).not.toContain('secret@');
});

describe('metrics', () => {
  const run: DaemonEvent = {
    account: 'ops@acme.example',
    kind: 'run-finished',
    run: 'r2',
    cause: 'sweep',
    seconds: 3,
    result: { kind: 'failed', what: 'read', message: 'GET /account: 503 for ops@acme.example' },
  };
  const sent: DaemonEvent = {
    account: 'acme',
    kind: 'request',
    endpoint: 'PUT /domains/:domain/aliases/:id',
    status: null,
    seconds: 0.2,
    waitedSeconds: 61,
  };

  test('names, units and help pass the check of Prometheus', async () => {
    const { get, metrics } = await serve([GOOD, BAD]);
    metrics.record(run);
    metrics.record(sent);
    const { text } = await get('/metrics');
    expect(lint(text)).toBe('');
  });

  test('hold no address, and labels of closed lists', async () => {
    const { get, metrics } = await serve([GOOD, { ...BAD, name: 'ops@beta.example' }]);
    metrics.record(run);
    metrics.record(sent);
    const { text } = await get('/metrics');
    expect(text).not.toContain('@');
    expect(text).toContain('fwdsync_runs_total{account="acme.example",cause="sweep",outcome="failed"} 1');
    expect(text).toContain(
      'fwdsync_api_requests_total{account="acme",endpoint="PUT /domains/:domain/aliases/:id",status="none"} 1',
    );
    expect(text).toContain('fwdsync_api_wait_seconds_total{account="acme"} 61');
    expect(text).toContain('fwdsync_manifest_problems{account="beta.example",severity="error"} 1');
    expect(text).toContain('fwdsync_build_info{version="1.2.3"');
  });

  test('domains by what the service says about their mail, as /status has them', async () => {
    const said = ['yes', 'stopped', 'never', null] as const;
    const domains = new Map(
      said.map((receiving, index) => [`d${index}.example`, domainStatus({ receiving })]),
    );
    const { get } = await serve([{ ...GOOD, domains }]);
    const { text } = await get('/metrics');
    for (const receiving of ['yes', 'stopped', 'never', 'unknown'])
      expect(text).toContain(`fwdsync_domains_receiving{account="acme",receiving="${receiving}"} 1`);
    expect(JSON.parse((await get('/status')).text)).toMatchObject({
      accounts: [
        { domains: [{ receiving: true }, { receiving: false }, { receiving: false }, { receiving: null }] },
      ],
    });
  });

  test('domains by state, and what is still to be done', async () => {
    const pending = { add: 1, update: 2, move: 0, delete: 0 };
    const drifted = domainStatus({ state: 'drifted', pending });
    const domains = new Map([...GOOD.domains, ['b.example' as DomainName, drifted]]);
    const { get } = await serve([{ ...GOOD, domains }]);
    const { text } = await get('/metrics');
    expect(text).toContain('fwdsync_domains{account="acme",state="in-sync"} 1');
    expect(text).toContain('fwdsync_domains{account="acme",state="drifted"} 1');
    expect(text).toContain('fwdsync_drift_items{account="acme",action="update"} 2');
  });
});

/** Returns the errors of `promtool check metrics`. */
function lint(text: string): string {
  try {
    execFileSync('promtool', ['check', 'metrics'], { input: text, stdio: ['pipe', 'pipe', 'pipe'] });
    return '';
  } catch (error) {
    const { message, stdout, stderr } = error as Error & { stdout?: Buffer; stderr?: Buffer };
    return `${message}\n${String(stdout)}${String(stderr)}`;
  }
}

describe('30: what does not belong here is refused', () => {
  test.each(['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'])('%s', async (method) => {
    expect((await (await serve([GOOD])).get('/status', { method })).status).toBe(405);
  });

  test.each(['/status/', '/../status', '/metrics/x', '/%2e%2e/%2e%2e/etc/passwd'])('%s', async (path) => {
    expect((await (await serve([GOOD])).get(path)).status).toBe(404);
  });

  test.each([
    ['evil.example', 421],
    ['evil.example:9477', 421],
    ['127.0.0.1.evil.example', 421],
    ['10.0.0.1', 421],
    ['a b', 421],
    ['localhost:9477', 200],
    ['[::1]:9477', 200],
    ['127.0.0.2', 200],
  ])('on loopback, a request for the host %s: %d', async (host, status) => {
    const answer = await (await serve([GOOD])).get('/healthz', { headers: { host } });
    expect(answer.status).toBe(status);
  });

  test('elsewhere, names and addresses of this machine are answered', async () => {
    const { get } = await serve([GOOD], { host: '0.0.0.0' });
    expect((await get('/healthz', { headers: { host: 'fwdsync.monitoring:9477' } })).status).toBe(200);
    expect((await get('/healthz', { headers: { host: '10.1.2.3:9477' } })).status).toBe(200);
  });

  test('headers of 10 kB', async () => {
    const { get } = await serve([GOOD]);
    expect((await get('/status', { headers: { filler: 'x'.repeat(7_000) } })).status).toBe(200);
    expect((await get('/status', { headers: { filler: 'x'.repeat(10_000) } })).status).toBe(431);
    expect((await get('/healthz')).status).toBe(200);
  });

  test.each(everyNth(2, [128, 600]))(
    'a probe is answered while %d slow clients are connected',
    async (count) => {
      const { server, get } = await serve([GOOD]);
      const sockets = Array.from({ length: count }, () => {
        const socket = connect(server.port, '127.0.0.1').on('error', () => {});
        return socket.on('connect', () =>
          socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nFiller: '),
        );
      });
      const drip = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write('x')), 200);
      onTestFinished(() => clearInterval(drip));
      const happens = (socket: Socket, event: 'close' | 'connect'): Promise<void> =>
        new Promise((resolve) => socket.once(event, () => resolve()));
      const closed = sockets.map((socket) => happens(socket, 'close'));
      await Promise.all(sockets.slice(-100).map((socket) => happens(socket, 'connect')));
      expect((await get('/healthz')).status).toBe(200);
      // Headers must arrive within 5 s. On a busy machine the other probes may take longer.
      expect(sockets.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(100);
      for (let probe = 1; probe < 20; probe += 1) expect((await get('/healthz')).status).toBe(200);
      // Headers must be complete within 5 s, even if bytes arrive steadily.
      await Promise.all(closed);
    },
  );

  test.each([
    ['says nothing', ''],
    ['never ends its headers', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nFiller: '],
    ['never sends its body', 'POST /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n'],
    ['stays after its answer', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('a client that %s is sent away within seconds', { concurrent: true }, async (_, text) => {
    const { server } = await serve([GOOD]);
    const socket = connect(server.port, '127.0.0.1');
    socket.write(text);
    socket.resume();
    await once(socket, 'close');
  });

  test('a port that is in use is an error, not a crash', async () => {
    const { server } = await serve([GOOD]);
    await expect(serve([GOOD], { port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
