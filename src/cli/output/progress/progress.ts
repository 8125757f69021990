import type { Context } from '../../context.ts';
import { columnsOf } from '../output.ts';

/** Current view of a long piece of work. */
export interface ProgressView {
  /** Name of the current work. */
  readonly label: string;
  /** Part that is done, from 0 to 1. */
  readonly fraction: number;
  /** Progress in words. */
  readonly note: string;
}

/** Progress of a long piece of work. It shows nothing in the first two seconds and after an interruption. */
export interface ProgressBar {
  /** Draws the bar. Calls `current` only if something is drawn. */
  update(current: () => ProgressView): void;
  stop(): void;
}

type ProgressContext = Pick<Context, 'stderr' | 'clock' | 'signal'>;

const QUIET_MS = 2_000;
const DRAW_EVERY_MS = 500;
const LINE_EVERY_MS = 10_000;

/**
 * Creates a bar on a terminal, or a line every ten seconds elsewhere, both on standard error. One of many accounts
 * shows nothing, because all accounts share one progress.
 */
export function createProgress(context: ProgressContext & Pick<Context, 'member'>): ProgressBar {
  const { signal, member, stderr } = context;
  if (member !== undefined) return { update() {}, stop() {} };
  const progress = stderr.isTTY === true ? createBar(context) : createLines(context);
  signal.addEventListener('abort', () => progress.stop(), { once: true });
  return {
    update(current) {
      if (!signal.aborted) progress.update(current);
    },
    stop: () => progress.stop(),
  };
}

/** Creates a bar that redraws its own line, which typed text or a resized terminal may have moved. */
function createBar({ stderr, clock }: ProgressContext): ProgressBar {
  let next = clock.monotonic() + QUIET_MS;
  let isShown = false;
  return {
    update(current) {
      const now = clock.monotonic();
      if (now < next) return;
      next = now + DRAW_EVERY_MS;
      const { label, fraction, note } = current();
      const line = `${label} ${cellsOf(fraction)} ${percentOf(fraction)}% ${note}`;
      stderr.write(`\r${line.slice(0, columnsOf(stderr) - 1)}${CLEAR_REST}`);
      isShown = true;
    },
    stop() {
      if (isShown) stderr.write(`\r${CLEAR_REST}`);
      isShown = false;
    },
  };
}

/** Number of cells of the bar. With the longest note of a run, a line has 80 columns. */
const CELLS = 12;
const CLEAR_REST = '\u001b[K';

function cellsOf(fraction: number): string {
  const full = Math.round((percentOf(fraction) / 100) * CELLS);
  return '█'.repeat(full) + '░'.repeat(CELLS - full);
}

function createLines({ stderr, clock }: ProgressContext): ProgressBar {
  let next = clock.monotonic() + LINE_EVERY_MS;
  return {
    update(current) {
      if (clock.monotonic() < next) return;
      next = clock.monotonic() + LINE_EVERY_MS;
      const { label, fraction, note } = current();
      stderr.write(`${label}: ${percentOf(fraction)}%${note === '' ? '' : `, ${note}`}\n`);
    },
    stop() {},
  };
}

/** Returns the percentage. It is at least 1 once work has begun, and at most 99 until the work has ended. */
function percentOf(fraction: number): number {
  return Math.min(99, Math.max(1, Math.floor(fraction * 100)));
}
