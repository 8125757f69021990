import { dirname } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';

/** Tells promptly that files may have changed. It is allowed to miss something: the files are read now and then anyway. */
export interface FileWatch {
  /** Resolves once nothing escapes it any more. */
  readonly ready: Promise<void>;
  /** Whether it still works; one that died must be closed and replaced. */
  isAlive(): boolean;
  close(): Promise<void>;
}

export interface WatchOptions {
  /** Absolute paths of files and directories, whether they exist or not. */
  readonly paths: readonly string[];
  readonly onChange: () => void;
  /** It died; called once. */
  readonly onError: (error: unknown) => void;
}

/** Directories of manifests below which a change is seen at once. */
const DEPTH = 8;
/** A watcher keeps every name that it has ever seen; after so many events it makes room for a new one. */
const MOST_EVENTS = 10_000;

/**
 * The directory of each path is watched as well: a file that is replaced by a rename, and a Kubernetes volume, whose
 * links are swapped, change there.
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
    // Neither saw what happened between the two.
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

/** True if the watcher goes on without the entry: a link that leads round in a circle, or a file that must not be read. */
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
