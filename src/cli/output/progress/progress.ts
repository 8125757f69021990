import type { Context } from '../../context.ts';
import { columnsOf } from '../output.ts';

/** What is shown of a long piece of work. */
export interface ProgressView {
  /** What is done now. */
  readonly label: string;
  /** How much of the whole is done, from 0 to 1. */
  readonly fraction: number;
  /** How far it has come, in words. */
  readonly note: string;
}

/** Shows how far a long piece of work has come; nothing in the first two seconds, and nothing after an interruption. */
export interface ProgressBar {
  /** Asks for what is to be shown where something is. */
  update(current: () => ProgressView): void;
  stop(): void;
}

type ProgressContext = Pick<Context, 'stderr' | 'clock' | 'signal'>;

const QUIET_MS = 2_000;
const DRAW_EVERY_MS = 500;
const LINE_EVERY_MS = 10_000;

/**
 * A bar on a terminal, a line every ten seconds elsewhere; both on standard error. One of many accounts shows nothing:
 * there is one progress of all.
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

/** Draws over its own line, which may have been moved: by what is typed, or by a terminal of another size. */
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

/** With the longest note of a run, a line has 80 columns. */
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

/** What has begun is not at 0, and what has not ended is not at 100. */
function percentOf(fraction: number): number {
  return Math.min(99, Math.max(1, Math.floor(fraction * 100)));
}
