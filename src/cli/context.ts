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
import type { ManifestCounts } from '../core/manifest/load.ts';
import type { Problem } from '../core/model/manifest/problem.ts';

/** The manifests that were read, and what was found in them. */
export interface CheckedManifests {
  readonly problems: readonly Problem[];
  readonly texts: readonly { readonly file: string }[];
  readonly counts: ManifestCounts;
}

/** What a command may use of the process; the one place where the ambient is picked up. */
export interface Context extends Pick<Interruption, 'signal'>, Partial<Omit<Interruption, 'signal'>> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream & Partial<StandardOutput>;
  readonly stderr: Writable & OutputStream;
  readonly clock: Clock;
  /** Calls `work` every so many milliseconds, as long as the process lives, until the answer is called. */
  readonly every?: Every;
  readonly random: () => number;
  readonly secrets: Secrets;
  readonly ending?: Ending;
  /** Shared by all clients; absent: each has its own. */
  readonly connections?: Connections;
  /** Calls back on every SIGHUP, which ends the process where nobody asked for this. */
  readonly onHangUp?: (listener: () => void) => void;
  /** Called with each request, for the log; `account` is empty where there is one alone. */
  readonly onRequest?: (event: RequestEvent, account: string) => void;
  /** With `--accounts`: the one of them that a command runs for. */
  readonly ofAccount?: AccountScope;
}

/** What one account says becomes a part of what is said of all. */
export interface AccountScope {
  readonly name: string;
  /** Of a command about a saved plan of many: the account's own, unedited; null: none of it was saved. */
  readonly saved?: SavedPlan | null | undefined;
  /** As a plan of the account that is saved states it. */
  readonly membership: NonNullable<PlanOptionsDocument['account']>;
  /** Asked right before one of its domains is deleted: null, or why it must stay. */
  readonly whyKeepDomain: (domain: DomainName) => Promise<string | null>;
  /** Nothing of other accounts is printed meanwhile: somebody is asked about this one. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Keeps what is reported of the account until all have ended, in place of printing or saving it. */
  readonly report: (part: Partial<AccountReport>) => void;
}

/** What a command reports of one account. */
export interface AccountReport {
  /** What it would have printed for this account alone; null: it did not come to that. */
  readonly document: object | null;
  /** What `validate` found, for formats that are one document of all accounts. */
  readonly checked: CheckedManifests;
  /** What is for the file of `--out`. */
  readonly plan: object | null;
  /** How the account is, in one line. */
  readonly verdict: string | null;
  /** Whether something was written, or may have been. */
  readonly wrote: boolean;
  /** Whether its plan has changes that apply would run. */
  readonly canApply: boolean;
}

export function processContext(): Context {
  let stderr: Context['stderr'] | undefined;
  const openStderr = (): Context['stderr'] => (stderr ??= process.stderr.on('error', () => {}));
  const ending = createEnding(openStderr);
  return {
    env: process.env,
    cwd: process.cwd(),
    // Opening a stream takes a tenth of the start-up; most commands need one of the three.
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
  // A timer over 2^31 ms fires at once; nothing here waits longer than a day.
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
