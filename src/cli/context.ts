import type { Readable, Writable } from 'node:stream';
import type { RequestEvent } from '../client/http/call.ts';
import type { Connections } from '../client/http/transport.ts';
import type { Clock, Every } from '../core/model/clock.ts';
import type { DomainName } from '../core/model/names.ts';
import { createInterruption, type Interruption } from './process/interruption.ts';
import type { PlanOptionsDocument } from '../core/plan/document/document.ts';
import type { SavedPlan } from '../core/plan/document/saved.ts';
import { createEnding, type Ending } from './process/ending.ts';
import { createStandardOutput, type OutputStream, type StandardOutput } from './process/standard-output.ts';
import { createSecrets, type Secrets } from './process/secrets.ts';
import type { Disclosure } from '../core/model/destinations.ts';
import type { Format } from './output/formats.ts';
import type { ColorChoice } from './output/paint.ts';
import type { GivenFlags } from './settings/flags.ts';

/** Streams, clock and environment that a process gives to its commands. They are read from the process only here. */
export interface ProcessContext extends Pick<Interruption, 'signal'>, Partial<Omit<Interruption, 'signal'>> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream & Partial<StandardOutput>;
  readonly stderr: Writable & OutputStream;
  readonly clock: Clock;
  /** Calls `work` at an interval in milliseconds while the process lives, until the returned function is called. */
  readonly every?: Every;
  readonly random: () => number;
  readonly secrets: Secrets;
  readonly ending?: Ending;
  /** Connections shared by all clients. If absent, each client has its own. */
  readonly connections?: Connections;
  /** Registers a listener for every SIGHUP. Without a listener, SIGHUP ends the process. */
  readonly onHangUp?: (listener: () => void) => void;
  /** Called with each request, for the log. `account` is empty if there is only one account. */
  readonly onRequest?: (event: RequestEvent, account: string) => void;
}

/** The process that a command runs in, and how the command prints. */
export interface Context extends ProcessContext {
  readonly color: ColorChoice;
  readonly format: Format;
  /** Masks local parts with one numbering for all output; false shows them. */
  readonly mask: Disclosure['mask'];
  /** Flags that were typed, for printed commands. */
  readonly given: GivenFlags;
  /** The account that the command runs for, if it is one of many. */
  readonly member?: AccountMember;
}

/** One of many accounts for which a command runs. */
export interface AccountMember {
  readonly name: string;
  /**
   * The account's part of a file of saved plans, unedited. undefined means that there is no file; null means that the
   * file has no plan of this account.
   */
  readonly saved?: SavedPlan | null | undefined;
  /** The membership that each of its saved plans states. */
  readonly membership: NonNullable<PlanOptionsDocument['account']>;
  /** Returns why a domain must stay; null means that it may be deleted. */
  readonly whyKeepDomain: (domain: DomainName) => Promise<string | null>;
  /** Holds back the output of other accounts while a person is asked about this one. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

export function processContext(): ProcessContext {
  let stderr: ProcessContext['stderr'] | undefined;
  const openStderr = (): ProcessContext['stderr'] => (stderr ??= process.stderr.on('error', () => {}));
  const ending = createEnding(openStderr);
  return {
    env: process.env,
    cwd: process.cwd(),
    // Opening a stream takes a tenth of the start-up time. Most commands need one of the three.
    get stdin() {
      return process.stdin;
    },
    stdout: createStandardOutput(() => process.stdout.on('error', (error) => ending.noteOutputError(error))),
    get stderr() {
      return openStderr();
    },
    clock: systemClock,
    every: (milliseconds, work) => {
      const timer = setInterval(work, milliseconds).unref();
      return () => clearInterval(timer);
    },
    random: Math.random,
    secrets: createSecrets(),
    ending,
    ...interruption(openStderr),
    onHangUp: (listener) => process.on('SIGHUP', listener),
  };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // A timer over 2^31 ms fires at once, but no wait here is longer than a day.
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, signal?.aborted === true ? 0 : Math.min(milliseconds, 86_400_000));
      signal?.addEventListener('abort', end);
    }),
};

function interruption(stderr: () => OutputStream): Interruption {
  const { interruption, receive } = createInterruption({
    stderr,
    exit: (code) => process.exit(code),
    after: (milliseconds, work) => void setTimeout(work, milliseconds).unref(),
  });
  process.on('SIGINT', receive);
  process.on('SIGTERM', receive);
  return interruption;
}
