import type { Client } from '../../client/client.ts';
import type { AccountStatus, Cause, DaemonEvent } from '../../core/model/status/daemon.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { DomainName } from '../../core/model/names.ts';
import { succeed } from '../../core/model/result.ts';
import type { HistoryStore, StateStore } from '../../engine/state/store.ts';
import type { ManifestSize } from '../../core/model/prior.ts';
import { changedSince, digestDomains, keepDomains, type DomainDigests } from '../../engine/domain-digests.ts';
import { internalFault, pendingSinceLastRun, type Access, type RunPorts } from './account-run.ts';
import { createStatusTracker } from './status/account-status.ts';
import type { CommandLine } from '../../core/model/text/command-line.ts';
import { createFlapDetector } from './flap-detector.ts';
import type { ManifestRead, ManifestSource } from './manifest/manifest-source.ts';
import { makeRun, type FailedRun, type RunRecords, type RunStart, type Work } from './recorded-run.ts';
import { createReceivingWatch } from './receiving.ts';
import { createRepeatedSweeps } from './repeated-sweep.ts';
import { createScheduler, type Scheduler, type Spread, type Task } from './scheduler.ts';
import { createSweeper, type Sweeper } from './sweep.ts';
import { createWakeup, type Wakeup } from './wakeup.ts';

export interface LoopOptions {
  /** Name of the account's manifest, in every event. */
  readonly name: string;
  readonly mode: 'apply' | 'observe';
  readonly intervalMs: number;
  /** Interval at which the files are read even without an event. */
  readonly pollMs: number;
  /** Interval at which each domain is read in full if a drift URL is used. */
  readonly fullIntervalMs: number;
  /** Place of one account among many. */
  readonly spread?: Spread | undefined;
}

export interface LoopPorts extends RunPorts {
  readonly source: ManifestSource;
  readonly emit: (event: DaemonEvent) => void;
  readonly command?: CommandLine | undefined;
  /**
   * Ends the daemon by throwing if the first check shows a wrong start. Absent if the daemon serves several accounts.
   */
  readonly giveUp?: ((message: string) => never) | undefined;
}

/** Keeps one account in sync with its manifest. The loop is level-triggered: an event only makes it read again. */
export interface AccountLoop {
  /** Runs until the signal is aborted and requests in flight have ended. */
  run(): Promise<void>;
  filesChanged(): void;
  /** Reads everything now, and gives frozen items another chance. */
  resync(): void;
  /** Number of file changes that were found without an event. */
  missedEvents(): number;
  status(): AccountStatus;
  /** Returns the loaded manifest; null before the first. */
  desired(): Desired | null;
  /** History of the last account that was reached; null before the first run. */
  history(): HistoryStore | null;
}

export function createAccountLoop(options: LoopOptions, ports: LoopPorts): AccountLoop {
  const { clock, signal } = ports;
  const loop = startLoop(options, ports);
  const { scheduler, wakeup, tracker } = loop;
  return {
    async run() {
      const stop = (): void => wakeup.wake();
      signal.addEventListener('abort', stop);
      while (!signal.aborted) await perform(loop, scheduler.next(clock.monotonic()));
      signal.removeEventListener('abort', stop);
      await loop.sweeper.idle();
    },
    filesChanged() {
      loop.isNotified = true;
      scheduler.filesChanged(clock.monotonic());
      wakeup.wake();
    },
    resync() {
      loop.isNotified = true;
      loop.flaps.reset();
      resync(loop);
      wakeup.wake();
    },
    missedEvents: () => loop.missedEvents,
    status() {
      const sweepAt = scheduler.nextSweepAt();
      return {
        ...tracker.status(),
        mode: options.mode,
        intervalMs: scheduler.effectiveIntervalMs(),
        failures: scheduler.failures(),
        nextSweepAt: sweepAt === null ? null : clock.now() + sweepAt - clock.monotonic(),
        budgets: loop.client?.budgets() ?? new Map(),
      };
    },
    desired: () => loop.manifest?.desired ?? null,
    history: () => loop.history,
  };
}

/** The last valid manifest. */
interface CurrentManifest {
  readonly desired: Desired;
  readonly size: ManifestSize;
  readonly digests: DomainDigests;
}

interface Loop extends RunRecords {
  readonly scheduler: Scheduler;
  readonly options: LoopOptions;
  readonly ports: LoopPorts;
  readonly wakeup: Wakeup;
  readonly sweeper: Sweeper;
  manifest: CurrentManifest | null;
  /** True if an event reported possible changes since the files were last read. */
  isNotified: boolean;
  missedEvents: number;
  /** Client that was used last. */
  client: Client | null;
  history: HistoryStore | null;
}

function startLoop(options: LoopOptions, whole: LoopPorts): Loop {
  const { clock, random, emit } = whole;
  const account = options.name;
  const ports: LoopPorts = {
    ...whole,
    async access(desired) {
      const access = await whole.access(desired);
      if (!access.ok) return access;
      loop.client = access.value.client;
      return succeed({ ...access.value, openState: (email) => openState(loop, access.value, email) });
    },
  };
  const onListUnread = (message: string): void => emit({ account, kind: 'drift-unchecked', message });
  const loop: Loop = {
    options,
    ports,
    wakeup: createWakeup(clock),
    scheduler: createScheduler({ ...options, random, now: clock.monotonic() }),
    flaps: createFlapDetector(),
    repeated: createRepeatedSweeps(),
    receiving: createReceivingWatch(),
    tracker: createStatusTracker({ name: account, now: () => clock.now(), emit, command: ports.command }),
    sweeper: createSweeper(options, { ...ports, onListUnread }),
    manifest: null,
    // Nothing could have changed yet.
    isNotified: true,
    missedEvents: 0,
    client: null,
    history: null,
  };
  return loop;
}

function openState(loop: Loop, { openState: open }: Access, email: string): StateStore {
  const store = open(email);
  loop.history = store.history;
  return store;
}

async function perform(loop: Loop, task: Task): Promise<void> {
  switch (task.kind) {
    case 'wait':
      return loop.wakeup.wait(task.milliseconds);
    case 'read-files':
      return readFiles(loop);
    case 'run':
      return runDomains(loop, task.cause, task.domains);
    case 'start-sweep':
      return beginSweep(loop);
    case 'finish-sweep':
      return finishSweep(loop);
  }
}

async function readFiles(loop: Loop): Promise<void> {
  const { scheduler, tracker, ports } = loop;
  // Recorded before the read, so that a change during the read causes another read.
  scheduler.filesRead(ports.clock.monotonic());
  const { isNotified } = loop;
  loop.isNotified = false;
  const isFirst = loop.manifest === null;
  const read = await readSafely(loop);
  if (read !== null && !isNotified) loop.missedEvents += 1;
  if (read?.kind === 'bad') tracker.manifestRefused(read);
  if (read?.kind !== 'good') return;
  accept(loop, read);
  // A small account is swept at once. In a large one, changes made while no daemon ran should not wait for the sweep.
  const isLarge = read.desired.domains.size > DOMAINS_PER_PAGE;
  if (isFirst && isLarge) scheduler.enqueue(await pendingSinceLastRun(read.desired, ports));
}

/** Reads the manifest. A bug in reading it must not end the daemon for all accounts, so it is reported once. */
async function readSafely({ tracker, ports }: Loop): Promise<ManifestRead | null> {
  try {
    return await ports.source.read();
  } catch (error) {
    const { message } = internalFault(error);
    const isReported = message === tracker.status().manifest.message;
    return isReported ? null : { kind: 'bad', message, problems: [] };
  }
}

function accept(loop: Loop, read: Extract<ManifestRead, { kind: 'good' }>): void {
  const { scheduler, tracker, flaps, repeated, manifest: before } = loop;
  const { desired, size } = read;
  const digests = digestDomains(desired);
  loop.manifest = { desired, size, digests };
  const changed = changedSince(before?.digests ?? new Map(), digests);
  scheduler.manage(desired.domains);
  flaps.retain(desired.domains);
  repeated.forget();
  tracker.manifestAccepted(read, changed);
  if (before === null) return;
  scheduler.enqueue(changed);
  // A guard may allow now what it held back. With another address or account, nothing is known.
  if (!isSame(before.desired.guards, desired.guards)) scheduler.enqueue(tracker.domainsIn('withheld'));
  if (!isSame(before.desired.api, desired.api)) resync(loop);
}

function resync({ scheduler, sweeper, repeated, ports }: Loop): void {
  sweeper.forget();
  repeated.forget();
  scheduler.resync(ports.clock.monotonic());
}

/** True if both are equal apart from their places. Moving a line changes nothing. */
function isSame(a: object, b: object): boolean {
  const show = (value: object): string =>
    JSON.stringify(value, (key, part: unknown) => (key === 'source' ? undefined : part));
  return show(a) === show(b);
}

/** Number of domains per page. Listing an account's domains costs one request per page. */
const DOMAINS_PER_PAGE = 200;

async function runDomains(loop: Loop, cause: Cause, names: readonly DomainName[]): Promise<void> {
  const { desired, size } = currentManifest(loop);
  const wanted = new Set(names);
  loop.sweeper.discard(names);
  const pages = Math.ceil(desired.domains.size / DOMAINS_PER_PAGE);
  const work: Work = {
    desired: keepDomains(desired, (name) => wanted.has(name)),
    manifestSize: size,
    listing: names.length < pages ? 'by-name' : 'all',
  };
  await makeRun(loop, { cause, names, startedAt: loop.ports.clock.monotonic() }, work);
}

function beginSweep(loop: Loop): void {
  const { desired, digests } = currentManifest(loop);
  loop.scheduler.sweepStarted(loop.ports.clock.monotonic());
  void announceEnd(loop, loop.sweeper.begin(desired, digests));
}

async function announceEnd({ scheduler, wakeup, ports }: Loop, read: Promise<number | null>): Promise<void> {
  const nextMs = await read;
  scheduler.sweepRead(ports.clock.monotonic(), nextMs);
  wakeup.wake();
}

async function finishSweep(loop: Loop): Promise<void> {
  const { sweeper, ports } = loop;
  const { desired: whole, size, digests } = currentManifest(loop);
  const sweep = await sweeper.finish(whole, digests);
  const { desired, startedAt, readAt, read } = sweep;
  const work: Work | FailedRun = read.ok
    ? { desired, manifestSize: size, listing: 'all', swept: read.value }
    : { kind: 'failed', ...read.error };
  const isFirst = loop.tracker.status().run === null;
  const start: RunStart = { cause: 'sweep', names: [...desired.domains.keys()], startedAt, readAt };
  const result = await makeRun(loop, start, work);
  sweeper.planned(sweep, result);
  if (isFirst && !read.ok && read.error.what === 'account') ports.giveUp?.(read.error.message);
}

function currentManifest({ manifest }: Loop): CurrentManifest {
  if (manifest === null) throw new Error('a run without a manifest');
  return manifest;
}
