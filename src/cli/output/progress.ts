import { Presets, SingleBar } from 'cli-progress';
import type { Context } from '../context.ts';

/** Shows how far a long piece of work has come; nothing in the first two seconds. */
export interface ProgressBar {
  /** `done` of `total` requests or items; `label` says of what. */
  update(label: string, done: number, total: number): void;
  stop(): void;
}

const QUIET_MS = 2_000;
const LINE_EVERY_MS = 10_000;

/**
 * A bar on a terminal, a line every ten seconds elsewhere; both on standard error. One of many accounts shows nothing:
 * there is one progress of all.
 */
export function createProgress(
  context: Pick<Context, 'stderr' | 'clock' | 'ofAccount' | 'signal'>,
): ProgressBar {
  const { signal, ofAccount, stderr } = context;
  if (ofAccount !== undefined) return { update() {}, stop() {} };
  const progress = stderr.isTTY === true ? createBar(context) : createLines(context);
  signal.addEventListener('abort', () => progress.stop(), { once: true });
  return {
    update(...news) {
      if (!signal.aborted) progress.update(...news);
    },
    stop: () => progress.stop(),
  };
}

function createBar({ stderr, clock }: Pick<Context, 'stderr' | 'clock'>): ProgressBar {
  const begun = clock.monotonic();
  const bar = new SingleBar(
    {
      stream: stderr,
      format: '{label} {bar} {value}/{total} {percentage}%',
      barsize: 30,
      hideCursor: true,
      clearOnComplete: true,
      fps: 10,
    },
    Presets.shades_classic,
  );
  let shown = false;
  return {
    update(label, done, total) {
      if (clock.monotonic() - begun < QUIET_MS) return;
      if (!shown) bar.start(total, done, { label });
      shown = true;
      bar.setTotal(total);
      bar.update(done, { label });
    },
    stop() {
      if (shown) bar.stop();
      shown = false;
    },
  };
}

function createLines({ stderr, clock }: Pick<Context, 'stderr' | 'clock'>): ProgressBar {
  let next = clock.monotonic() + LINE_EVERY_MS;
  return {
    update(label, done, total) {
      if (clock.monotonic() < next) return;
      next = clock.monotonic() + LINE_EVERY_MS;
      stderr.write(`${label}: ${done} of ${total}\n`);
    },
    stop() {},
  };
}
