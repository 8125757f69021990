import { closeSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import type { ReadFileSystem } from '../../../core/manifest/read/read.ts';

/**
 * The files of manifests for a command that has nothing else to do until it has read them: loading `node:fs/promises`
 * and its threads takes longer than reading some hundred files does.
 */
export const MANIFEST_FILES: ReadFileSystem = {
  stat: async (path) => statSync(path),
  realpath: async (path) => realpathSync.native(path),
  readdir: async (path, options) => readdirSync(path, options),
  open: async (path, flags) => {
    const file = openSync(path, flags);
    return {
      read: async (buffer, offset, length) => ({ bytesRead: readSync(file, buffer, offset, length, null) }),
      close: async () => closeSync(file),
    };
  },
};
