import type { Context } from '../../context.ts';
import { createProgress } from './progress.ts';

/** Current work of a run, and the time that is left. Milliseconds. */
export interface Headway {
  /** Returns the name of the current work. */
  readonly label: () => string;
  /** Returns the time to the end of the run, or of this part of it. */
  readonly left: () => number;
  /** Name of the part that ends then, such as ` to read`; absent for the whole run. */
  readonly end?: string | undefined;
  /**
   * Returns until when nothing is sent because a rate limit window is used up, in epoch milliseconds. null means that
   * there is no wait.
   */
  readonly waitsUntil: () => number | null;
}

/** Progress of a run, by time. */
export interface RunProgress {
  /** Follows this work from now on. The bar continues from its position. */
  follow(headway: Headway): void;
  /** Redraws, because something happened. */
  tick(): void;
  /** Clears the line. No time passes until the next `follow`, because a person may be asked. */
  stop(): void;
}

const TICK_MS = 500;
/** Part of the bar for reading the account, before the writes are known. */
const PART_OF_READING = 1 / 3;
/** Minimum wait that is worth a mention. */
const LEAST_WAIT_MS = 2_000;

export function createRunProgress(
  context: Pick<Context, 'stderr' | 'clock' | 'signal' | 'member' | 'every'>,
): RunProgress {
  const bar = createProgress(context);
  const { clock } = context;
  let followed: Headway | null = null;
  let since = 0;
  /** Position of the bar when the current work began, and its position now. */
  let [from, shown] = [0, 0];
  let endTicks: (() => void) | undefined;
  const tick = (): void => {
    const headway = followed;
    if (headway === null) return;
    bar.update(() => {
      const [spent, left] = [clock.monotonic() - since, headway.left()];
      const to = headway.end === undefined ? 1 : PART_OF_READING;
      shown = Math.max(shown, from + ((to - from) * spent) / Math.max(1, spent + left));
      const note = `${durationText(left)} left${headway.end ?? ''}${waitText(headway, clock.now())}`;
      return { label: headway.label(), fraction: shown, note };
    });
  };
  const stop = (): void => {
    followed = null;
    endTicks?.();
    bar.stop();
  };
  return {
    follow(headway) {
      stop();
      followed = headway;
      [since, from] = [clock.monotonic(), shown];
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

/** Formats a duration. A longer one is coarser: `1 h 23 min`, `12 min`, `2 min 10 s`, `41 s`. */
function durationText(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  if (minutes >= 10) return `${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** Formats a time in the reader's time zone. */
function timeOfDay(moment: number): string {
  return new Date(moment).toTimeString().slice(0, 8);
}
