import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALIASES, DOMAINS, seededAccount, startAccountsDaemon } from '../../test/support/many-accounts.ts';
import { build, inDirectory, startEmulatorProcess } from '../processes.ts';
import type { Section } from '../section.ts';

/** Number of accounts at the start, so that memory that does not grow with accounts is already in use. */
const FEW = 300;
const MANY = 900;
const INTERVAL_SECONDS = 30;
/** Sweeps of each account before measuring, after which speed and memory are constant. */
const INTERVALS_BEFORE = 4;

interface Cost {
  readonly mebibytes: number;
  readonly cpuMs: number;
  readonly accountReads: number;
}

/** Measures the cost of an account in sync in a process with many accounts. */
export async function measureAccounts(): Promise<Section> {
  const { few, many } = await withAccounts(MANY, async (place) => {
    return { few: await measureDaemon(place, FEW), many: await measureDaemon(place, MANY) };
  });
  const perAccount = (many.mebibytes - few.mebibytes) / (MANY - FEW);
  return {
    title: 'Many accounts',
    text: [
      `\`run --accounts\` with accounts of ${DOMAINS} domains of ${ALIASES} aliases each, all in sync, checked ` +
        `every ${INTERVAL_SECONDS} s. Node has the heap limit of a container with the recommended memory. The table ` +
        `shows the peak memory of the process in ${INTERVALS_BEFORE + 1} intervals. CPU time and reads of the ` +
        'account are per sweep, of the last interval. Sweeps are spread over the interval.',
      'The memory of one account is the difference of the two rows divided by the number of accounts between ' +
        'them. [One process carries thousands](operations.md#many-accounts).',
    ],
    head: ['accounts', 'MiB', 'CPU ms per sweep', '`GET /account` per sweep'],
    rows: [[FEW, few] as const, [MANY, many] as const].map(([count, cost]) => [
      String(count),
      cost.mebibytes.toFixed(0),
      cost.cpuMs.toFixed(1),
      cost.accountReads.toFixed(2),
    ]),
    figures: [
      { name: 'an account in place: memory, MiB', value: perAccount, atMost: 0.3 },
      { name: 'an account in place: CPU ms per sweep', value: many.cpuMs, atMost: 4 },
      { name: 'an account in place: `GET /account` per sweep', value: many.accountReads, atMost: 1 },
    ],
  };
}

/** The built program, and an emulator of many accounts. */
export interface AccountsPlace {
  readonly command: string;
  readonly directory: string;
  readonly url: string;
}

export async function withAccounts<T>(count: number, work: (place: AccountsPlace) => Promise<T>): Promise<T> {
  return inDirectory(async (directory) => {
    const command = build(directory);
    const list = Array.from({ length: count }, (_, index) => seededAccount(index));
    writeFileSync(join(directory, 'accounts.json'), JSON.stringify(list));
    const more = ['--accounts', join(directory, 'accounts.json')];
    const { v4, stop } = await startEmulatorProcess(join(directory, 'first.json'), 'key-of-the-first', more);
    try {
      return await work({ command, directory, url: v4 });
    } finally {
      await stop();
    }
  });
}

async function measureDaemon({ command, directory, url }: AccountsPlace, count: number): Promise<Cost> {
  const interval = `${INTERVAL_SECONDS}s`;
  const { child, metrics } = await startAccountsDaemon(command, { directory, url, count, interval });
  try {
    await sleep(INTERVALS_BEFORE * INTERVAL_SECONDS * 1000);
    const before = await readMetrics(metrics);
    const cpuBefore = cpuMsOf(child);
    await sleep(INTERVAL_SECONDS * 1000);
    // Waits before it asks again, because writing the metrics of many accounts takes as long as dozens of sweeps.
    const cpuMs = cpuMsOf(child) - cpuBefore;
    const after = await readMetrics(metrics);
    const sweeps = after.sweeps - before.sweeps;
    const accountReads = after.accountReads - before.accountReads;
    return {
      mebibytes: peakMebibytesOf(child),
      cpuMs: cpuMs / sweeps,
      // Rounded to hundredths, because a few sweeps are active at each end.
      accountReads: Math.round((accountReads / sweeps) * 100) / 100,
    };
  } finally {
    child.kill('SIGTERM');
  }
}

/** Returns the peak resident memory of a process. The current value depends on the time of the last garbage collection. */
function peakMebibytesOf({ pid }: { readonly pid?: number | undefined }): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

/** Returns the CPU time of a process on all threads so far, which Linux counts in hundredths of a second. */
function cpuMsOf({ pid }: { readonly pid?: number | undefined }): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (user + system) * 10;
}

export async function readMetrics(url: string) {
  const lines = (await (await fetch(url)).text()).split('\n');
  const sum = (pattern: RegExp): number =>
    lines
      .filter((line) => pattern.test(line))
      .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
  return {
    cpuSeconds: sum(/^process_cpu_seconds_total /),
    sweeps: sum(/^fwdsync_runs_total\{.*cause="sweep"/),
    accountReads: sum(/^fwdsync_api_requests_total\{.*endpoint="GET \/account"/),
  };
}
