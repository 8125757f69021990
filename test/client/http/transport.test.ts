import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createTransport,
  type TransportOptions,
  type WireRequest,
} from '../../../src/client/http/transport.ts';
import type { Reply } from '../../../src/client/http/dispatch.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { httpServer, json, listen, netServer } from '../support/raw-server.ts';
import { ENDPOINTS, endpointOf } from '../../../src/core/kinds/endpoints.ts';

const KEY = 'sk_secret_0123456789';
const ACCOUNT: WireRequest = { endpoint: endpointOf('v4', 'getAccount'), params: {} };

/** Sends one request over a new transport. */
async function send(
  url: string,
  wire: WireRequest = ACCOUNT,
  options: Partial<TransportOptions> = {},
): Promise<Reply> {
  const transport = createTransport({ url, key: KEY, mode: 'read-write', ...options });
  const prepared = transport.prepare(wire);
  if (!prepared.ok) throw new Error(prepared.message);
  const reply = await prepared.send();
  await transport.close();
  return reply;
}

describe('requests', () => {
  test('carry the key as HTTP Basic, and a content type only with a body', async () => {
    const server = await httpServer((_, response) => json(response, 200, {}));
    await send(server.url);
    await send(`${server.url}/`, {
      endpoint: endpointOf('v4', 'addDomain'),
      params: {},
      body: { domain: 'a.example' },
    });
    const [read, write] = server.requests;
    expect(read?.headers.authorization).toBe(`Basic ${Buffer.from(`api:${KEY}`).toString('base64')}`);
    expect(read?.headers['content-type']).toBeUndefined();
    expect([read?.url, write?.url]).toEqual(['/v4/account', '/v4/domains']);
    expect(write?.headers['content-type']).toBe('application/json');
  });

  test('a body goes with DELETE as well', async () => {
    let body = '';
    const server = await httpServer((request, response) => {
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => json(response, 200, {}));
    });
    const params = { domain: 'a.example' };
    await send(server.url, { endpoint: endpointOf('v4', 'deleteAliases'), params, body: { ids: ['1'] } });
    expect(body).toBe('{"ids":["1"]}');
  });

  test('a read-only transport throws on anything but GET, and sends nothing', async () => {
    const server = await httpServer((_, response) => json(response, 200, {}));
    const transport = createTransport({ url: server.url, key: KEY, mode: 'read-only' });
    const writes = Object.values(ENDPOINTS.v4).filter(({ method }) => method !== 'GET');
    for (const endpoint of writes) {
      const params = { domain: 'a.example', id: '1', rule: '1', username: 'x' };
      expect(() => transport.prepare({ endpoint, params })).toThrow('read-only');
    }
    expect(writes.length).toBeGreaterThan(15);
    expect(server.requests).toEqual([]);
  });

  test('scenario 10: a name that could change the path is not sent', async () => {
    const server = await httpServer((_, response) => json(response, 200, {}));
    const transport = createTransport({ url: server.url, key: KEY, mode: 'read-write' });
    const endpoint = endpointOf('v4', 'deleteCredential');
    for (const username of ['..', '.', '%2e%2e', 'a/b', 'x?all=true', '']) {
      expect(transport.prepare({ endpoint, params: { domain: 'a.example', username } })).toMatchObject({
        ok: false,
      });
    }
    expect(server.requests).toEqual([]);
  });
});

describe('scenario 16: addresses that must not get the key', () => {
  test('http off loopback is refused at creation', () => {
    expect(() => createTransport({ url: 'http://api.example/v4', key: KEY, mode: 'read-only' })).toThrow(
      'https',
    );
  });

  test.each([301, 302, 303, 307, 308])('a redirect (%d) is an answer and is not followed', async (status) => {
    const other = await httpServer((_, response) => json(response, 200, {}));
    const server = await httpServer((_, response) => json(response, status, '', { location: other.url }));
    expect(await send(server.url)).toMatchObject({ kind: 'answer', status });
    expect(other.requests).toEqual([]);
  });

  test('a certificate that is not trusted: nothing is sent', async () => {
    const directory = await temporaryDirectory();
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-days', '1'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'].concat([
        ...subject,
        '-keyout',
        key,
        '-out',
        cert,
      ]),
      { stdio: 'ignore' },
    );
    let requests = 0;
    const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
      requests += 1;
      response.end();
    });
    const url = (await listen(tls)).replace('http:', 'https:');
    expect(await send(url)).toMatchObject({ kind: 'failure', cause: 'unreachable' });
    expect(requests).toBe(0);
  });
});

describe('scenario 19: connections that fail', () => {
  const WRITE: WireRequest = {
    endpoint: endpointOf('v4', 'addDomain'),
    params: {},
    body: { domain: 'a.example' },
  };

  test('refused: certainly not sent', async () => {
    const server = await httpServer(() => undefined);
    const closed = server.url.replace(/:\d+/, ':1');
    expect(await send(closed, WRITE)).toMatchObject({ kind: 'failure', cause: 'unreachable' });
  });

  test('a host that does not exist: certainly not sent', async () => {
    expect(await send('https://nowhere.invalid/v4', WRITE)).toMatchObject({ cause: 'unreachable' });
  });

  test('a TLS address that does not speak TLS: certainly not sent', async () => {
    const url = await netServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await send(url.replace('http:', 'https:'), WRITE)).toMatchObject({ cause: 'unreachable' });
  });

  test('ended by the other side before an answer: not known', async () => {
    const server = await httpServer((request) => request.socket.destroy());
    expect(await send(server.url, WRITE)).toMatchObject({ kind: 'failure', cause: 'connection' });
  });

  test('ended in the middle of the body: not known', async () => {
    const server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"account":', () => response.destroy());
    });
    expect(await send(server.url)).toMatchObject({ kind: 'failure', cause: 'connection' });
  });

  test('something that is not HTTP: not known', async () => {
    const url = await netServer((socket) =>
      socket.once('data', () => socket.end('220 mail.example ESMTP\r\n')),
    );
    expect(await send(url)).toMatchObject({ kind: 'failure', cause: 'connection' });
  });

  test('silence before the headers', async () => {
    const server = await httpServer(() => undefined);
    expect(await send(server.url, ACCOUNT, { bounds: { silenceMs: 50 } })).toMatchObject({
      cause: 'timeout',
    });
  });

  test('silence within the body', async () => {
    const server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{');
    });
    expect(await send(server.url, ACCOUNT, { bounds: { silenceMs: 50 } })).toMatchObject({
      cause: 'timeout',
    });
  });

  test('a slow drip ends with the request, not with the service', async () => {
    const server = await httpServer((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
    });
    expect(await send(server.url, ACCOUNT, { bounds: { totalMs: 200 } })).toMatchObject({ cause: 'timeout' });
  });

  test('a request that writes may have less time than one that reads', async () => {
    const server = await httpServer((_, response) => void setTimeout(() => json(response, 200, {}), 150));
    const options = { bounds: { writeMs: 50 } };
    expect(await send(server.url, ACCOUNT, options)).toMatchObject({ kind: 'answer', status: 200 });
    const write = { endpoint: endpointOf('v4', 'addDomain'), params: {}, body: { domain: 'a.example' } };
    expect(await send(server.url, write, options)).toMatchObject({ cause: 'timeout' });
  });

  test('a drip of headers ends as well', async () => {
    const url = await netServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await send(url, ACCOUNT, { bounds: { totalMs: 200 } })).toMatchObject({ kind: 'failure' });
  });

  test('a body of 1 GB is cut at 16 MiB', async () => {
    const block = Buffer.alloc(1024 * 1024, ' ');
    let sent = 0;
    const server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-length': String(1024 * block.length) });
      const pour = (): void => {
        while (!response.destroyed && response.write(block)) sent += 1;
      };
      response.on('drain', pour);
      pour();
    });
    expect(await send(server.url)).toMatchObject({ kind: 'failure', cause: 'too-large' });
    expect(sent).toBeLessThan(100);
  });
});

describe('an answer that would take too much memory once it is parsed', () => {
  const rows = (count: number): string => `[${Array<string>(count).fill('{}').join()}]`;

  test.each([
    ['a list of many', `{"domains":${rows(250_000)}}`, 'the answer has more than 250000 values'],
    [
      'an object of many',
      `{${Array.from({ length: 250_001 }, (_, name) => `"${name}":1`).join()}}`,
      'values',
    ],
    ['deep lists', `{"errors":${'['.repeat(40)}${']'.repeat(40)}}`, 'nested more than 32 levels deep'],
    ['deep objects', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, 'nested more than 32 levels deep'],
    ['a cut one', ` \n${'['.repeat(100_000)}`, 'nested more than 32 levels deep'],
  ])('%s', async (_, body, message) => {
    const server = await httpServer((_request, response) => json(response, 200, body));
    const reply = await send(server.url);
    expect(reply).toMatchObject({ kind: 'failure', cause: 'too-large' });
    expect(reply).toMatchObject({ message: expect.stringContaining(message) });
  });

  test('the status of a failure still counts', async () => {
    const server = await httpServer((_request, response) => json(response, 429, '['.repeat(100_000)));
    expect(await send(server.url)).toMatchObject({ kind: 'answer', status: 429, text: '' });
  });

  test.each([
    [
      'brackets and commas within texts',
      `{"message":"${'[{,'.repeat(100_000)}\\"${'['.repeat(40)}\\\\"}`,
      200,
    ],
    ['wide rather than deep', `{"a":[${'[],'.repeat(1000)}1]}`, 200],
    ['a page that is not JSON', `<script>${'[{,'.repeat(100_000)}</script>`, 502],
  ])('%s are no such thing', async (_, body, status) => {
    const server = await httpServer((_request, response) => json(response, status, body));
    expect(await send(server.url)).toMatchObject({ kind: 'answer', status });
  });
});

describe('secrets', () => {
  test('an answer that echoes the key does not bring it into a message', async () => {
    const server = await httpServer((request, response) =>
      json(response, 400, { message: `bad header ${request.headers.authorization}, key ${KEY}`, errors: {} }),
    );
    const reply = await send(server.url);
    const text = reply.kind === 'answer' ? reply.text : '';
    expect(text).toContain('bad header Basic ***, key ***');
    expect(JSON.stringify(reply)).not.toContain(KEY);
  });
});
