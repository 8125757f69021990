/**
 * From a change of the manifest to the first request it causes, and to the end of the run: `node bench/daemon.ts [ALIASES]`.
 * The real daemon, a manifest of 1,000 aliases by default, one of them edited ten times.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDaemon, startRealEmulator } from './real-daemon.ts';

const ROUNDS = 10;
const aliases = Number(process.argv[2] ?? 1_000);

const directory = await mkdtemp(join(tmpdir(), 'fwdsync-bench-'));
const emulator = await startRealEmulator([{ domain: 'acme.example' }], { rateLimit: 100_000 });
const path = join(directory, 'fwdsync.yaml');
await writeFile(path, manifest(0));
const daemon = startDaemon(directory, emulator, { interval: '1h', logLevel: 'warn' });
try {
  await until(() => forward() === 'round0@corp.example');
  await sleep(2_000);
  const first: number[] = [];
  const applied: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const seen = emulator.journal.total();
    await writeFile(path, manifest(round));
    const begun = performance.now();
    await until(() => emulator.journal.total() > seen);
    first.push(performance.now() - begun);
    await until(() => forward() === `round${round}@corp.example`);
    applied.push(performance.now() - begun);
    await sleep(1_500);
  }
  process.stdout.write(
    `${aliases} aliases: first request after ${show(first)}, applied after ${show(applied)}\n`,
  );
} finally {
  daemon.kill('SIGTERM');
  await emulator.close();
  await rm(directory, { recursive: true, force: true });
}

function manifest(round: number): string {
  const entries = Array.from({ length: aliases }, (_, index) => {
    return `      a${index}: ${index === 0 ? `round${round}` : 'ops'}@corp.example\n`;
  });
  return `version: 1\ndomains:\n  acme.example:\n    aliases:\n${entries.join('')}`;
}

function forward(): string | undefined {
  return emulator.store.dump().domains[0]?.aliases.find(({ alias }) => alias === 'a0')?.forward;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

function show(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `${at(0.5)} ms (median; ${at(0)} to ${at(1)} ms)`;
}
