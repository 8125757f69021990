import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { StateFs } from '../../../src/engine/state/own-files.ts';

export interface MemoryDisk {
  readonly fs: StateFs;
  readonly files: Map<string, Buffer>;
  /** Names that complete files ever had. */
  readonly saved: ReadonlySet<string>;
  /** Removes the whole directory. */
  vanish(): void;
}

/** Files that outlive the process that wrote them, without the cost of a real disk. */
export function memoryDisk(): MemoryDisk {
  const files = new Map<string, Buffer>();
  const directories = new Set<string>(['/']);
  const saved = new Set<string>();
  const isThere = (path: string): boolean => files.has(path) || directories.has(path);
  const read = (path: string): Buffer => files.get(path) ?? refuse('ENOENT', path);
  const disk = {
    async mkdir(path: string): Promise<void> {
      for (let at = path; at !== '/'; at = dirname(at)) directories.add(at);
    },
    async lstat(path: string): Promise<unknown> {
      if (!isThere(path)) refuse('ENOENT', path);
      return {
        isSymbolicLink: () => false,
        isDirectory: () => directories.has(path),
        size: files.get(path)?.length,
      };
    },
    async open(path: string, flags: string | number): Promise<unknown> {
      if (flags === 'wx' && isThere(path)) refuse('EEXIST', path);
      const isMade = flags === 'wx' || (Number(flags) & constants.O_CREAT) !== 0;
      if (isMade && !isThere(path)) files.set(path, Buffer.alloc(0));
      else if (!isThere(path)) refuse('ENOENT', path);
      return handle(files, path);
    },
    async readdir(path: string): Promise<string[]> {
      if (!directories.has(path)) refuse('ENOENT', path);
      const inside = [...files.keys(), ...directories].filter(
        (name) => dirname(name) === path && name !== path,
      );
      return inside.map((name) => name.slice(path.length + (path === '/' ? 0 : 1))).sort();
    },
    async link(from: string, to: string): Promise<void> {
      if (isThere(to)) refuse('EEXIST', to);
      files.set(to, read(from));
    },
    async rename(from: string, to: string): Promise<void> {
      files.set(to, read(from));
      files.delete(from);
      saved.add(to);
    },
    async rm(path: string, options?: { readonly force?: boolean }): Promise<void> {
      if (!files.delete(path) && options?.force !== true) refuse('ENOENT', path);
    },
  };
  const vanish = (): void => {
    files.clear();
    directories.clear();
    directories.add('/');
  };
  return { fs: disk as unknown as StateFs, files, saved, vanish };
}

function handle(files: Map<string, Buffer>, path: string): unknown {
  return {
    async writeFile(data: Buffer | Iterable<string>): Promise<void> {
      files.set(path, Buffer.isBuffer(data) ? Buffer.from(data) : Buffer.from([...data].join('')));
    },
    async appendFile(data: Buffer): Promise<void> {
      files.set(path, Buffer.concat([files.get(path) ?? Buffer.alloc(0), data]));
    },
    async read(buffer: Buffer, offset: number, length: number, position: number): Promise<unknown> {
      const bytesRead = files.get(path)?.copy(buffer, offset, position, position + length) ?? 0;
      return { bytesRead, buffer };
    },
    stat: async () => ({ size: files.get(path)?.length ?? 0, isFile: () => files.has(path) }),
    readFile: async () => Buffer.from(files.get(path) ?? refuse('ENOENT', path)),
    async sync(): Promise<void> {},
    async close(): Promise<void> {},
  };
}

function refuse(code: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code });
}
