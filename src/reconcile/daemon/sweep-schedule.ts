/** When everything is read. Moments are monotonic milliseconds. */
export interface SweepSchedule {
  state(): SweepState;
  started(now: number): void;
  /** All was read; it is to be planned. */
  read(now: number): void;
  /** It came to its end; the next one begins after its pause, or at `retryAt`. */
  ended(now: number, retryAt: number | null): void;
  /** As soon as may be. */
  hurry(now: number): void;
}

export type SweepState =
  | { readonly kind: 'waiting'; readonly at: number }
  | { readonly kind: 'reading'; readonly startedAt: number; readonly isHurried: boolean }
  | {
      readonly kind: 'read';
      readonly startedAt: number;
      readonly readMs: number;
      readonly isHurried: boolean;
    };

export function createSweepSchedule(intervalMs: number, now: number): SweepSchedule {
  let state: SweepState = { kind: 'waiting', at: now };
  return {
    state: () => state,
    started(at) {
      state = { kind: 'reading', startedAt: at, isHurried: false };
    },
    read(at) {
      if (state.kind === 'reading') state = { ...state, kind: 'read', readMs: at - state.startedAt };
    },
    ended(at, retryAt) {
      state = { kind: 'waiting', at: retryAt ?? nextSweepAt(state, intervalMs, at) };
    },
    hurry(at) {
      state = state.kind === 'waiting' ? { kind: 'waiting', at } : { ...state, isHurried: true };
    },
  };
}

/** Twice as long as it takes to read, for half of the time is left to others: the last reading is the forecast of the next. */
function nextSweepAt(state: SweepState, intervalMs: number, now: number): number {
  if (state.kind === 'waiting' || state.isHurried) return now;
  const readMs = state.kind === 'read' ? state.readMs : 0;
  return Math.max(now, state.startedAt + Math.max(intervalMs, 2 * readMs));
}
