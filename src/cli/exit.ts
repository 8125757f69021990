/** Exit codes of the command line; scripts depend on them. */
export const EXIT = {
  done: 0,
  failed: 1,
  changes: 2,
  partial: 3,
  refused: 4,
  invalid: 5,
  stale: 6,
  usage: 64,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected failure of a command: what, why and what to do, without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly hint: string;

  constructor(exitCode: ExitCode, message: string, hint: string) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

/** Of several codes the one that counts: 3 once anything was written, else in the order 64, 5, 6, 4, 1, 2, 0. */
export function strongestExit(codes: readonly ExitCode[]): ExitCode {
  const order: readonly ExitCode[] = [
    EXIT.partial,
    EXIT.interrupted,
    EXIT.terminated,
    EXIT.usage,
    EXIT.invalid,
    EXIT.stale,
    EXIT.refused,
    EXIT.failed,
    EXIT.changes,
  ];
  return order.find((code) => codes.includes(code)) ?? EXIT.done;
}

/** The shell's codes for a command that a signal ended. */
export function interruptedExit({ signal }: { readonly signal: AbortSignal }): ExitCode {
  return signal.reason === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted;
}
