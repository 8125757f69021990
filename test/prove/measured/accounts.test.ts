import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Journal } from '../../../src/emulator/http/journal.ts';
import { startEmulator, type Emulator } from '../../../src/emulator/http/server.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { keyOf, seededAccount, startAccountsDaemon } from '../../support/many-accounts.ts';
import { ENTRY } from '../../support/program.ts';

const ACCOUNTS = 5_000;
const INTERVAL_SECONDS = 300;
/** Time from the first read of an account to the last one that the test waits for. */
const INTERVALS = 3;
/** Limit in MiB; 1,500 for 5,000 accounts. */
const MOST_MEMORY = 250 + ACCOUNTS / 4;

test(`one process reads each of ${ACCOUNTS} accounts once in each interval, in at most ${MOST_MEMORY} MiB`, async () => {
  const emulator = await manyAccounts();
  const options = { directory: await temporaryDirectory(), url: emulator.urls.v4, count: ACCOUNTS };
  const { child } = await startAccountsDaemon(ENTRY, { ...options, interval: `${INTERVAL_SECONDS}s` });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const journals = Array.from({ length: ACCOUNTS }, (_, index) => journalOf(emulator, index));
  await until(() => journals.every((journal) => readsIn(journal).length > 0));
  await sleep(INTERVALS * INTERVAL_SECONDS * 1000);

  const end = Date.now();
  const gaps = journals.flatMap((journal) => gapsBetween([...readsIn(journal), end]));
  const most = Math.max(...gaps) / 1000;
  const lately = journals.map((journal) =>
    readsIn(journal).filter((at) => at > end - 2 * INTERVAL_SECONDS * 1000),
  );
  const reads = lately.reduce((sum, { length }) => sum + length, 0) / (2 * ACCOUNTS);
  const memory = await peakMemory(child.pid);
  console.info(
    `${ACCOUNTS} accounts: ${memory} MiB, ${most.toFixed(1)} s between two reads, ${reads} reads an interval`,
  );
  expect(most).toBeLessThan(1.1 * INTERVAL_SECONDS + 1);
  expect(reads).toBeCloseTo(1, 1);
  expect(memory).toBeLessThan(MOST_MEMORY);
}, 3_600_000);

async function manyAccounts(): Promise<Emulator> {
  const emulator = await startEmulator({
    apiKey: 'key-of-the-first',
    plan: 'paid',
    journalSize: 100,
    accounts: Array.from({ length: ACCOUNTS }, (_, index) => seededAccount(index)),
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
  });
  onTestFinished(() => emulator.close());
  return emulator;
}

function journalOf({ accounts }: Emulator, index: number): Journal {
  const account = accounts.get(keyOf(index));
  if (account === undefined) throw new Error('an account that is not there');
  return account.journal;
}

/** Times at which the account was read, in epoch milliseconds. */
function readsIn(journal: Journal): readonly number[] {
  return journal
    .entries()
    .filter(({ path }) => path.endsWith('/account'))
    .map(({ at }) => at);
}

function gapsBetween(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(100);
}

/** MiB of resident memory. */
async function peakMemory(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024);
}
