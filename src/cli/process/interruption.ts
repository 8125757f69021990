import { plural } from '../../core/model/names.ts';

/** SIGINT and SIGTERM, as commands see them. */
export interface Interruption {
  /** Aborted by the first signal, with its name as the reason. No new request is sent. */
  readonly signal: AbortSignal;
  /** Aborted by the second signal. Requests in flight are cut off, and the command reports what it knows. */
  readonly cut: AbortSignal;
  /** Acts like SIGINT. Needed because a terminal in line-editing mode keeps Ctrl-C from the process. */
  readonly interrupt: () => void;
  /** Registers work that a signal waits for. Without any, the first signal ends the process. */
  readonly waitFor: (work: UnderWay) => void;
}

/**
 * Work that a signal waits for: a client, as its number of requests in flight, or a service. A service reports its
 * own end, and a second signal ends it at once.
 */
export type UnderWay = (() => number) | 'service';

type SignalName = 'SIGINT' | 'SIGTERM';

export interface InterruptionPorts {
  /** Opens standard error only when it is written to. */
  readonly stderr: () => { write(text: string): unknown; readonly isTTY?: boolean };
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Calls back after this many milliseconds, unless the process ends before. */
  readonly after: (milliseconds: number, work: () => void) => void;
}

/** Maximum time that a command may take to end after it was cut off. */
const LONGEST_END_MS = 3_000;
const CODES: Readonly<Record<SignalName, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Creates the interruption of this process, and the function to call with each signal. */
export function createInterruption(ports: InterruptionPorts): {
  readonly interruption: Interruption;
  readonly receive: (signal: SignalName) => void;
} {
  const first = new AbortController();
  const second = new AbortController();
  const clients: (() => number)[] = [];
  let isService = false;
  const receive = (signal: SignalName): void => {
    const exit = (): void => ports.exit(CODES[signal]);
    const isFirst = !first.signal.aborted;
    // Makes the progress bar leave its line.
    first.abort(signal);
    if (isService && isFirst) return;
    if (isService || clients.length === 0 || second.signal.aborted) return exit();
    // Clear the ^C that the terminal has written.
    if (ports.stderr().isTTY === true) ports.stderr().write('\r\u001b[K');
    if (isFirst) {
      ports.stderr().write(acknowledgement(signal, clients));
    } else {
      second.abort(signal);
      ports.after(LONGEST_END_MS, exit);
    }
  };
  const interruption: Interruption = {
    signal: first.signal,
    cut: second.signal,
    interrupt: () => receive('SIGINT'),
    waitFor(work) {
      if (work === 'service') isService = true;
      else if (!isService) clients.push(work);
    },
  };
  return { interruption, receive };
}

function acknowledgement(signal: SignalName, clients: readonly (() => number)[]): string {
  const inFlight = clients.reduce((sum, count) => sum + count(), 0);
  const what = inFlight === 0 ? 'nothing more is sent' : `waiting for ${plural(inFlight, 'request')}`;
  return signal === 'SIGINT'
    ? `interrupting: ${what}; press Ctrl-C again to stop now\n`
    : `terminating: ${what}; a second signal stops now\n`;
}
