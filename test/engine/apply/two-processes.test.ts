import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../support/directory.ts';
import { everyNth } from '../../support/share.ts';

// Two containers of one pod have the same boot, host name and disk. Each has its own process numbers, which are the same.

const PROCESS = join(import.meta.dirname, 'support/lock-process.ts');
/** A lease lasts 3 s, the wait for a lock half a second. */
const SPEED = 20;
const UNSHARE = ['--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];

interface Contained {
  ask(command: 'lock' | 'write' | 'release'): Promise<string>;
  signal(name: NodeJS.Signals): void;
}

/** Starts a process that is number 1 of its pid namespace. `machine` has the milliseconds that its clock is ahead, and its boot. */
function contain(
  directory: string,
  name: string,
  machine: readonly [skewMs: string, boot: string] | [] = [],
): Contained {
  const command = [process.execPath, PROCESS, directory, name, String(SPEED), ...machine];
  const child = spawn('unshare', [...UNSHARE, ...command], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(command) {
      child.stdin.write(`${command}\n`);
      return String((await answers.next()).value);
    },
    signal(name) {
      const inner = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
      process.kill(Number(inner), name);
    },
  };
}

async function lockLater(contained: Contained): Promise<number> {
  const begun = performance.now();
  let answer = await contained.ask('lock');
  while (answer !== 'locked') {
    expect(answer).toMatch(/is locked by process 1 on .* \(first\)/);
    answer = await contained.ask('lock');
  }
  return performance.now() - begun;
}

const writesIn = (directory: string): Promise<string> => readFile(join(directory, 'writes'), 'utf8');

test('the second of two containers does not take the lock of a live first', { timeout: 60_000 }, async () => {
  const directory = await temporaryDirectory();
  const [first, second] = [contain(directory, 'first'), contain(directory, 'second')];
  expect(await first.ask('lock')).toBe('locked');
  // Longer than a lease, so that only refreshing keeps it.
  for (const begun = performance.now(); performance.now() - begun < 4_500;) {
    expect(await second.ask('lock')).toMatch(/is locked by process 1 on .* \(first\) since /);
  }
  expect(await first.ask('write')).toBe('written');
  expect(await first.ask('release')).toBe('released');
  expect(await second.ask('lock')).toBe('locked');
  expect(await second.ask('write')).toBe('written');
  expect(await first.ask('write')).toContain('is locked by process 1');
  expect(await writesIn(directory)).toBe('first\nsecond\n');
});

test(
  'a holder that is stopped for a lease loses the lock, and writes nothing when it goes on',
  { timeout: 60_000 },
  async () => {
    const directory = await temporaryDirectory();
    const [first, second] = [contain(directory, 'first'), contain(directory, 'second')];
    expect(await first.ask('lock')).toBe('locked');
    expect(await first.ask('write')).toBe('written');
    first.signal('SIGSTOP');
    const answer = first.ask('write');
    expect(await lockLater(second)).toBeGreaterThan(1_500);
    expect(await second.ask('write')).toBe('written');
    first.signal('SIGCONT');
    expect(await answer).toMatch(/is locked by process 1 on .* \(second\)/);
    expect(await second.ask('write')).toBe('written');
    expect(await writesIn(directory)).toBe('first\nsecond\nsecond\n');
  },
);

test(
  'a container that was killed leaves its lock for a lease and no longer',
  { timeout: 60_000 },
  async () => {
    const directory = await temporaryDirectory();
    const [first, second] = [contain(directory, 'first'), contain(directory, 'second')];
    expect(await first.ask('lock')).toBe('locked');
    first.signal('SIGKILL');
    expect(await lockLater(second)).toBeGreaterThan(1_500);
    expect(await second.ask('write')).toBe('written');
  },
);

test.each(everyNth(2, ['3600000', '-3600000']))(
  'a machine whose clock is off by %s ms waits for a live holder on another, and takes over from a silent one',
  { timeout: 60_000 },
  async (skewMs) => {
    const directory = await temporaryDirectory();
    const first = contain(directory, 'first', ['0', 'boot-1']);
    const second = contain(directory, 'second', [skewMs, 'boot-2']);
    expect(await first.ask('lock')).toBe('locked');
    expect(await second.ask('lock')).toMatch(/is locked by process 1 on .* \(first\) since /);
    expect(await first.ask('write')).toBe('written');
    first.signal('SIGSTOP');
    expect(await second.ask('lock')).toMatch(/is locked by process 1 on .* \(first\) since /);
    await makeOlder(directory, 60);
    expect(await second.ask('lock')).toBe('locked');
    const answer = first.ask('write');
    first.signal('SIGCONT');
    expect(await answer).toMatch(/is locked by process 1 on .* \(second\)/);
    expect(await second.ask('write')).toBe('written');
    expect(await writesIn(directory)).toBe('first\nsecond\n');
  },
);

/** Sets the last refresh of the lock back by this many seconds. */
async function makeOlder(directory: string, seconds: number): Promise<void> {
  const locks = (await readdir(directory, { recursive: true })).filter((name) => /lock\.\d+$/.test(name));
  expect(locks).toHaveLength(1);
  const then = Date.now() / 1000 - seconds;
  for (const lock of locks) await utimes(join(directory, lock), then, then);
}
