import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { writeAtomically, type WritableFiles } from '../../../engine/state/files.ts';
import { makeDirectory } from '../../../engine/state/own-files.ts';
import type { Clock } from '../../../core/model/clock.ts';

/** Keeps a file in step with something that changes often and may be large. */
export interface Saver {
  /** Marks the file as out of date. It is written soon, in the background. */
  changed(): void;
  /** Writes the file a last time. Returns null, or why it could not be written. */
  close(): Promise<string | null>;
}

export interface SaverOptions {
  /** Absolute path. */
  readonly file: string;
  /** Returns the current text in pieces. */
  readonly text: () => Iterable<string>;
  /** Called when the last result of `text` is written. */
  readonly onSaved: () => void;
  readonly clock: Clock;
  readonly onFailure: (message: string) => void;
}

/** Minimum time between the end of a save and the next, in milliseconds. */
const MIN_REST = 50;
/** Pause after a save, as a multiple of its time. Saving then uses at most a fifth of the time. */
const REST_FACTOR = 4;

const FILES: WritableFiles = {
  makeDirectory: (directory) => makeDirectory(fs, directory),
  // A file left by a killed process, or a link in its place, is replaced and never written to.
  create: async (path) => {
    await fs.rm(path, { force: true });
    return fs.open(path, 'wx', 0o600);
  },
  openToRead: (path) => fs.open(path, 'r'),
  rename: (from, to) => fs.rename(from, to),
  remove: (path) => fs.rm(path, { force: true }),
  temporaryFor: (path) => join(dirname(path), `.${basename(path)}.${process.pid}.tmp`),
};

export function createSaver(options: SaverOptions): Saver {
  const { file, clock } = options;
  const closing = new AbortController();
  let isDirty = false;
  let running: Promise<void> | null = null;

  async function save(): Promise<string | null> {
    isDirty = false;
    const written = await writeAtomically(FILES, file, options.text());
    if (!written.ok) return written.error.message;
    options.onSaved();
    return null;
  }

  async function saveWhileDirty(): Promise<void> {
    while (isDirty && !closing.signal.aborted) {
      const begin = clock.monotonic();
      const failure = await save();
      if (failure !== null) options.onFailure(failure);
      const rest = Math.max(MIN_REST, REST_FACTOR * (clock.monotonic() - begin));
      await clock.sleep(rest, closing.signal);
    }
    running = null;
  }

  return {
    changed() {
      isDirty = true;
      running ??= saveWhileDirty();
    },
    async close() {
      closing.abort();
      await running;
      return save();
    },
  };
}
