import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator/http/server.ts';
import { parseEntry } from '../../src/engine/state/history/parse-entry.ts';
import { readItems, readRuns } from '../../src/engine/state/history/recorded.ts';
import { openHistories } from '../../src/engine/state/history/histories.ts';
import { virtualClock } from '../support/clock.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { runs } from '../support/share.ts';
import { applyKilled } from './support/history/killed-process.ts';

const run = promisify(execFile);
const PROCESS = join(import.meta.dirname, 'support/history/killed-process.ts');
const MANIFEST = `version: 1
guards: { max_deletes: 100, max_delete_percent: 100 }
domains:
  acme.example:
    prune: true
    notification_email: ops@corp.example
    aliases: { a: new@corp.example, b: same@corp.example, c: n@corp.example, d: n@corp.example }
    rules:
      - { name: fresh, alias: e, forward: fresh@corp.example }
      - { name: wide, alias: "f*", forward: wide@corp.example }
  beta.example: { aliases: { info: b@corp.example } }
`;
const aliases = ['a', 'b', 'old'].map((alias) => ({ alias, forward: 'same@corp.example' }));

interface Killed {
  readonly output: string;
  /** Items that arrived at the service before the kill. */
  readonly written: number;
  /** Number of broken lines after the kill, and after another run. */
  readonly broken: readonly [number, number];
  readonly recorded: number;
  readonly unfinished: number;
}

/** A run that is killed at a write of the history, with a part of the write on disk; then it runs again. */
async function killedAt(nth: number, share: number): Promise<Killed> {
  const emulator = await startEmulator({
    apiKey: 'key-of-the-killed',
    plan: 'paid',
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    randomId: () => randomUUID(),
    state: { domains: [{ domain: 'acme.example', aliases }, { domain: 'beta.example' }] },
  });
  try {
    const directory = join(await temporaryDirectory(), 'state');
    const args = [emulator.urls.v4, directory, MANIFEST];
    const first =
      nth === 0
        ? { stdout: await applyKilled(args), stderr: '' }
        : await run(process.execPath, [PROCESS, ...args, String(nth), String(share)]).catch(
            (error: unknown) =>
              error as { readonly signal?: string; readonly stdout: string; readonly stderr: string },
          );
    if (!('signal' in first) || first.signal !== 'SIGKILL') {
      expect(first.stderr).toBe('');
      return { output: first.stdout, written: 0, broken: [0, 0], recorded: 0, unfinished: 0 };
    }
    const written = emulator.journal.entries().filter(({ method }) => method !== 'GET').length;
    const broken = await brokenLines(directory);
    const uid = process.getuid?.() ?? null;
    const recorded = new Set<string>();
    for (const { history } of await openHistories({
      directory,
      fs,
      clock: virtualClock(),
      uid,
      account: null,
    })) {
      for await (const { entry } of readItems(history)) recorded.add(`${entry.at} ${entry.endpoint}`);
    }
    const output = await applyKilled(args);
    let unfinished = 0;
    for (const { history } of await openHistories({
      directory,
      fs,
      clock: virtualClock(),
      uid,
      account: null,
    })) {
      for await (const { end } of readRuns(history)) unfinished += end === null ? 1 : 0;
    }
    return {
      output,
      written,
      broken: [broken, await brokenLines(directory)],
      recorded: recorded.size,
      unfinished,
    };
  } finally {
    await emulator.close();
  }
}

async function brokenLines(directory: string): Promise<number> {
  const names = await fs.readdir(directory, { recursive: true });
  const texts = await Promise.all(
    names.filter((name) => name.endsWith('.jsonl')).map((name) => fs.readFile(join(directory, name), 'utf8')),
  );
  const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
  return lines.filter((line) => parseEntry(line) === null).length;
}

test(
  'killed at any write of the history, it reads back whole but for one line',
  { timeout: 3_600_000 },
  async () => {
    const whole = await killedAt(0, 0);
    const writes = Number(whole.output.split(' ')[1]);
    expect(whole.output).toMatch(/^converged /);
    expect(writes).toBeGreaterThan(10);
    const shares = runs([0, 0.1, 0.5, 0.9, 1], [0.5]);
    const all = Array.from({ length: writes }, (_, index) => index + 1);
    const moments = runs(all, [7]);
    for (const nth of moments) {
      for (const share of shares) {
        const killed = await killedAt(nth, share);
        const about = [nth, share, killed.output];
        // Each change was on disk before the service received it.
        expect([...about, killed.written <= killed.recorded]).toEqual([...about, true]);
        expect([...about, killed.broken[0] <= 1, killed.broken[1] <= 1]).toEqual([...about, true, true]);
        expect([...about, killed.unfinished <= 1]).toEqual([...about, true]);
        expect(killed.output, String(about)).toMatch(/^(converged|unchanged) /);
      }
    }
    console.info(`history, ${writes} writes of it: killed at ${moments.length * shares.length} moments`);
  },
);
