// Loaded before the program. It causes a fault at the program's n-th change of a file: the program is killed before or during
// the change (KILLED_AT, counting only paths that contain COUNTED), renames begin to fail (FAILS_FROM), or another process
// writes to a file (MEANWHILE).
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { KILLED_AT, COUNTED = '', FAILS_FROM, FAILS_UNTIL, MEANWHILE } = process.env;
let changes = 0;
let renames = 0;

function isKilledNow(path: unknown): boolean {
  if (!String(path).includes(COUNTED)) return false;
  changes += 1;
  return changes === Number(KILLED_AT);
}

function strike(path: unknown): void {
  if (isKilledNow(path)) die();
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

const patched = process.getBuiltinModule('node:fs/promises');
const real = { ...patched };

function isForReading(flags: string | number = 'r'): boolean {
  return typeof flags === 'string' ? flags === 'r' : (flags & (constants.O_WRONLY | constants.O_RDWR)) === 0;
}

patched.open = async (...args) => {
  if (isForReading(args[1])) return real.open(...args);
  strike(args[0]);
  if (MEANWHILE !== undefined) await real.appendFile(MEANWHILE, '# by another hand\n');
  return watched(await real.open(...args), args[0]);
};
patched.rename = async (...args) => {
  strike(args[1]);
  renames += 1;
  if (renames >= Number(FAILS_FROM) && renames <= Number(FAILS_UNTIL)) {
    throw Object.assign(new Error('refused'), { code: 'EACCES' });
  }
  await real.rename(...args);
};
patched.rm = async (...args) => {
  strike(args[0]);
  await real.rm(...args);
};
syncBuiltinESMExports();

function watched(file: FileHandle, path: unknown): FileHandle {
  const writeFile = file.writeFile.bind(file);
  file.writeFile = async (data) => {
    if (!isKilledNow(path)) return writeFile(data);
    const bytes = data as Buffer;
    await writeFile(bytes.subarray(0, Math.floor(bytes.length / 2)));
    return die();
  };
  const sync = file.sync.bind(file);
  file.sync = async () => {
    strike(path);
    await sync();
  };
  return file;
}

process.on('exit', () => process.stderr.write(`changes: ${changes}\n`));
