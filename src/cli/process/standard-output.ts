import { fstatSync, statSync, writeSync } from 'node:fs';

/** Parts of a stream that the commands use. */
export interface OutputStream {
  /** True for a terminal. A pipe and a file have neither this nor columns. */
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  readonly write: (text: string | Uint8Array, done?: () => void) => boolean;
  /** Registers a listener, called when the reader has closed the stream. */
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
 * Creates the standard output of this process. Opening Node's stream takes a tenth of the start-up time, so a file or
 * a pipe is written without it. Data that cannot be written at once goes to the stream, which waits for a slow reader
 * and reports errors.
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
      // Only the stream reports an error. A caller that waits must not see it.
      if (rest !== null) return (stream ??= open()).write(rest, () => done?.());
      done?.();
      return true;
    },
    async settle() {
      const last = stream;
      // The stream reports an error right after its callback.
      if (last !== undefined) await new Promise((done) => last.write('', () => setImmediate(done)));
    },
    once: (event, listener) => (stream ??= open()).once(event, listener),
  };
}

/** True if standard output may be a terminal. Asking Node would load what the stream needs. */
function mayBeTerminal(): boolean {
  const output = fstatSync(DESCRIPTOR);
  return output.isCharacterDevice() && output.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/** Writes as much as possible at once. Returns the rest, or null if everything was written. */
function writeNow(text: string | Uint8Array): Uint8Array | null {
  let rest: Uint8Array = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(DESCRIPTOR, rest));
    return null;
  } catch {
    return rest;
  }
}
