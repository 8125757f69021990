import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { TestProject } from 'vitest/node';
import { startPostgres, type TestPostgres } from './postgres.ts';

let server: Server | undefined;
let shared: Promise<TestPostgres> | undefined;

/** Once a run of tests: whoever connects is told the port of one PostgreSQL, which is started for the first. */
export async function setup(project: TestProject): Promise<void> {
  server = createServer((socket) => {
    shared ??= startPostgres();
    shared.then(
      ({ port }) => socket.end(String(port)),
      (error: unknown) => socket.end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('postgresAsked', (server.address() as AddressInfo).port);
}

export async function teardown(): Promise<void> {
  server?.close();
  await (await shared)?.stop();
}
