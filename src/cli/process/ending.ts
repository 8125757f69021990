import { EXIT, type ExitCode } from '../exit.ts';
import type { OutputStream } from './standard-output.ts';

/** The exit code of a command whose output may not be printed, as on a full disk. */
export interface Ending {
  /** Called when something was changed, or may have been, in an account or in a store. */
  readonly noteWrite: () => void;
  /** Called with each error of standard output. A reader that went away, as `head` does, is none. */
  readonly noteOutputError: (error: NodeJS.ErrnoException) => void;
  /** Turns success into 3 where something was written, else into 1, if the output was lost. */
  readonly codeOf: (code: ExitCode) => ExitCode;
}

export function createEnding(stderr: () => OutputStream): Ending {
  let wrote = false;
  let isLost = false;
  return {
    noteWrite() {
      wrote = true;
    },
    noteOutputError({ code, message }) {
      if (isLost || code === 'EPIPE') return;
      isLost = true;
      stderr().write(
        `error: standard output cannot be written: ${message}\n` +
          '  try: free space where it leads; what was changed stays so: fwdsync history\n',
      );
    },
    codeOf(code) {
      if (!isLost || (code !== EXIT.done && code !== EXIT.changes)) return code;
      return wrote ? EXIT.partial : EXIT.failed;
    },
  };
}
