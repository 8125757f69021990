import { afterAll, expect, test } from 'vitest';
import { IS_FULL, SEED } from './support/explore.ts';
import { simulateMove, type MoveRun } from './support/move/simulate-move.ts';

// Domains move to the service in virtual time, as the checklist of `move` says, while mail arrives.

const WORLDS = IS_FULL ? 200 : 2;
const MOST_SHOWN = 5;
/** Simulates only this world, and prints what happened. */
const ONE = process.env['SIMULATION_WORLD'];

const runs: MoveRun[] = [];

afterAll(() => {
  const sum = (of: (run: MoveRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const gaps = (cause: 'absent' | 'unchecked'): number =>
    sum((run) => run.gaps.filter((gap) => gap.cause === cause).length);
  console.info(
    `move: ${runs.length} worlds, ${sum(({ calls }) => calls)} calls, ${sum(({ kills }) => kills)} killed, ` +
      `${sum(({ waysBack }) => waysBack)} ways back, ${sum(({ delivered }) => delivered)} mails delivered, ` +
      `${sum(({ deferred }) => deferred)} attempts deferred, ${gaps('unchecked')} refused before the first check, ` +
      `${gaps('absent')} before the account had the domain, seed ${SEED}`,
  );
});

test('no mail is lost, and none goes elsewhere', { timeout: 3_600_000 }, async () => {
  const worlds = Array.from({ length: WORLDS }, (_, index) => SEED * 100_000 + index);
  const failures: string[] = [];
  for (const seed of ONE === undefined ? worlds : [Number(ONE)]) {
    const run = await simulateMove(seed);
    runs.push(run);
    if (ONE !== undefined) console.info(run.diary.join('\n'));
    if (run.breaches.length > 0)
      failures.push(`SIMULATION_WORLD=${seed}:\n  ${run.breaches.slice(0, MOST_SHOWN).join('\n  ')}`);
  }
  expect(failures.slice(0, MOST_SHOWN).join('\n'), `${failures.length} of them`).toBe('');
});
