import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import type { AccountStatus } from '../../../../src/core/model/status/daemon.ts';
import { DISCLOSE_ALL } from '../../../../src/core/model/destinations.ts';
import { createMetrics, type Metrics } from '../../../../src/service/status/metrics.ts';
import {
  startStatusServer,
  type StatusServer,
  type StatusServerOptions,
} from '../../../../src/service/status/status-server.ts';
import type { WhoBoxAnswer } from '../../../../src/service/status/page/views/who-box.ts';
import { virtualClock, type VirtualClock } from '../../../support/clock.ts';
import { READ_AT } from './statuses.ts';

export interface Served {
  readonly server: StatusServer;
  readonly metrics: Metrics;
  /** Shows three minutes after everything was read. */
  readonly clock: VirtualClock;
  readonly get: (path: string, options?: Asked) => Promise<Answer>;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of a form, URL-encoded. */
  readonly body?: string;
}

export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The real server on a free port of loopback, until the test ends. */
export async function serve(
  statuses: readonly AccountStatus[] | (() => readonly AccountStatus[]),
  options: Partial<StatusServerOptions> = {},
): Promise<Served> {
  const current = typeof statuses === 'function' ? statuses : () => statuses;
  const metrics = createMetrics({ version: '1.2.3', statuses: current });
  const clock = virtualClock(READ_AT + 180_000);
  const server = await startStatusServer({
    host: '127.0.0.1',
    port: 0,
    token: null,
    basePath: null,
    program: { version: '1.2.3', commit: null, builtAt: null, node: '24.0.0' },
    clock,
    statuses: current,
    histories: () => [],
    isAlive: () => true,
    metrics,
    conceal: (text) => text.replaceAll('secret@', '***@'),
    disclosure: DISCLOSE_ALL,
    command: (words) => `fwdsync ${words}`,
    manifests: () => [],
    who: (destination) => Promise.resolve(whoAnswer(destination)),
    route: (address) => ({ kind: 'way', headline: `${address} -> ana@corp.example`, lines: [] }),
    ...options,
  });
  onTestFinished(() => server.close());
  return { server, metrics, clock, get: (path, asked = {}) => ask(server.port, path, asked) };
}

/** Returns a possible answer of `who`. */
export function whoAnswer(destination: string): WhoBoxAnswer {
  return {
    kind: 'found',
    headline: `1 entry sends mail to ${destination}; it has no other destination.`,
    entries: [
      {
        domain: 'acme.example',
        title: 'sales@acme.example',
        facts: 'no other destination; through team',
        places: ['acme.yaml:6', 'acme.yaml:2'],
      },
    ],
    more: 0,
    notes: [],
    next: `fwdsync replace ${destination} NEW --dry-run`,
    all: `fwdsync who ${destination}`,
  };
}

async function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: Asked,
): Promise<Answer> {
  const form = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: { connection: 'keep-alive', ...form, ...headers },
    agent: false,
  });
  sent.on('error', () => {}); // the connection may end while the request is still being sent
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: string[] = [];
  for await (const chunk of response) chunks.push(String(chunk));
  return { status: response.statusCode, headers: response.headers, text: chunks.join('') };
}
