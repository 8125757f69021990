import { appendFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { systemProcesses } from '../../../../src/engine/state/processes.ts';
import { openStateDirectory } from '../../../../src/engine/state/directory.ts';
import type { StateLock } from '../../../../src/engine/state/store.ts';

// A separate process that takes the lock and writes under it as standard input says, line by line. Its time runs faster, its clock
// may be wrong, and it may claim to be on another boot.

const [directory = '', name = '', speedText = '1', skewMs = '0', boot = ''] = process.argv.slice(2);
const speed = Number(speedText);
const processes = systemProcesses(fs, name);
const store = openStateDirectory({
  directory,
  account: 'ops@acme.example',
  apiUrl: 'https://api.example/v4',
  fs,
  clock: {
    now: () => Date.now() + Number(skewMs),
    monotonic: () => performance.now() * speed,
    sleep: (milliseconds) => wait(milliseconds / speed),
  },
  processes: {
    ...processes,
    uptime: () => processes.uptime() * speed,
    realm: async () => ({ ...(await processes.realm()), ...(boot === '' ? {} : { boot }) }),
  },
  every: (milliseconds, work) => {
    const timer = setInterval(work, milliseconds / speed);
    return () => clearInterval(timer);
  },
});

let lock: StateLock | null = null;
for await (const command of createInterface({ input: process.stdin })) {
  if (command === 'lock') {
    const taken = await store.lock();
    if (taken.ok) lock = taken.value;
    say(taken.ok ? 'locked' : taken.error.message);
  } else if (command === 'write') {
    const lost = lock === null ? { message: 'not locked' } : await lock.lost();
    if (lost === null) appendFileSync(`${directory}/writes`, `${name}\n`);
    say(lost === null ? 'written' : lost.message);
  } else {
    await lock?.release();
    say('released');
  }
}

function say(answer: string): void {
  process.stdout.write(`${answer}\n`);
}
