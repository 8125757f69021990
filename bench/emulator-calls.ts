import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createEmulator, type EmulatorCore } from '../src/emulator/emulator.ts';
import type { Seed } from '../src/emulator/seed.ts';

export const PAGE_LIMIT_MS = 2;
const WARM_UP = 20;
const RUNS = 200;
const headers = { authorization: `Basic ${Buffer.from('api:key').toString('base64')}` };

export function startCore(state: Seed): EmulatorCore {
  return createEmulator({
    apiKey: 'key',
    plan: 'paid',
    rateLimit: 1e9,
    journalSize: 10,
    now: () => Date.now(),
    sleep: async () => {},
    randomId: randomUUID,
    state,
  });
}

export async function call(core: EmulatorCore, method: string, target: string, body?: object): Promise<void> {
  const outcome = await core.dispatch({ method, target, headers, body: body && JSON.stringify(body) });
  // As it is done for the socket.
  const sent = outcome.kind === 'answer' ? outcome.answer.body : '';
  const bytes = typeof sent === 'string' ? Buffer.from(sent).length : sent.length;
  if (outcome.kind === 'answer' && outcome.answer.status === 200 && bytes > 0) return;
  throw new Error(`${method} ${target}: ${JSON.stringify(outcome)}`);
}

/** Of many runs after a few to warm up. */
export async function meanTime(run: () => Promise<void>): Promise<number> {
  for (let index = 0; index < WARM_UP; index += 1) await run();
  const whole = await timeOf(async () => {
    for (let index = 0; index < RUNS; index += 1) await run();
  });
  return whole / RUNS;
}

/** Milliseconds of processor time of this thread: what else runs on the machine does not count. */
export async function timeOf(run: () => Promise<void>): Promise<number> {
  const begin = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(begin);
  return (user + system) / 1000;
}

export function report(what: string, figure: string): void {
  console.log(`${what.padEnd(64)}${figure}`);
}
