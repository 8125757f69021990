import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';

/** The databases of a PostgreSQL. */
export interface TestDatabases {
  /** Creates a database and returns its URL. It is empty, or a copy of the database at a URL without open connections. */
  createDatabase(template?: string): Promise<string>;
  /** Runs statements in a database as its owner. Returns the rows of the last one. */
  run(url: string, text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

/** Starts Debian's PostgreSQL for one test file, on a free port of 127.0.0.1, with its files in a temporary directory. */
export interface TestPostgres extends TestDatabases {
  readonly port: number;
  /** Kills it, as a crash does. */
  crash(): Promise<void>;
  /** Starts it again on the same port, with the same data. */
  restart(): Promise<void>;
  /** Stops it and deletes its files. */
  stop(): Promise<void>;
}

/** Tests need no durable data. Autovacuum would process the database of each test once a minute. */
const SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'autovacuum=off',
  'shared_buffers=16MB',
  'max_connections=150',
];

export async function startPostgres(): Promise<TestPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'fwdsync-postgres-'));
  const user = unprivileged();
  if (user !== null) chownSync(directory, user.uid, user.gid);
  const data = join(directory, 'data');
  const [initdb, ...prefix] = commandAs(user, 'initdb');
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(initdb ?? '', [...prefix, ...init], { cwd: directory });
  const port = await freePort();
  let child = await launch(user, data, port);
  const crash = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGQUIT');
    await once(child, 'exit');
  };
  return {
    ...databasesOn(port),
    port,
    crash,
    async restart() {
      child = await launch(user, data, port);
    },
    async stop() {
      await crash();
      await rm(directory, { recursive: true });
    },
  };
}

/** Connects as the owner, who needs no password on this machine. */
export function databasesOn(port: number): TestDatabases {
  const urlOf = (name: string): string => `postgres://postgres@127.0.0.1:${port}/${name}`;
  const run: TestDatabases['run'] = async (url, text, values = []) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const results = (await client.query(text, [...values])) as unknown;
      return ([results].flat() as readonly { rows: Record<string, unknown>[] }[]).at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  };
  return {
    run,
    async createDatabase(template = urlOf('template1')) {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const from = new URL(template).pathname.slice(1);
      // The other strategy writes every page to the log, which takes twice as long.
      await run(urlOf('postgres'), `CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`);
      return urlOf(name);
    },
  };
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** User to run PostgreSQL as, because it refuses to run as root; null means that this process is not root. */
function unprivileged(): User | null {
  if (process.getuid?.() !== 0) return null;
  const numberOf = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: numberOf('-u'), gid: numberOf('-g') };
}

function commandAs(user: User | null, program: string): readonly string[] {
  const path = join(programs(), program);
  if (user === null) return [path];
  return ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', path];
}

/** Returns the directory of the newest version that is installed. */
function programs(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).toSorted((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(bin));
  if (found === undefined) throw new Error('these tests need PostgreSQL: apt-get install postgresql');
  return found;
}

async function launch(user: User | null, data: string, port: number): Promise<ChildProcess> {
  const [program, ...prefix] = commandAs(user, 'postgres');
  const settings = [...SETTINGS, 'listen_addresses=127.0.0.1', `unix_socket_directories=${data}`];
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const child = spawn(program ?? '', [...prefix, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: data,
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('ready to accept connections')) resolve();
    });
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${log}`)));
  });
  return child;
}
