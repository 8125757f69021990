import type { FSWatcher } from 'node:fs';
import { createDaemon } from '../../../src/service/daemon/daemon.ts';
import { watchFiles, type FileWatch } from '../../../src/service/daemon/manifest/watch.ts';
import { HOUR, openLoop, type StartOptions, type World } from './world.ts';

/** The whole daemon over a world, with the real watcher on real files. */
export interface WatchedDaemon {
  /** Number of events that the watchers have reported so far. */
  heard(): number;
  /** Number of watchers created so far. */
  watchers(): number;
  /** Resolves when the current watcher notices all changes. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWatched(
  world: World,
  options: StartOptions & { readonly path: string },
): Promise<WatchedDaemon> {
  const { clock, events } = world;
  const controller = new AbortController();
  const made: FileWatch[] = [];
  let heard = 0;
  const daemon = createDaemon({
    clock,
    signal: controller.signal,
    emit: (event) => events.push(event),
    listAccounts: () => Promise.resolve([{ name: 'test', paths: [options.path] }]),
    openLoop: () => openLoop({ ...world, ...options }, options, controller.signal),
    watched: (entries) => entries.flatMap(({ paths }) => paths),
    watch({ onChange, ...rest }) {
      const counted = (): void => {
        heard += 1;
        onChange();
      };
      const watch = watchFiles({ ...rest, onChange: counted });
      made.push(watch);
      return watch;
    },
  });
  let hasEnded = false;
  const ended = daemon.run().finally(() => {
    hasEnded = true;
  });
  await clock.until(() => made.length > 0, HOUR);
  return {
    heard: () => heard,
    watchers: () => made.length,
    ready: async () => made.at(-1)?.ready,
    async stop() {
      controller.abort('SIGTERM');
      await clock.until(() => hasEnded, HOUR);
      await ended;
    },
  };
}

/** The system's watchers that are open in this process, as Node gave them to the library. */
export function systemWatchers(): readonly FSWatcher[] {
  const { _getActiveHandles } = process as unknown as { _getActiveHandles: () => readonly object[] };
  return _getActiveHandles().filter(({ constructor }) => constructor.name === 'FSWatcher') as FSWatcher[];
}
