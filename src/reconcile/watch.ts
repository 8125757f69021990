import { dirname } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';

/** Tells promptly that files may have changed. It is allowed to miss something: the files are read now and then anyway. */
export interface FileWatch {
  /** Resolves once nothing escapes it any more. */
  readonly ready: Promise<void>;
  /** Whether it still works; one that died is to be closed and made anew. */
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

/**
 * The directory of each path is watched as well: a file that is replaced by a rename, and a Kubernetes volume, whose
 * links are swapped, change there.
 */
export function watchFiles({ paths, onChange, onError }: WatchOptions): FileWatch {
  let state: 'alive' | 'dead' = 'alive';
  const watchers = [
    watch([...paths], { ignoreInitial: true, depth: DEPTH }),
    watch([...new Set(paths.map((path) => dirname(path)))], { ignoreInitial: true, depth: 0 }),
  ];
  const die = (error: unknown): void => {
    if (state === 'dead') return;
    state = 'dead';
    onError(error);
  };
  for (const watcher of watchers) watcher.on('all', onChange).on('error', die);
  const ready = Promise.all(
    watchers.map((watcher) => new Promise<void>((resolve) => watcher.once('ready', () => resolve()))),
  );
  return {
    ready: ready.then(() => undefined),
    isAlive: () => state === 'alive',
    async close() {
      state = 'dead';
      await Promise.all(watchers.map((watcher: FSWatcher) => watcher.close()));
    },
  };
}
