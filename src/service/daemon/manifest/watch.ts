import { dirname } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';

/**
 * Reports promptly that files may have changed. It may miss a change, because the files are also read at intervals.
 */
export interface FileWatch {
  /** Resolves once every further change is seen. */
  readonly ready: Promise<void>;
  /** True while the watcher works. A dead one must be closed and replaced. */
  isAlive(): boolean;
  close(): Promise<void>;
}

export interface WatchOptions {
  /** Absolute paths of files and directories, which need not exist. */
  readonly paths: readonly string[];
  readonly onChange: () => void;
  /** Called once, when the watcher dies. */
  readonly onError: (error: unknown) => void;
}

/** Number of directory levels in which a change is seen at once. */
const DEPTH = 8;
/** Number of events after which a watcher is replaced, because it keeps every name that it has ever seen. */
const MOST_EVENTS = 10_000;

/**
 * Watches the paths and the directory of each. A file replaced by a rename changes there, and so does a Kubernetes
 * volume whose links are swapped.
 */
export function watchFiles({ paths, onChange, onError }: WatchOptions): FileWatch {
  let state: 'alive' | 'dead' = 'alive';
  let events = 0;
  let closed: Promise<unknown> = Promise.resolve();
  const die = (error: unknown): void => {
    if (state === 'dead' || isOfOneEntry(error)) return;
    state = 'dead';
    onError(error);
  };
  const count = (): void => {
    events += 1;
    if (events === MOST_EVENTS && state === 'alive') renew();
  };
  const open = (): Watchers => {
    const both = [
      watch([...paths], { ignoreInitial: true, depth: DEPTH }),
      watch([...new Set(paths.map((path) => dirname(path)))], { ignoreInitial: true, depth: 0 }),
    ];
    for (const watcher of both) watcher.on('all', onChange).on('raw', count).on('error', die);
    const ready = both.map(
      (watcher) => new Promise<void>((resolve) => watcher.once('ready', () => resolve())),
    );
    return { both, ready: Promise.all(ready).then(() => undefined) };
  };
  const renew = (): void => {
    closed = Promise.all([closed, close(current)]);
    current = open();
    void catchUp(current);
  };
  const catchUp = async ({ ready }: Watchers): Promise<void> => {
    await ready;
    events = 0;
    // Neither watcher saw what happened between the two.
    if (state === 'alive') onChange();
  };
  let current = open();
  return {
    ready: current.ready,
    isAlive: () => state === 'alive',
    async close() {
      state = 'dead';
      await Promise.all([closed, close(current)]);
    },
  };
}

/** True if the watcher works on without the entry: a circular link, or a file that must not be read. */
function isOfOneEntry(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'ELOOP' || code === 'EACCES' || code === 'EPERM';
}

interface Watchers {
  readonly both: readonly FSWatcher[];
  readonly ready: Promise<void>;
}

async function close({ both }: Watchers): Promise<void> {
  await Promise.all(both.map((watcher) => watcher.close()));
}
