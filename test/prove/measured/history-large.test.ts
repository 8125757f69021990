import { mkdir, writeFile, appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HistoryEntry, ItemEntry } from '../../../src/core/model/history/entries.ts';
import { itemEntry, runEntry } from '../../engine/state/support/history-contract.ts';
import { measure, type Measured } from '../../core/manifest/support/measured.ts';
import { temporaryDirectory } from '../../support/directory.ts';

const ITEMS_OF_RUN = 999;
const MOST_SECONDS = 3;
/** Limit of resident memory; Node itself takes 50 MiB. */
const MOST_MEBIBYTES = 150;
const START = Date.UTC(2026, 8, 1);
const MINUTE = 60_000;

test('a large history answers', { timeout: 600_000 }, async () => {
  const lines = 1_000_000;
  const directory = await temporaryDirectory();
  const count = Math.ceil(lines / (2 * ITEMS_OF_RUN + 2));
  await writeHistory(directory, count);
  const costs: string[] = [];
  const ask = async (...args: readonly string[]): Promise<string> => {
    const answers: Measured[] = [];
    // The machine may have other load, so the fastest of three runs counts.
    for (let seconds = Infinity; seconds > MOST_SECONDS && answers.length < 3;) {
      const answer = await measure(args, { env: { FWDSYNC_STATE_DIR: directory } });
      expect([answer.code, answer.stderr]).toEqual([0, '']);
      answers.push(answer);
      seconds = answer.seconds;
    }
    const { stdout, seconds, cpuSeconds, mebibytes } = answers.at(-1) ?? expect.fail('no answer');
    costs.push(`${args.join(' ')}: ${cpuSeconds.toFixed(2)} CPU seconds, ${mebibytes.toFixed(0)} MiB`);
    expect(seconds).toBeLessThan(MOST_SECONDS);
    expect(mebibytes).toBeLessThan(MOST_MEBIBYTES);
    return stdout;
  };
  expect((await ask('history')).trimEnd().split('\n')).toHaveLength(count);
  const shown = await ask('history', 'run7');
  expect(shown).toContain('run run7: apply, converged\n');
  expect(shown.split('\n').filter((line) => line.startsWith('  + alias  '))).toHaveLength(ITEMS_OF_RUN);
  expect((await ask('history', '--domain', 'd7.example')).trimEnd().split('\n')).toHaveLength(count);
  const blamed = await ask('blame', 'sales@d7.example', '--format', 'json');
  const { entries } = JSON.parse(blamed) as { readonly entries: readonly { readonly run: string }[] };
  expect(entries).toHaveLength(count);
  expect(entries[0]?.run).toBe(`run${count - 1}`);
  const betweenLastTwo = START + (count - 1.5) * MINUTE;
  const since = `${Math.floor((Date.now() - betweenLastTwo) / 1000)}s`;
  const latest = JSON.parse(await ask('history', '--since', since, '--format', 'json')) as {
    readonly runs: readonly { readonly id: string; readonly items: readonly object[] }[];
  };
  expect(latest.runs.map(({ id, items }) => [id, items.length])).toEqual([[`run${count - 1}`, ITEMS_OF_RUN]]);
  console.info(`history of ${lines} lines:\n${costs.join('\n')}`);
});

test('a large run is shown', { timeout: 600_000 }, async () => {
  const items = 500_000;
  const directory = await temporaryDirectory();
  await writeHistory(directory, 1, items);
  const { stdout, stderr, mebibytes, cpuSeconds } = await measure(['history', 'run0'], {
    env: { FWDSYNC_STATE_DIR: directory },
  });
  expect(stderr).toBe('');
  expect(stdout.match(/^  \+ alias  /gm)).toHaveLength(items);
  console.info(`run of ${items} items: ${cpuSeconds.toFixed(2)} CPU seconds, ${mebibytes.toFixed(0)} MiB`);
  expect(mebibytes).toBeLessThan(600);
});

/** Number of domains; each run has one item in each. */
async function writeHistory(directory: string, count: number, domains = ITEMS_OF_RUN): Promise<void> {
  const place = join(directory, 'ops@acme.example_api', 'history');
  await mkdir(place, { recursive: true, mode: 0o700 });
  const path = join(place, '2026-09-01.jsonl');
  await writeFile(path, '', { mode: 0o600 });
  const summary = {
    added: domains,
    updated: 0,
    moved: 0,
    deleted: 0,
    failed: 0,
    skipped: 0,
    notKept: 0,
  };
  for (let run = 0; run < count; run += 1) {
    const at = new Date(START + run * MINUTE).toISOString();
    const id = `run${run}`;
    const items = Array.from({ length: domains }, (_, index) => {
      return itemEntry(id, index + 1, at, `d${index}.example`);
    });
    const entries: readonly HistoryEntry[] = [
      runEntry(id, at),
      ...items.flatMap((item) => [item, outcomeOf(item)]),
      { entry: 'run-end', at, run: id, outcome: 'converged', summary },
    ];
    await appendFile(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  }
}

function outcomeOf({ at, run, item, keys }: ItemEntry): HistoryEntry {
  return { entry: 'item-outcome', at, run, item, keys, outcome: 'done', id: '7', message: null };
}
