import { fstatSync, statSync, writeSync } from 'node:fs';

/** What of a stream the commands use. */
export interface OutputStream {
  /** A pipe and a file have neither this nor columns. */
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  readonly write: (text: string | Uint8Array, done?: () => void) => boolean;
  /** Called when nobody reads any more. */
  readonly once: (event: 'error', listener: () => void) => unknown;
}

/** The standard output of a process. */
export interface StandardOutput extends OutputStream {
  /** Resolves once everything is written, or cannot be. */
  readonly settle: () => Promise<void>;
}

/** The descriptor of standard output. */
const DESCRIPTOR = 1;

/**
 * Standard output of this process. To open Node's stream takes a tenth of the start-up, so that a file or a pipe is written without
 * it. Whatever cannot be written at once goes to the stream, which waits for a slow reader and reports what is wrong.
 */
export function createStandardOutput(open: () => OutputStream): StandardOutput {
  let stream = mayBeTerminal() ? open() : undefined;
  return {
    get isTTY() {
      return stream?.isTTY === true;
    },
    get columns() {
      return stream?.columns;
    },
    write(text, done) {
      const rest = stream === undefined ? writeNow(text) : text;
      // An error is reported by the stream alone: it is no error of whoever waits.
      if (rest !== null) return (stream ??= open()).write(rest, () => done?.());
      done?.();
      return true;
    },
    async settle() {
      const last = stream;
      // The stream reports an error right after it has called back.
      if (last !== undefined) await new Promise((done) => last.write('', () => setImmediate(done)));
    },
    once: (event, listener) => (stream ??= open()).once(event, listener),
  };
}

/** To ask Node whether it is one would load what the stream needs. */
function mayBeTerminal(): boolean {
  const output = fstatSync(DESCRIPTOR);
  return output.isCharacterDevice() && output.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/** What could not be written; null: all was. */
function writeNow(text: string | Uint8Array): Uint8Array | null {
  let rest: Uint8Array = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(DESCRIPTOR, rest));
    return null;
  } catch {
    return rest;
  }
}
