import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listFleetAccounts, listFleetWorkers } from '../../../../src/service/fleet/records.ts';
import { openDatabase, type Database } from '../../../../src/engine/state/postgres/database.ts';
import { parseStoreUrl } from '../../../../src/engine/state/postgres/store-url.ts';
import { startEmulator, type Emulator } from '../../../../src/emulator/http/server.ts';
import { startPostgres, type TestPostgres } from '../../../support/postgres.ts';
import { fwdsync } from '../../../support/command.ts';
import { startWorker, type WorkerProcess } from '../../../service/fleet/support/worker-process.ts';
import { watchAccount, type WatchedAccount } from './watched-account.ts';

/** Accounts with one domain each in an emulator, their manifests as files, a PostgreSQL server, and real processes. */
export interface Scene {
  readonly postgres: TestPostgres;
  readonly url: string;
  readonly accounts: readonly WatchedAccount[];
  /** Writes the manifests of these accounts for a round, and publishes the manifests of all accounts. */
  publish(changed: Iterable<WatchedAccount>, round: number): Promise<void>;
  /** Returns the accounts that a worker runs now, according to the store. */
  runBy(worker: WorkerProcess): Promise<readonly WatchedAccount[]>;
  /** Starts this many more workers. */
  startWorkers(count: number, args: readonly string[]): Promise<readonly WorkerProcess[]>;
  close(): Promise<void>;
}

/** Waits until all accounts match their first manifests. */
export async function openScene(directory: string, count: number): Promise<Scene> {
  const postgres = await startPostgres();
  const url = await postgres.createDatabase();
  const emulator = await startAccounts(count);
  const accounts = Array.from({ length: count }, (_, index) =>
    watchAccount(index, emulator.accounts.get(keyOf(index))),
  );
  const key = randomBytes(32);
  const database = await openStore(url, key);
  const manifests = join(directory, 'accounts');
  await mkdir(manifests);
  const write = (account: WatchedAccount, round: number): Promise<void> =>
    writeFile(join(manifests, `a${account.index}.yaml`), account.want(round));
  for (const account of accounts) await write(account, 0);
  const env = {
    FWDSYNC_API_URL: emulator.urls.v4,
    FWDSYNC_STORE: url,
    FWDSYNC_STORE_KEY: key.toString('base64'),
    FWDSYNC_LOG_FORMAT: 'json',
  };
  const keys = Object.fromEntries(accounts.map(({ index }) => [`KEY_${index}`, keyOf(index)]));
  const workers: WorkerProcess[] = [];
  return {
    postgres,
    url,
    accounts,
    async publish(changed, round) {
      for (const account of changed) await write(account, round);
      const ended = await fwdsync(['publish', '--accounts', manifests], { env });
      if (ended.code !== 0) throw new Error(ended.stdout + ended.stderr);
    },
    async runBy({ pid }) {
      const [workers, runs] = await Promise.all([listFleetWorkers(database), listFleetAccounts(database)]);
      const worker = workers.find(({ name }) => name.startsWith(`process ${pid} `))?.id;
      const emails = new Set(runs.filter((run) => run.worker === worker).map(({ email }) => email));
      return accounts.filter(({ email }) => emails.has(email));
    },
    async startWorkers(more, args) {
      const started = await Promise.all(
        Array.from({ length: more }, () => startWorker(args, { ...env, ...keys })),
      );
      workers.push(...started);
      return started;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await database.close();
      await emulator.close();
      await postgres.stop();
    },
  };
}

async function openStore(url: string, key: Uint8Array): Promise<Database> {
  const address = parseStoreUrl(url);
  if (!address.ok) throw new Error(address.error.message);
  const opened = await openDatabase({ address: address.value, key, connections: 2 });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

function keyOf(index: number): string {
  return `key-of-account-${index}`;
}

function startAccounts(count: number): Promise<Emulator> {
  return startEmulator({
    apiKey: 'key-of-nobody',
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    accounts: Array.from({ length: count }, (_, index) => ({
      key: keyOf(index),
      state: {
        account: { email: `a${index}@fleet.example` },
        domains: [
          {
            domain: `a${index}.example`,
            aliases: [
              { alias: 'info', forward: 'ana@corp.example' },
              { alias: 'sales', forward: 'sales-0@corp.example' },
              { alias: 'desk-0', forward: 'ana@corp.example' },
            ],
          },
        ],
      },
    })),
  });
}
