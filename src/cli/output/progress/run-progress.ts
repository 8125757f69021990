import type { Context } from '../../context.ts';
import { createProgress } from './progress.ts';

/** What a run does now, and how long it will last. Milliseconds. */
export interface Headway {
  /** What is done now. */
  readonly label: () => string;
  /** To the end of the run, or of this part of it. */
  readonly left: () => number;
  /** What ends then, where that is not the whole run, such as ` to read`. */
  readonly end?: string | undefined;
  /** Nothing is sent until then, for a window of the rate limit is used up; null: something is. Epoch milliseconds. */
  readonly waitsUntil: () => number | null;
}

/** Shows how far a run has come, by time. */
export interface RunProgress {
  /** From now on; the bar goes on from where it is. */
  follow(headway: Headway): void;
  /** Something happened. */
  tick(): void;
  /** Leaves a clean line. Until the next `follow` no time passes: somebody may be asked. */
  stop(): void;
}

const TICK_MS = 500;
/** How far the bar goes while the account is read, before it is known what there is to write. */
const PART_OF_READING = 1 / 3;
/** A wait that is shorter is not worth a word. */
const LEAST_WAIT_MS = 2_000;

export function createRunProgress(
  context: Pick<Context, 'stderr' | 'clock' | 'signal' | 'member' | 'every'>,
): RunProgress {
  const bar = createProgress(context);
  const { clock } = context;
  let followed: Headway | null = null;
  let since = 0;
  /** How far the bar was when the work began that is followed, and how far it is. */
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
