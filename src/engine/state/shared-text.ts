import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { succeed, type Result } from '../../core/model/result.ts';
import type { StateDirectoryOptions } from './directory.ts';
import { readText, writeAtomically } from './files.ts';
import { acquireLock } from './lock.ts';
import { ownFiles } from './own-files.ts';
import type { SharedText, StateFault } from './store.ts';

/** Directory of what belongs to no single account, beside the directories of accounts. */
export const SHARED_DIRECTORY = 'notifications';

/** Opens the text that all processes with one state directory share. It touches nothing before it is changed. */
export function openSharedText(options: Omit<StateDirectoryOptions, 'account' | 'apiUrl'>): SharedText {
  const { directory, processes } = options;
  let sequence = 0;
  const unique = (): string => `${processes.pid}-${(sequence += 1)}-${randomBytes(6).toString('hex')}`;
  const files = ownFiles(options.fs, directory, { uid: processes.uid, unique });
  const place = join(directory, SHARED_DIRECTORY);
  const path = join(place, 'waiting.json');
  return {
    async change(change): Promise<Result<void, StateFault>> {
      const lock = await acquireLock(place, { ...options, files, unique });
      if (!lock.ok) return lock;
      const read = await readText(files, path);
      const before = read.kind === 'text' ? read.text : null;
      const text = change(before);
      const written = text === before ? succeed(undefined) : await writeAtomically(files, path, text);
      await lock.value.release();
      return written;
    },
  };
}
