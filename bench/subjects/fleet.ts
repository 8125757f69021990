import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALIASES, DOMAINS, startServing, writeManifests } from '../../test/support/many-accounts.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import type { Section } from '../section.ts';
import { readMetrics, withAccounts, type AccountsPlace } from './accounts.ts';

/** Number of accounts, so many that some are always due, although due accounts are searched only every 2 s. */
const ACCOUNTS = 1_200;
const WORKERS = [1, 2, 4];
const WARM_SECONDS = 15;
const MEASURED_SECONDS = 20;
/** Load of the fleet whose size is computed. */
const LARGE = 100_000;
const INTERVAL_SECONDS = 300;

interface Rate {
  readonly workers: number;
  /** Runs per second of all workers together. */
  readonly perSecond: number;
  /** CPU time of a worker per run. */
  readonly cpuMs: number;
}

/** Measures the number of runs when workers always have due accounts. */
export async function measureFleet(): Promise<Section> {
  const postgres = await startPostgres();
  try {
    const rates = await withAccounts(ACCOUNTS, (place) => measureWorkers(place, postgres));
    const cpuMs = rates[0]?.cpuMs ?? 0;
    const perCore = 1_000 / cpuMs;
    const needed = LARGE / INTERVAL_SECONDS;
    return {
      title: 'A fleet',
      text: [
        `Workers with one PostgreSQL and ${ACCOUNTS.toLocaleString('en')} accounts of ${DOMAINS} domains of ` +
          `${ALIASES} aliases each, all in sync. Each account is due again as soon as it was read. The table shows ` +
          "the runs per second of all workers together, and a worker's CPU time per run. Emulator and database use " +
          'the same cores.',
        `One core of a worker makes ${perCore.toFixed(0)} runs per second. ${LARGE.toLocaleString('en')} such ` +
          `accounts, read every 5 minutes, are ${needed.toFixed(0)} runs per second. They need ` +
          `${Math.ceil(needed / perCore)} cores of workers.`,
      ],
      head: ['workers', 'runs a second', 'CPU ms per run'],
      rows: rates.map((rate) => [String(rate.workers), rate.perSecond.toFixed(0), rate.cpuMs.toFixed(1)]),
      figures: [],
    };
  } finally {
    await postgres.stop();
  }
}

async function measureWorkers(
  { command, directory, url: api }: AccountsPlace,
  postgres: TestPostgres,
): Promise<readonly Rate[]> {
  const url = await postgres.createDatabase();
  const { accounts, keys } = await writeManifests({ directory, url: api, count: ACCOUNTS });
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory, FWDSYNC_STORE: url, ...keys };
  execFileSync(process.execPath, [command, 'publish', '--accounts', accounts], { env, stdio: 'ignore' });
  const rates: Rate[] = [];
  for (const workers of WORKERS) rates.push(await measureRate(command, { workers, env, url, postgres }));
  return rates;
}

interface Measured {
  readonly workers: number;
  readonly env: Readonly<Record<string, string>>;
  readonly url: string;
  readonly postgres: TestPostgres;
}

async function measureRate(command: string, { workers, env, url, postgres }: Measured): Promise<Rate> {
  const started = await Promise.all(
    Array.from({ length: workers }, () => startServing(command, ['run', '--interval', '1s'], env)),
  );
  const read = async (): Promise<{ readonly runs: number; readonly cpuSeconds: number }> => {
    const [row] = await postgres.run(url, 'SELECT sum(epoch)::int AS runs FROM fwdsync.account_runs');
    const costs = await Promise.all(started.map(({ metrics }) => readMetrics(metrics)));
    return { runs: Number(row?.['runs']), cpuSeconds: costs.reduce((sum, cost) => sum + cost.cpuSeconds, 0) };
  };
  try {
    await sleep(WARM_SECONDS * 1_000);
    const before = await read();
    await sleep(MEASURED_SECONDS * 1_000);
    const after = await read();
    const runs = after.runs - before.runs;
    const cpuMs = ((after.cpuSeconds - before.cpuSeconds) * 1_000) / runs;
    return { workers, perSecond: runs / MEASURED_SECONDS, cpuMs };
  } finally {
    for (const { child } of started) child.kill('SIGTERM');
    await Promise.all(started.map(({ child }) => once(child, 'exit')));
  }
}
