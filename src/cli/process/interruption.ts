import { plural } from '../../core/model/names.ts';

/** SIGINT and SIGTERM as a command meets them. */
export interface Interruption {
  /** Aborted by the first signal: no new request; the reason is the signal's name. */
  readonly signal: AbortSignal;
  /** Aborted by the second: requests in flight are cut off, and the command reports what it knows. */
  readonly cut: AbortSignal;
  /** As SIGINT: a terminal on which a line is edited keeps Ctrl-C from the process. */
  readonly interrupt: () => void;
  /** Without anything to wait for, the first signal ends the process. */
  readonly waitFor: (work: UnderWay) => void;
}

/**
 * What a signal has to wait for: a client, by the number of its requests in flight, or a service, which reports its own end
 * and which a second signal ends at once.
 */
export type UnderWay = (() => number) | 'service';

type SignalName = 'SIGINT' | 'SIGTERM';

export interface InterruptionPorts {
  /** Opened when it is written to. */
  readonly stderr: () => { write(text: string): unknown; readonly isTTY?: boolean };
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Calls back after so many milliseconds, unless the process ends before. */
  readonly after: (milliseconds: number, work: () => void) => void;
}

/** A command that was cut off and has not ended by then is ended. */
const LONGEST_END_MS = 3_000;
const CODES: Readonly<Record<SignalName, number>> = { SIGINT: 130, SIGTERM: 143 };

/** The interruption of this process, and what to call with each signal. */
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
    // Has the progress bar leave its line.
    first.abort(signal);
    if (isService && isFirst) return;
    if (isService || clients.length === 0 || second.signal.aborted) return exit();
    // The terminal has written ^C.
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
