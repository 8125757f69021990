import type { Client } from '../../api/client.ts';
import type { AccountStatus, Cause, DaemonEvent, RunResult } from '../../model/daemon.ts';
import type { Desired } from '../../model/desired.ts';
import type { DomainName } from '../../model/names.ts';
import type { ManifestSize } from '../../model/prior.ts';
import { createAccountBook, type AccountBook } from './account-book.ts';
import { madeChanges, runAccount, type RunPorts, type RunTask, createRunId } from './account-run.ts';
import { createAgenda, type Agenda, type Task } from './agenda.ts';
import { createBell, type Bell } from './bell.ts';
import { changedSince, fingerprintDomains, keepDomains, type Fingerprints } from '../changed.ts';
import { createContest, type Contest } from './contest.ts';
import { changedSinceApplied } from './head-start.ts';
import type { ManifestLook, ManifestSource } from './manifest-source.ts';
import { startSweep, type Sweep } from './sweep.ts';

export interface LoopOptions {
  /** Of the account's manifest; in every event. */
  readonly name: string;
  readonly mode: 'apply' | 'observe';
  readonly intervalMs: number;
  readonly lookEveryMs: number;
}

export interface LoopPorts extends RunPorts {
  readonly source: ManifestSource;
  readonly emit: (event: DaemonEvent) => void;
}

/** Keeps one account in step with its manifest. Whatever may have changed only makes it look again. */
export interface AccountLoop {
  /** Runs until the signal is aborted and what is in flight has ended. */
  run(): Promise<void>;
  /** The files may have changed. */
  noticed(): void;
  /** Look at everything now, and give frozen items another chance. */
  hangUp(): void;
  /** Changes of the files that were found though nobody had told of them. */
  unheard(): number;
  status(): AccountStatus;
}

export function createAccountLoop(options: LoopOptions, ports: LoopPorts): AccountLoop {
  const { clock, signal } = ports;
  const loop = startLoop(options, ports);
  const { agenda, bell, book } = loop;
  return {
    async run() {
      const stop = (): void => bell.ring();
      signal.addEventListener('abort', stop);
      while (!signal.aborted) await carryOut(loop, agenda.next(clock.monotonic()));
      signal.removeEventListener('abort', stop);
      await loop.sweep?.ended;
    },
    noticed() {
      loop.isTold = true;
      agenda.noticed(clock.monotonic());
      bell.ring();
    },
    hangUp() {
      loop.isTold = true;
      loop.contest.thaw();
      agenda.hurry(clock.monotonic());
      bell.ring();
    },
    unheard: () => loop.unheard,
    status() {
      const next = agenda.sweeps.state();
      return {
        ...book.status(),
        failures: agenda.failures(),
        nextSweepAt: next.kind === 'waiting' ? clock.now() + next.at - clock.monotonic() : null,
        budgets: loop.client?.budgets() ?? new Map(),
      };
    },
  };
}

/** The manifest that is worked with: the last good one. */
interface InForce {
  readonly desired: Desired;
  readonly size: ManifestSize;
  readonly fingerprints: Fingerprints;
}

interface Loop {
  readonly options: LoopOptions;
  readonly ports: LoopPorts;
  readonly bell: Bell;
  readonly agenda: Agenda;
  readonly contest: Contest;
  readonly book: AccountBook;
  inForce: InForce | null;
  /** Whether somebody said that the files may have changed, since they were read last. */
  isTold: boolean;
  unheard: number;
  /** The one that is under way. */
  sweep: Sweep | null;
  /** The one that was used last. */
  client: Client | null;
}

function startLoop(options: LoopOptions, ports: LoopPorts): Loop {
  const { clock, random, emit } = ports;
  const loop: Loop = {
    options,
    ports: {
      ...ports,
      async access(desired) {
        const access = await ports.access(desired);
        if (access.ok) loop.client = access.value.client;
        return access;
      },
    },
    bell: createBell(clock),
    agenda: createAgenda({ ...options, random, now: clock.monotonic() }),
    contest: createContest(),
    book: createAccountBook({ name: options.name, now: () => clock.now(), emit }),
    inForce: null,
    // There is nothing yet that could have changed.
    isTold: true,
    unheard: 0,
    sweep: null,
    client: null,
  };
  return loop;
}

async function carryOut(loop: Loop, task: Task): Promise<void> {
  switch (task.kind) {
    case 'wait':
      return loop.bell.wait(task.milliseconds);
    case 'look':
      return lookAtFiles(loop);
    case 'run':
      return runDomains(loop, task.cause, task.domains);
    case 'start-sweep':
      return beginSweep(loop);
    case 'finish-sweep':
      return finishSweep(loop);
  }
}

async function lookAtFiles(loop: Loop): Promise<void> {
  const { agenda, book, ports } = loop;
  // Before the read: what changes meanwhile is read again.
  agenda.looked(ports.clock.monotonic());
  const { isTold } = loop;
  loop.isTold = false;
  const isFirst = loop.inForce === null;
  const look = await lookSafely(loop);
  if (look !== null && !isTold) loop.unheard += 1;
  if (look?.kind === 'bad') book.refused(look);
  if (look?.kind !== 'good') return;
  accept(loop, look);
  // What is small is swept at once.
  const isLarge = look.desired.domains.size > DOMAINS_A_PAGE;
  if (isFirst && isLarge) agenda.changed(await changedSinceApplied(look.desired, ports));
}

/** A mistake of ours over one manifest must not end the daemon for all; it is told once. */
async function lookSafely({ book, ports }: Loop): Promise<ManifestLook | null> {
  try {
    return await ports.source.look();
  } catch (error) {
    const message = describe(error);
    const isTold = message === book.status().manifest.message;
    return isTold ? null : { kind: 'bad', message, problems: [] };
  }
}

function accept(loop: Loop, look: Extract<ManifestLook, { kind: 'good' }>): void {
  const { agenda, book, contest, inForce: before, ports } = loop;
  const { desired, size } = look;
  const fingerprints = fingerprintDomains(desired);
  loop.inForce = { desired, size, fingerprints };
  const changed = changedSince(before?.fingerprints ?? new Map(), fingerprints);
  agenda.manage(desired.domains);
  contest.keep(desired.domains);
  book.accepted(look, changed);
  if (before === null) return;
  agenda.changed(changed);
  // What a guard held back may be allowed now; another address or account is another world.
  if (!isSame(before.desired.guards, desired.guards)) agenda.changed(book.domainsIn('withheld'));
  if (!isSame(before.desired.api, desired.api)) agenda.hurry(ports.clock.monotonic());
}

/** Apart from their places: to move a line changes nothing. */
function isSame(a: object, b: object): boolean {
  const show = (value: object): string =>
    JSON.stringify(value, (key, part: unknown) => (key === 'source' ? undefined : part));
  return show(a) === show(b);
}

/** An account's list of domains costs a request for each so many of them. */
const DOMAINS_A_PAGE = 200;

async function runDomains(loop: Loop, cause: Cause, names: readonly DomainName[]): Promise<void> {
  const { desired, size } = inForceOf(loop);
  const wanted = new Set(names);
  loop.sweep?.touched(names);
  const pages = Math.ceil(desired.domains.size / DOMAINS_A_PAGE);
  await runOnce(
    loop,
    { cause, names, begun: loop.ports.clock.monotonic() },
    {
      desired: keepDomains(desired, (name) => wanted.has(name)),
      manifestSize: size,
      listing: names.length < pages ? 'by-name' : 'all',
    },
  );
}

function beginSweep(loop: Loop): void {
  const { desired, fingerprints } = inForceOf(loop);
  const { agenda, bell, ports } = loop;
  agenda.sweeps.started(ports.clock.monotonic());
  loop.sweep = startSweep(desired, fingerprints, ports, () => {
    agenda.sweeps.read(ports.clock.monotonic());
    bell.ring();
  });
}

async function finishSweep(loop: Loop): Promise<void> {
  const { sweep } = loop;
  const { desired, size, fingerprints } = inForceOf(loop);
  const read = sweep?.result();
  if (sweep === null || read === null || read === undefined) throw new Error('a sweep that has not ended');
  loop.sweep = null;
  const concerned = sweep.concerns(desired, fingerprints);
  const names = [...concerned.domains.keys()];
  const about = { cause: 'sweep', names, begun: sweep.begun } as const;
  if (read.ok) {
    const task = { desired: concerned, manifestSize: size, listing: 'all', reading: read.value } as const;
    await runOnce(loop, about, task);
  } else {
    await runOnce(loop, about, { kind: 'failed', ...read.error });
  }
}

interface RunStart {
  readonly cause: Cause;
  readonly names: readonly DomainName[];
  /** When it, or its reading, began. */
  readonly begun: number;
}

type Work = Omit<RunTask, 'mode' | 'contest' | 'inSync'>;

/** Makes a run, or records one that failed before it began. */
async function runOnce(
  loop: Loop,
  { cause, names, begun }: RunStart,
  work: Work | Extract<RunResult, { kind: 'failed' }>,
): Promise<void> {
  const { agenda, book, contest, options, ports } = loop;
  const { clock } = ports;
  const run = createRunId(ports.random);
  ports.emit({ account: options.name, kind: 'run-started', run, cause, domains: names.length });
  const task = { mode: options.mode, contest, inSync: new Set(book.domainsIn('in-sync')) };
  const result = 'kind' in work ? work : await safely(() => runAccount({ ...work, ...task }, ports));
  // What was asked to stop did not fail.
  if (result.kind === 'failed' && ports.signal.aborted) return;
  if (result.kind === 'looked') contest.placed(madeChanges(result));
  const seconds = (clock.monotonic() - begun) / 1000;
  const failing = book.finished({ run, cause, names, seconds, result });
  const failures = agenda.failures();
  agenda.ended({ cause, domains: names, failing }, clock.monotonic());
  if (failures > 0 && agenda.failures() === 0) {
    ports.emit({ account: options.name, kind: 'recovered', run, failures });
  }
}

/** A mistake of ours in one run must not end the daemon; it is told, and the run made again after a pause. */
async function safely(run: () => Promise<RunResult>): Promise<RunResult> {
  try {
    return await run();
  } catch (error) {
    return { kind: 'failed', what: 'internal', message: describe(error) };
  }
}

function inForceOf({ inForce }: Loop): InForce {
  if (inForce === null) throw new Error('a run without a manifest');
  return inForce;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
