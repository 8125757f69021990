import type { Clock } from '../../model/clock.ts';
import type { AccountStatus, DaemonEvent } from '../../model/daemon.ts';
import type { AccountLoop } from './account-loop.ts';
import { createBell, type Bell } from './bell.ts';
import type { FileWatch, WatchOptions } from './watch.ts';

/** One account's manifest: what is read, and the name it goes by. */
export interface AccountEntry {
  readonly name: string;
  /** Files and directories; `-f` may name several. */
  readonly paths: readonly string[];
}

export interface DaemonPorts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly emit: (event: DaemonEvent) => void;
  /** The accounts as they are now; those that were known before stay. An error is for people. */
  readonly listAccounts: () => Promise<readonly AccountEntry[] | { readonly error: string }>;
  readonly openLoop: (entry: AccountEntry) => AccountLoop;
  /** Absolute paths of everything whose change matters. */
  readonly watched: (entries: readonly AccountEntry[]) => readonly string[];
  readonly watch: (options: WatchOptions) => FileWatch;
}

export interface Daemon {
  /** Until the signal is aborted, and every loop has ended. Rejects when a loop does. */
  run(): Promise<void>;
  /** As on SIGHUP. */
  hangUp(): void;
  statuses(): readonly AccountStatus[];
  /** When it last showed that it is alive; monotonic milliseconds. */
  beatAt(): number;
}

/** Accounts that were added are found, and a watcher that died is replaced, so often. */
export const ROUND_MS = 30_000;

/** Runs one loop an account, side by side: none waits for another. */
export function createDaemon(ports: DaemonPorts): Daemon {
  const { clock, signal } = ports;
  const state: DaemonState = {
    ports,
    bell: createBell(clock),
    loops: new Map(),
    running: [],
    watching: null,
    beatAt: clock.monotonic(),
    complaint: null,
    deafness: null,
    broken: null,
  };
  return {
    async run() {
      const stop = (): void => state.bell.ring();
      signal.addEventListener('abort', stop);
      while (!signal.aborted && state.broken === null) {
        await goRound(state);
        await state.bell.wait(ROUND_MS);
      }
      signal.removeEventListener('abort', stop);
      await state.watching?.watch.close();
      if (state.broken !== null) throw state.broken.error;
      await Promise.all(state.running);
    },
    hangUp() {
      for (const loop of state.loops.values()) loop.hangUp();
      state.bell.ring();
    },
    statuses: () => [...state.loops.values()].map((loop) => loop.status()),
    beatAt: () => state.beatAt,
  };
}

interface DaemonState {
  readonly ports: DaemonPorts;
  readonly bell: Bell;
  readonly loops: Map<string, AccountLoop>;
  readonly running: Promise<void>[];
  watching: Watching | null;
  beatAt: number;
  /** Why the accounts could not be listed, as it was told last. */
  complaint: string | null;
  /** Why the last watcher died, as it was told last; null: one lives. */
  deafness: string | null;
  /** What ended a loop that was not asked to end. */
  broken: { readonly error: unknown } | null;
}

interface Watching {
  readonly watch: FileWatch;
  readonly paths: readonly string[];
  /** Changes that nobody had told of when it was made. */
  readonly unheard: number;
}

/** Finds accounts that are new, and replaces a watcher that died or is deaf. */
async function goRound(state: DaemonState): Promise<void> {
  const { ports, loops } = state;
  state.beatAt = ports.clock.monotonic();
  const entries = await ports.listAccounts();
  if ('error' in entries) return complain(state, entries.error);
  state.complaint = null;
  for (const entry of entries) if (!loops.has(entry.name)) openLoop(state, entry);
  state.watching = await rewatch(state, ports.watched(entries));
}

function openLoop(state: DaemonState, entry: AccountEntry): void {
  const loop = state.ports.openLoop(entry);
  state.loops.set(entry.name, loop);
  const ended = loop.run().catch((error: unknown) => {
    state.broken ??= { error };
    state.bell.ring();
  });
  state.running.push(ended);
}

function complain(state: DaemonState, message: string): void {
  const inForce = state.loops.size === 0 ? 'none' : 'last-good';
  if (message !== state.complaint) {
    state.ports.emit({ account: '', kind: 'manifest-refused', message, problems: [], inForce });
  }
  state.complaint = message;
}

/** The same watcher for as long as it lives, misses nothing, and the paths are the same. */
async function rewatch(state: DaemonState, paths: readonly string[]): Promise<Watching> {
  const { ports, loops, watching } = state;
  const unheard = [...loops.values()].reduce((sum, loop) => sum + loop.unheard(), 0);
  // It may be deaf and not know: a directory above was replaced, a file system unmounted.
  const isAlive = watching?.watch.isAlive() === true;
  if (isAlive) state.deafness = null;
  if (isAlive && watching.unheard === unheard && watching.paths.join('\0') === paths.join('\0'))
    return watching;
  await watching?.watch.close();
  const watch = ports.watch({
    paths,
    onChange() {
      for (const loop of loops.values()) loop.noticed();
    },
    onError(error) {
      const message = error instanceof Error ? error.message : String(error);
      // Where no watcher can be had, each new one dies as the last one did.
      if (message !== state.deafness) ports.emit({ account: '', kind: 'watcher-failed', message });
      state.deafness = message;
    },
  });
  return { watch, paths, unheard };
}
