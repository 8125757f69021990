/** A failure to simulate for mail to a destination, in place of a delivery or before it. */
export interface ScriptedFailure {
  /** An address, a URL, `*@domain`, or `*` for all. */
  readonly destination: string;
  /** The failure. `drop` closes the connection without an answer. */
  readonly do: '4xx' | '5xx' | 'slow' | 'drop';
  /** SMTP code of the answer. The default is 451 or 550. */
  readonly code?: number;
  readonly message?: string;
  /** Delay of `slow` in milliseconds. The default is 1000. */
  readonly ms?: number;
  /** Number of attempts that fail. The default is all. */
  readonly times?: number;
}

export interface FailureScript {
  /** Returns the failures that can still happen. */
  pending(): readonly ScriptedFailure[];
  replace(failures: readonly ScriptedFailure[]): void;
  /** Returns the failure for this attempt. undefined means that the attempt is normal. */
  next(destination: string): ScriptedFailure | undefined;
}

export function createFailureScript(): FailureScript {
  let failures: { readonly failure: ScriptedFailure; left: number }[] = [];
  const pending = (): typeof failures => failures.filter(({ left }) => left > 0);
  return {
    pending: () =>
      pending().map(({ failure, left }) => (left === Infinity ? failure : { ...failure, times: left })),
    replace(next) {
      failures = next.map((failure) => ({ failure, left: failure.times ?? Infinity }));
    },
    next(destination) {
      const hit = pending().find(({ failure }) => isMeant(failure.destination, destination));
      if (hit !== undefined) hit.left -= 1;
      return hit?.failure;
    },
  };
}

function isMeant(pattern: string, destination: string): boolean {
  const [wanted, given] = [pattern.toLowerCase(), destination.toLowerCase()];
  if (wanted === '*' || wanted === given) return true;
  return wanted.startsWith('*@') && given.endsWith(wanted.slice(1));
}
