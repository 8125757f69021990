/** Time as a parameter: real in the command line, virtual in tests. */
export interface Clock {
  /** Epoch milliseconds of the wall clock; for documents and for comparing with the service's times. */
  now(): number;
  /** Milliseconds since some fixed moment; never goes back. For measuring and waiting. */
  monotonic(): number;
  /** Waits `milliseconds`, or until the signal is aborted; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Calls `work` every so many milliseconds until the function that it returns is called. */
export type Every = (milliseconds: number, work: () => void) => () => void;
