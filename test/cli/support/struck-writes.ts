// Loaded before the program: something happens to it when it changes a file for the n-th time. It is killed, before or within
// what it does (KILLED_AT); files cannot be renamed any more (FAILS_FROM); another hand writes to a file (MEANWHILE).
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { KILLED_AT, FAILS_FROM, FAILS_UNTIL, MEANWHILE } = process.env;
let changes = 0;
let renames = 0;

function isKilledNow(): boolean {
  changes += 1;
  return changes === Number(KILLED_AT);
}

function strike(): void {
  if (!isKilledNow()) return;
  die();
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

const patched = process.getBuiltinModule('node:fs/promises');
const real = { ...patched };

patched.open = async (...args) => {
  if (args[1] === undefined || args[1] === 'r') return real.open(...args);
  strike();
  if (MEANWHILE !== undefined) await real.appendFile(MEANWHILE, '# by another hand\n');
  return watched(await real.open(...args));
};
patched.rename = async (...args) => {
  strike();
  renames += 1;
  if (renames >= Number(FAILS_FROM) && renames <= Number(FAILS_UNTIL)) {
    throw Object.assign(new Error('refused'), { code: 'EACCES' });
  }
  await real.rename(...args);
};
patched.rm = async (...args) => {
  strike();
  await real.rm(...args);
};
syncBuiltinESMExports();

function watched(file: FileHandle): FileHandle {
  const writeFile = file.writeFile.bind(file);
  file.writeFile = async (data) => {
    if (!isKilledNow()) return writeFile(data);
    const bytes = data as Buffer;
    await writeFile(bytes.subarray(0, Math.floor(bytes.length / 2)));
    return die();
  };
  const sync = file.sync.bind(file);
  file.sync = async () => {
    strike();
    await sync();
  };
  return file;
}

process.on('exit', () => process.stderr.write(`changes: ${changes}\n`));
