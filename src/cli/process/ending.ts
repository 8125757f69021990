import { plainCommand, type CommandLine } from '../../core/model/text/command-line.ts';
import type { OutputStream } from './standard-output.ts';

/** Facts for the exit code of a command whose output cannot be printed, for example on a full disk. */
export interface Ending {
  /** Called when an account or a store was changed, or may have been. */
  readonly noteWrite: () => void;
  /**
   * Called with each error of standard output, or of the output of this name. A reader that closed the pipe, like
   * `head`, is not an error.
   */
  readonly noteOutputError: (error: NodeJS.ErrnoException, output?: string) => void;
  readonly hasWritten: () => boolean;
  readonly isOutputLost: () => boolean;
  /** Sets the command line that shows what was changed. */
  readonly noteCommand: (command: CommandLine) => void;
}

export function createEnding(stderr: () => OutputStream): Ending {
  let wrote = false;
  let isLost = false;
  let complete = plainCommand;
  return {
    noteWrite() {
      wrote = true;
    },
    noteOutputError({ code, message }, output = 'standard output') {
      if (isLost || code === 'EPIPE') return;
      isLost = true;
      stderr().write(
        `error: ${output} cannot be written: ${message}\n` +
          `  try: free some space there; applied changes stay: ${complete('history')}\n`,
      );
    },
    hasWritten: () => wrote,
    isOutputLost: () => isLost,
    noteCommand(command) {
      complete = command;
    },
  };
}
