import type { Context } from '../../context.ts';
import { createProgress } from './progress.ts';

/** What a run does now, and how long it will last. Milliseconds. */
export interface Headway {
  /** What is done now. */
  readonly label: () => string;
  /** To the end of the run, or of this part of it. */
  readonly left: () => number;
  /** The end of what, where that is not the whole run, such as ` to read`. */
  readonly end?: string | undefined;
  /** Nothing is sent until then, for a window of the rate limit is used up; null: something is. Epoch milliseconds. */
  readonly waitsUntil: () => number | null;
}

/** Shows how far a run has come, by time. */
export interface RunProgress {
  /** From now on; what was followed before counts as a part of the run. */
  follow(headway: Headway): void;
  /** Something happened. */
  tick(): void;
  /** Leaves a clean line. Until the next `follow` no time passes: somebody may be asked. */
  stop(): void;
}

const TICK_MS = 500;
/** A wait that is shorter is not worth a word. */
const LEAST_WAIT_MS = 2_000;

export function createRunProgress(
  context: Pick<Context, 'stderr' | 'clock' | 'signal' | 'ofAccount' | 'every'>,
): RunProgress {
  const bar = createProgress(context);
  const { clock } = context;
  let followed: Headway | null = null;
  let spentBefore = 0;
  let since = 0;
  let endTicks: (() => void) | undefined;
  const spent = (): number => spentBefore + (followed === null ? 0 : clock.monotonic() - since);
  const tick = (): void => {
    const headway = followed;
    if (headway === null) return;
    bar.update(() => {
      const left = headway.left();
      const fraction = spent() / Math.max(1, spent() + left);
      const note = `${durationText(left)} left${headway.end ?? ''}${waitText(headway, clock.now())}`;
      return { label: headway.label(), fraction, note };
    });
  };
  const stop = (): void => {
    spentBefore = spent();
    followed = null;
    endTicks?.();
    bar.stop();
  };
  return {
    follow(headway) {
      stop();
      followed = headway;
      since = clock.monotonic();
      endTicks = context.every?.(TICK_MS, tick);
    },
    tick,
    stop,
  };
}

function waitText({ waitsUntil }: Headway, now: number): string {
  const until = waitsUntil();
  if (until === null || until - now < LEAST_WAIT_MS) return '';
  return `, rate-limited until ${timeOfDay(until)}`;
}

/** The longer, the coarser: `1 h 23 min`, `12 min`, `2 min 10 s`, `41 s`. */
function durationText(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  if (minutes >= 10) return `${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** By the clock of whoever reads it. */
function timeOfDay(moment: number): string {
  return new Date(moment).toTimeString().slice(0, 8);
}
