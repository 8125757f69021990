import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { PassThrough, Writable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { systemClock, type ProcessContext } from '../../../../src/cli/context.ts';
import { execute } from '../../../../src/cli/execute.ts';
import type { ExitCode } from '../../../../src/cli/exit.ts';
import { createSecrets } from '../../../../src/cli/process/secrets.ts';
import { startEmulator, type Emulator, type ServerOptions } from '../../../../src/emulator/http/server.ts';
import { listFleetAccounts } from '../../../../src/service/fleet/records.ts';
import type { Clock } from '../../../../src/core/model/clock.ts';
import type { FleetAccount } from '../../../../src/core/model/status/fleet.ts';
import type { DomainName } from '../../../../src/core/model/names.ts';
import { publishManifests } from '../../../../src/engine/state/postgres/published/revisions.ts';
import { openDatabase, type Database } from '../../../../src/engine/state/postgres/database.ts';
import { parseStoreUrl } from '../../../../src/engine/state/postgres/store-url.ts';
import type { TestDatabases } from '../../../support/postgres.ts';

export const STORE_KEY = randomBytes(32);

/** An interval so long that no account is due during a test. */
const INTERVAL = ['--interval', '365d'];

/** Opens a store until the test ends. */
export async function openStore(url: string, connections = 4): Promise<Database> {
  const address = parseStoreUrl(url);
  if (!address.ok) throw new Error(address.error.message);
  const opened = await openDatabase({ address: address.value, key: STORE_KEY, connections });
  if (!opened.ok) throw new Error(opened.error.message);
  onTestFinished(() => opened.value.close());
  return opened.value;
}

/** Publishes one domain with one alias for `NAME@fleet.example`. Returns the revision. */
export async function publish(
  database: Database,
  name: string,
  { forward = 'ana@corp.example', apiUrl = '', text = manifestOf(name, forward) } = {},
): Promise<number> {
  const manifest = {
    texts: [{ file: `${name}.yaml`, text }],
    commit: null,
    host: 'h',
    user: null,
    actor: null,
  };
  const account = `${name}@fleet.example`;
  const done = await publishManifests(
    database,
    [{ account, apiUrl, manifest, domains: [`${name}.example` as DomainName] }],
    Date.now(),
  );
  if (!done.ok) throw new Error(done.error.message);
  return done.value[0]?.number ?? 0;
}

export function manifestOf(name: string, forward: string): string {
  return `version: 1
api: { account: ${name}@fleet.example, key: { env: KEY_${name.toUpperCase()} } }
domains:
  ${name}.example: { aliases: { sales: ${forward} } }
`;
}

/** Accounts of an emulator, a store, and the real command line in this process. */
export interface Fleet {
  readonly url: string;
  /** Environment of each worker. */
  readonly env: Readonly<Record<string, string>>;
  readonly database: Database;
  readonly emulator: Emulator;
  publish(name: string, options?: { readonly forward?: string; readonly text?: string }): Promise<number>;
  /** `env` replaces variables of the environment. */
  worker(args?: readonly string[], env?: Readonly<Record<string, string>>, clock?: Clock): FleetWorker;
  once(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  account(name: string): Promise<FleetAccount | undefined>;
  /** Destination of the account's alias; undefined means that it has none. */
  forward(name: string): string | undefined;
  /** Names of all aliases of the account's domain. */
  aliases(name: string): readonly string[];
  requests(name: string): number;
  /** Requests that are not GET. */
  writes(name: string): number;
  /** Calls `work` when the next request of the kind has arrived, before it is processed and answered. */
  atFirst(name: string, kind: 'list' | 'write', work: () => Promise<void>): Promise<void>;
}

export interface Ended {
  readonly code: ExitCode;
  readonly log: readonly Readonly<Record<string, unknown>>[];
  readonly stderr: string;
}

export interface FleetWorker {
  readonly ended: Promise<Ended>;
  stop(): Promise<Ended>;
  /** Resolves once it has logged this event. */
  logged(event: string): Promise<void>;
  /** Resolves to the port of its page once it listens. */
  port(): Promise<number>;
}

export async function openFleet(
  server: TestDatabases,
  names: readonly string[],
  options: Partial<ServerOptions> = {},
): Promise<Fleet> {
  const url = await server.createDatabase();
  const emulator = await startEmulator({
    apiKey: 'none',
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    ...options,
    accounts: names.map((name) => ({
      key: `key-of-${name}`,
      state: { account: { email: `${name}@fleet.example` }, domains: [{ domain: `${name}.example` }] },
    })),
  });
  onTestFinished(() => emulator.close());
  const database = await openStore(url);
  const keys = Object.fromEntries(names.map((name) => [`KEY_${name.toUpperCase()}`, `key-of-${name}`]));
  const base = {
    FWDSYNC_API_URL: emulator.urls.v4,
    FWDSYNC_STORE: url,
    FWDSYNC_STORE_KEY: STORE_KEY.toString('base64'),
    FWDSYNC_LOG_FORMAT: 'json',
    ...keys,
  };
  const accountOf = (name: string) => emulator.accounts.get(`key-of-${name}`);
  return {
    url,
    env: base,
    database,
    emulator,
    publish: (name, published = {}) => publish(database, name, { apiUrl: emulator.urls.v4, ...published }),
    worker(args = [], env = {}, clock = systemClock) {
      const stopped = new AbortController();
      onTestFinished(() => stopped.abort('SIGTERM'));
      const line = ['run', '--listen', '127.0.0.1:0', ...INTERVAL, ...args];
      const out = collect();
      const ended = runLine(line, { ...base, ...env }, { signal: stopped.signal, out, clock });
      const logged = (event: string): Promise<void> =>
        expect.poll(() => out.text()).toContain(`"event":"${event}"`);
      return {
        ended,
        logged,
        async port() {
          await logged('status.listening');
          const line =
            out
              .text()
              .split('\n')
              .find((text) => text.includes('"event":"status.listening"')) ?? '';
          return (JSON.parse(line) as { readonly port: number }).port;
        },
        stop() {
          stopped.abort('SIGTERM');
          return ended;
        },
      };
    },
    once: (args = [], env = {}) => runLine(['run', '--once', ...INTERVAL, ...args], { ...base, ...env }, {}),
    account: async (name) =>
      (await listFleetAccounts(database)).find(({ email }) => email === `${name}@fleet.example`),
    forward: (name) =>
      accountOf(name)
        ?.store.dump()
        .domains[0]?.aliases.find(({ alias }) => alias === 'sales')?.forward,
    aliases: (name) =>
      accountOf(name)
        ?.store.dump()
        .domains.find(({ domain }) => domain === `${name}.example`)
        ?.aliases.map(({ alias }) => alias) ?? [],
    requests: (name) => accountOf(name)?.journal.entries().length ?? 0,
    writes: (name) =>
      (accountOf(name)?.journal.entries() ?? []).filter(({ method }) => method !== 'GET').length,
    atFirst: (name, kind, work) =>
      new Promise((resolve, reject) => {
        const isOfKind = (method: string, path: string): boolean =>
          kind === 'write' ? method !== 'GET' : path.includes('/domains');
        const stop = accountOf(name)?.onRequest(({ phase, method, path }) => {
          if (phase !== 'before' || !isOfKind(method, path)) return undefined;
          stop?.();
          const done = work();
          done.then(resolve, reject);
          return done;
        });
      }),
  };
}

async function runLine(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  {
    signal = new AbortController().signal,
    out = collect(),
    clock = systemClock,
  }: { signal?: AbortSignal; out?: Collected; clock?: Clock },
): Promise<Ended> {
  const err = collect();
  const context: ProcessContext = {
    env,
    cwd: '/',
    stdin: new PassThrough().end(),
    stdout: out.stream,
    stderr: err.stream,
    clock,
    every(milliseconds, work) {
      const timer = setInterval(work, milliseconds).unref();
      return () => clearInterval(timer);
    },
    random: Math.random,
    secrets: createSecrets(),
    signal,
  };
  const code = await execute(context, args);
  // The last log lines are still in the stream.
  await turn();
  const log = out
    .text()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return { code, log, stderr: err.text() };
}

interface Collected {
  readonly stream: Writable;
  readonly text: () => string;
}

function collect(): Collected {
  let collected = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      collected += chunk.toString('utf8');
      done();
    },
  });
  return { stream, text: () => collected };
}
