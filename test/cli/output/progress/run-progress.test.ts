import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createRunProgress, type Headway } from '../../../../src/cli/output/progress/run-progress.ts';

interface Scene {
  readonly follow: (headway: Partial<Headway>) => void;
  /** Advances the clock by this many milliseconds, and returns the output in that time. */
  readonly pass: (milliseconds: number) => string;
  readonly stop: () => void;
  readonly interrupt: () => void;
  /** Output of the last `pass`. */
  readonly printed: () => string;
}

function open(terminal: { readonly isTTY?: true; readonly columns?: number } = {}): Scene {
  let now = 0;
  let printed = '';
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      printed += chunk.toString();
      done();
    },
  });
  const interruption = new AbortController();
  const clock = { now: () => now, monotonic: () => now, sleep: async () => {} };
  const progress = createRunProgress({
    stderr: Object.assign(stderr, terminal),
    clock,
    signal: interruption.signal,
  });
  return {
    follow: (headway) =>
      progress.follow({ label: () => 'reading', left: () => 0, waitsUntil: () => null, ...headway }),
    pass(milliseconds) {
      now += milliseconds;
      printed = '';
      progress.tick();
      return printed;
    },
    stop: () => progress.stop(),
    interrupt: () => {
      printed = '';
      interruption.abort('SIGINT');
    },
    printed: () => printed,
  };
}

test.each([
  [0, '1 s'],
  [41_000, '41 s'],
  [130_000, '2 min 10 s'],
  [12 * 60_000 + 4_000, '12 min'],
  [83 * 60_000, '1 h 23 min'],
])('%i ms left are said as %s', (left, text) => {
  const { follow, pass } = open();
  follow({ left: () => left });
  expect(pass(10_000)).toContain(`%, ${text} left\n`);
});

test('the share is that of time, and never that of nothing or of all', () => {
  const { follow, pass } = open();
  follow({ left: () => 10_000_000 });
  expect(pass(10_000)).toBe('reading: 1%, 2 h 46 min left\n');
  follow({ left: () => 0 });
  expect(pass(10_000)).toContain(': 99%, ');
});

test('one bar goes over reading, writing and verifying, and never back', () => {
  const { follow, pass, stop } = open();
  follow({ left: () => 0, end: ' to read' });
  expect(pass(10_000)).toBe('reading: 33%, 1 s left to read\n');
  stop();
  // A person is asked.
  expect(pass(60_000)).toBe('');
  let left = 10_000;
  follow({ label: () => 'writing', left: () => left });
  expect(pass(10_000)).toBe('writing: 66%, 10 s left\n');
  // There is more to do than expected.
  left = 1_000_000;
  expect(pass(10_000)).toBe('writing: 66%, 16 min left\n');
  left = 0;
  follow({ label: () => 'verifying', left: () => left });
  expect(pass(10_000)).toContain('verifying: 99%, ');
});

test('on a terminal the bar is drawn over its own line, and leaves a clean one', () => {
  const { follow, pass, interrupt, printed } = open({ isTTY: true, columns: 40 });
  follow({ left: () => 10_000, waitsUntil: () => 60_000 });
  expect(pass(10_000)).toBe('\rreading ██████░░░░░░ 50% 10 s left, rat\u001b[K');
  interrupt();
  expect(printed()).toBe('\r\u001b[K');
});

test('a wait for a window is said, with its end, unless it is over at once', () => {
  const { follow, pass } = open();
  const time = (moment: number): string => new Date(moment).toTimeString().slice(0, 8);
  follow({ left: () => 30_000, waitsUntil: () => 30_000 });
  expect(pass(10_000)).toBe(`reading: 25%, 30 s left, rate-limited until ${time(30_000)}\n`);
  follow({ left: () => 10_000, waitsUntil: () => 21_000 });
  expect(pass(10_000)).toBe('reading: 62%, 10 s left\n');
});

test('nothing is shown after an interruption', () => {
  const { follow, pass, interrupt } = open();
  follow({});
  interrupt();
  expect(pass(60_000)).toBe('');
});
