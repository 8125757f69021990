import type { Script } from 'node:vm';

/** Gives what a CommonJS file of dist/ exports; it runs once. */
type Load = (file: string) => unknown;

/**
 * Loads files of dist/ with what V8 compiled of them when this command ran first: that is most of the start-up. Node's
 * own compile cache keeps what is compiled before anything runs, which leaves out nearly all functions. Where the
 * cache is, and whether there is one (NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE), is for Node to say here too; by default it
 * is a directory of the user's own, for whoever can write there decides what runs. See docs/decisions/0009.
 */
export function createLoader(directory: string, command = ''): Load {
  // `import` of a module of Node reads all that it exports, which takes milliseconds for some.
  const paths = process.getBuiltinModule('node:path');
  const { homedir } = process.getBuiltinModule('node:os');
  const module = process.getBuiltinModule('node:module');
  module.enableCompileCache(
    paths.join(process.env['XDG_CACHE_HOME'] || paths.join(homedir(), '.cache'), 'fwdsync'),
  );
  const cache = module.getCompileCacheDir();
  const key = /^[a-z]{1,12}$/.test(command) ? command : 'none';
  const fresh = new Map<string, Script>();
  const exported = new Map<string, unknown>();

  const load: Load = (file) => {
    if (exported.has(file)) return exported.get(file);
    const kept = cache === undefined ? null : paths.join(cache, `${key}-${file.replaceAll('/', '-')}`);
    const path = paths.join(directory, file);
    const script = compile(path, kept);
    if (kept !== null && script.cachedDataRejected !== false) fresh.set(kept, script);
    const own = { exports: {} };
    const run = script.runInThisContext() as (...values: readonly unknown[]) => void;
    run(own.exports, requireIn, own, path, directory);
    exported.set(file, own.exports);
    return own.exports;
  };
  const requireIn = (name: string): unknown =>
    name.startsWith('./')
      ? load(name.slice(2))
      : (process.getBuiltinModule(name) ?? module.createRequire(import.meta.filename)(name));

  // At the end, for it holds the functions that have run. Wrong usage (64) and signals leave nothing.
  process.on('exit', (code) => {
    if (code < 64) for (const [path, script] of fresh) keep(path, script.createCachedData());
  });
  return load;
}

function compile(path: string, kept: string | null): Script {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const { Script } = process.getBuiltinModule('node:vm');
  // The bundler writes ASCII, a function of what Node gives a CommonJS module.
  const text = readFileSync(path, 'latin1');
  const cachedData = kept === null ? undefined : readKept(kept);
  return new Script(text, { filename: path, ...(cachedData === undefined ? {} : { cachedData }) });
}

/** What another user kept is not run: with `sudo`, the home directory may be another's. */
function readKept(path: string): Buffer | undefined {
  const { closeSync, fstatSync, openSync, readFileSync } = process.getBuiltinModule('node:fs');
  try {
    const file = openSync(path, 'r');
    try {
      const isOwn = process.getuid === undefined || fstatSync(file).uid === process.getuid();
      return isOwn ? whole(readFileSync(file)) : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** V8 checks no more than the head, and what is damaged ends the process or runs wrongly: the same is kept twice. */
function whole(kept: Buffer): Buffer | undefined {
  const data = kept.subarray(0, kept.length / 2);
  return data.equals(kept.subarray(data.length)) ? data : undefined;
}

/** Whole or not at all. */
function keep(path: string, data: Buffer): void {
  const { renameSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const part = `${path}.${process.pid}`;
  try {
    writeFileSync(part, Buffer.concat([data, data]), { mode: 0o600, flush: true });
    renameSync(part, path);
  } catch {
    // Without it the next start takes longer.
  }
}
