import { CommanderError } from 'commander';
import { escapeInvisible } from '../core/model/names.ts';
import type { ProcessContext } from './context.ts';
import { styleFor } from './output/paint.ts';
import type { ColorChoice } from './output/paint.ts';

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
  /** The document of `--format json` that gives the reason; null if there is none. */
  readonly document: object | null;

  constructor(exitCode: ExitCode, message: string, hint: string, document: object | null = null) {
    super(message);
    this.name = 'CommandError';
    this.exitCode = exitCode;
    this.hint = hint;
    this.document = document;
  }
}

/** Returns an error in the command line, with exit code 64. */
export function usageError(message: string, hint: string): CommandError {
  return new CommandError(EXIT.usage, message, hint);
}

/** Returns a failure of the command, with exit code 1. */
export function commandFailure(message: string, hint: string): CommandError {
  return new CommandError(EXIT.failed, message, hint);
}

/** Returns the strongest of several exit codes: 3 if anything was written, then 64, 5, 6, 4, 1, 2, 0. */
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

/** Returns the exit code of a command whose output is lost. It is never a success, and 3 if something was written. */
export function exitWithoutOutput(code: ExitCode, { ending }: Pick<ProcessContext, 'ending'>): ExitCode {
  const isSuccess = code === EXIT.done || code === EXIT.changes;
  if (!isSuccess || ending?.isOutputLost() !== true) return code;
  return ending.hasWritten() ? EXIT.partial : EXIT.failed;
}

/** Returns the shell's exit code for a command that a signal ended. */
export function interruptedExit({ signal }: { readonly signal: AbortSignal }): ExitCode {
  return signal.reason === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted;
}

/** Explains on standard error why a command failed. Returns its exit code. */
export function explain(
  error: unknown,
  context: Pick<ProcessContext, 'stderr' | 'signal'>,
  color: ColorChoice,
): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const style = styleFor(context.stderr, color);
  if (error instanceof CommandError) {
    const [message, hint] = [error.message, error.hint].map(escapeLines);
    context.stderr.write(`${style.error('error')}: ${message}\n  ${style.dim('try:')} ${hint}\n`);
    const interrupted = error.exitCode === EXIT.failed && context.signal.aborted;
    return interrupted ? interruptedExit(context) : error.exitCode;
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  context.stderr.write(
    `${style.error('internal error')}: ${detail}\nThis is a bug in fwdsync; nothing more was sent.\n`,
  );
  return EXIT.failed;
}

/** Escapes invisible characters on each line. Messages contain file names and text from strangers. */
function escapeLines(text: string): string {
  return text.split('\n').map(escapeInvisible).join('\n');
}
