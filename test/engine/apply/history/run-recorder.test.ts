import * as fs from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  readItems,
  readRuns,
  readRunsWithItems,
  type RecordedItem,
} from '../../../../src/engine/state/history/recorded.ts';
import { openStateDirectory } from '../../../../src/engine/state/directory.ts';
import type { StateFs } from '../../../../src/engine/state/own-files.ts';
import { systemProcesses } from '../../../../src/engine/state/processes.ts';
import { EMAIL } from '../../../support/account.ts';
import { openScene } from '../support/harness.ts';

const DOMAINS = ['a.example', 'b.example', 'c.example', 'd.example'];

/** A disk on which the first write of the history fails: before or after it keeps the lines. */
function failingOnce(moment: 'before' | 'after'): StateFs {
  let isLeft = true;
  const fail = (): Promise<never> => {
    isLeft = false;
    return Promise.reject(Object.assign(new Error('EIO: it does not work'), { code: 'EIO' }));
  };
  return {
    ...fs,
    async open(...args) {
      const isHistory = isLeft && String(args[0]).endsWith('.jsonl');
      if (isHistory && moment === 'before') return fail();
      const file = await fs.open(...args);
      return isHistory ? withSync(file, fail) : file;
    },
  };
}

function withSync(file: FileHandle, sync: () => Promise<void>): FileHandle {
  return new Proxy(file, {
    get(target, name) {
      if (name === 'sync') return sync;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

test.each(['before', 'after'] as const)(
  'requests that begin at once: where the first cannot be recorded (%s the write), the run is recorded with the others, once',
  async (moment) => {
    const scene = await openScene({
      manifest: `domains:\n${DOMAINS.map((name) => `  ${name}: { aliases: { new: n@corp.example } }\n`).join('')}`,
      seed: { account: { email: EMAIL }, domains: DOMAINS.map((domain) => ({ domain })) },
    });
    const state = openStateDirectory({
      directory: scene.account.stateDirectory,
      account: EMAIL,
      apiUrl: scene.account.emulator.urls.v4,
      fs: failingOnce(moment),
      clock: scene.account.clock,
      processes: systemProcesses(fs, 'test'),
    });
    const { report, writes } = await scene.run({ ports: { state } });
    expect(report.stopped).toMatchObject({ kind: 'no-history' });
    expect(writes.length).toBeGreaterThan(0);
    const { history } = scene.account.state();
    const outcomes: unknown[] = [];
    for await (const { end } of readRuns(history)) outcomes.push(end?.outcome);
    expect(outcomes).toEqual(['partial']);
    const items: RecordedItem[] = [];
    for await (const item of readItems(history)) items.push(item);
    const done = items.filter(({ result }) => result?.outcome === 'done');
    expect([done.length, new Set(done.map(({ entry }) => entry.run)).size]).toEqual([writes.length, 1]);
  },
);

test('a run during which the clock is set back by hours is found with its results by the time when it began', async () => {
  const scene = await openScene({
    manifest: 'domains: { a.example: { aliases: { new: n@corp.example } } }',
    seed: { account: { email: EMAIL }, domains: [{ domain: 'a.example' }] },
  });
  const { clock } = scene.account;
  let setBack = 0;
  const started = clock.now();
  const now = (): number => clock.now() - setBack;
  const beforeApply = (): void => void (setBack = 5 * 3_600_000);
  await scene.run({ ports: { clock: { ...clock, now } }, beforeApply });
  const since = new Date(started).toISOString();
  const found = await Array.fromAsync(readRunsWithItems(scene.account.state().history, { since }));
  expect(found).toMatchObject([{ end: { outcome: 'converged' }, items: [{ result: { outcome: 'done' } }] }]);
});
