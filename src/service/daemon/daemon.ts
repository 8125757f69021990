import type { Clock } from '../../core/model/clock.ts';
import type { AccountStatus, DaemonEvent } from '../../core/model/status/daemon.ts';
import type { Desired } from '../../core/model/desired.ts';
import type { HistoryStore } from '../../engine/state/store.ts';
import type { AccountLoop } from './account-loop.ts';
import { createWakeup, type Wakeup } from './wakeup.ts';
import type { FileWatch, WatchOptions } from './manifest/watch.ts';

/** One account's manifest: its files and its name. */
export interface AccountEntry {
  readonly name: string;
  /** Files and directories. `-f` may name several. */
  readonly paths: readonly string[];
}

export interface DaemonPorts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly emit: (event: DaemonEvent) => void;
  /** Returns the current accounts. Accounts that are already known stay. An error is for people. */
  readonly listAccounts: () => Promise<readonly AccountEntry[] | { readonly error: string }>;
  readonly openLoop: (entry: AccountEntry) => AccountLoop;
  /** Returns the absolute paths to watch. */
  readonly watched: (entries: readonly AccountEntry[]) => readonly string[];
  readonly watch: (options: WatchOptions) => FileWatch;
}

export interface Daemon {
  /** Runs until the signal is aborted and every loop has ended. Rejects if a loop does. */
  run(): Promise<void>;
  /** Reads everything now, as on SIGHUP. */
  resync(): void;
  statuses(): readonly AccountStatus[];
  /** Returns the loaded manifests. */
  manifests(): readonly Desired[];
  /** Returns the history of each account that was reached. */
  histories(): readonly { readonly account: string; readonly history: HistoryStore }[];
  /** Returns the time of the last heartbeat in monotonic milliseconds. */
  heartbeatAt(): number;
}

/** Interval for finding new accounts, replacing a dead watcher and reading the files. */
export const POLL_MS = 30_000;

/** Runs one loop per account, side by side. No loop waits for another. */
export function createDaemon(ports: DaemonPorts): Daemon {
  const { clock, signal } = ports;
  const state: DaemonState = {
    ports,
    wakeup: createWakeup(clock),
    loops: new Map(),
    running: [],
    watching: null,
    heartbeatAt: clock.monotonic(),
    accountsFault: null,
    watcherFault: null,
    broken: null,
  };
  return {
    async run() {
      const stop = (): void => state.wakeup.wake();
      signal.addEventListener('abort', stop);
      while (!signal.aborted && state.broken === null) {
        await poll(state);
        await state.wakeup.wait(POLL_MS);
      }
      signal.removeEventListener('abort', stop);
      await state.watching?.watch.close();
      if (state.broken !== null) throw state.broken.error;
      await Promise.all(state.running);
    },
    resync() {
      for (const loop of state.loops.values()) loop.resync();
      state.wakeup.wake();
    },
    statuses: () => [...state.loops.values()].map((loop) => loop.status()),
    manifests: () =>
      [...state.loops.values()].map((loop) => loop.desired()).filter((desired) => desired !== null),
    histories: () =>
      [...state.loops].flatMap(([account, loop]) => {
        const history = loop.history();
        return history === null ? [] : [{ account, history }];
      }),
    heartbeatAt: () => state.heartbeatAt,
  };
}

interface DaemonState {
  readonly ports: DaemonPorts;
  readonly wakeup: Wakeup;
  readonly loops: Map<string, AccountLoop>;
  readonly running: Promise<void>[];
  watching: Watching | null;
  heartbeatAt: number;
  /** Last reported reason why the accounts could not be listed. */
  accountsFault: string | null;
  /** Last reported reason why the watcher died; null while one is alive. */
  watcherFault: string | null;
  /** Error of a loop that ended without being asked to. */
  broken: { readonly error: unknown } | null;
}

interface Watching {
  readonly watch: FileWatch;
  readonly paths: readonly string[];
  /** Number of missed events when the watcher was created. */
  readonly missedEvents: number;
}

/** Finds new accounts, and replaces a watcher that died or misses events. */
async function poll(state: DaemonState): Promise<void> {
  const { ports, loops } = state;
  state.heartbeatAt = ports.clock.monotonic();
  const entries = await ports.listAccounts();
  if ('error' in entries) return reportFault(state, entries.error);
  state.accountsFault = null;
  for (const entry of entries) if (!loops.has(entry.name)) openLoop(state, entry);
  state.watching = await rewatch(state, ports.watched(entries));
}

function openLoop(state: DaemonState, entry: AccountEntry): void {
  const loop = state.ports.openLoop(entry);
  state.loops.set(entry.name, loop);
  const ended = loop.run().catch((error: unknown) => {
    state.broken ??= { error };
    state.wakeup.wake();
  });
  state.running.push(ended);
}

function reportFault(state: DaemonState, message: string): void {
  const inForce = state.loops.size === 0 ? 'none' : 'last-good';
  if (message !== state.accountsFault) {
    state.ports.emit({ account: '', kind: 'manifest-refused', message, problems: [], inForce });
  }
  state.accountsFault = message;
}

/** Returns the current watcher while it is alive, misses no event and has the same paths. Otherwise replaces it. */
async function rewatch(state: DaemonState, paths: readonly string[]): Promise<Watching> {
  const { ports, loops, watching } = state;
  const missedEvents = [...loops.values()].reduce((sum, loop) => sum + loop.missedEvents(), 0);
  // A watcher may miss events without noticing, for example when a parent directory is replaced or a file system is
  // unmounted.
  const isAlive = watching?.watch.isAlive() === true;
  if (isAlive) state.watcherFault = null;
  if (isAlive && watching.missedEvents === missedEvents && watching.paths.join('\0') === paths.join('\0'))
    return watching;
  await watching?.watch.close();
  const watch = ports.watch({
    paths,
    onChange() {
      for (const loop of loops.values()) loop.filesChanged();
    },
    onError(error) {
      const message = error instanceof Error ? error.message : String(error);
      // If no watcher can be opened, each new one dies with the same message.
      if (message !== state.watcherFault) ports.emit({ account: '', kind: 'watcher-failed', message });
      state.watcherFault = message;
    },
  });
  return { watch, paths, missedEvents };
}
