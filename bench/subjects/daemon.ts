import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from '../../src/emulator/http/server.ts';
import { inDirectory, median } from '../processes.ts';
import { startDaemon, startRealEmulator } from '../real-daemon.ts';
import type { Section } from '../section.ts';

const ROUNDS = 10;
const ALIASES = 1_000;

/** Measures the time from a change of the manifest to its first request, and to the end of the run, with the real daemon in real time. */
export async function measureDaemon(): Promise<Section> {
  const emulator = await startRealEmulator([{ domain: 'acme.example' }], { rateLimit: 100_000 });
  try {
    const { first, applied } = await inDirectory((directory) => measureEdits(directory, emulator));
    return {
      title: 'The daemon',
      text: [
        `Time from an edit of one of ${ALIASES.toLocaleString('en')} aliases to the first request and to the end ` +
          `of the run, over ${ROUNDS} edits. It includes half a second of waiting for more changes. \`npm run soak\` ` +
          'runs the daemon for five minutes with edits, faults and kills.',
      ],
      head: ['milliseconds until', 'median', 'least', 'greatest'],
      rows: [
        ['the first request', ...show(first)],
        ['all is applied', ...show(applied)],
      ],
      figures: [],
    };
  } finally {
    await emulator.close();
  }
}

async function measureEdits(
  directory: string,
  emulator: Emulator,
): Promise<Readonly<Record<'first' | 'applied', readonly number[]>>> {
  const path = join(directory, 'fwdsync.yaml');
  await writeFile(path, manifestOf(0));
  const daemon = startDaemon(directory, emulator, { interval: '1h', logLevel: 'warn' });
  const isApplied = (round: number): boolean => forwardIn(emulator) === `round${round}@corp.example`;
  try {
    await until(() => isApplied(0));
    await sleep(2_000);
    const first: number[] = [];
    const applied: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const seen = emulator.journal.total();
      await writeFile(path, manifestOf(round));
      const begun = performance.now();
      await until(() => emulator.journal.total() > seen);
      first.push(performance.now() - begun);
      await until(() => isApplied(round));
      applied.push(performance.now() - begun);
      await sleep(1_500);
    }
    return { first, applied };
  } finally {
    daemon.kill('SIGTERM');
  }
}

function manifestOf(round: number): string {
  const entries = Array.from({ length: ALIASES }, (_, index) => {
    return `      a${index}: ${index === 0 ? `round${round}` : 'ops'}@corp.example\n`;
  });
  return `version: 1\ndomains:\n  acme.example:\n    aliases:\n${entries.join('')}`;
}

function forwardIn({ store }: Emulator): string | undefined {
  return store.dump().domains[0]?.aliases.find(({ alias }) => alias === 'a0')?.forward;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

function show(milliseconds: readonly number[]): readonly string[] {
  return [median(milliseconds), Math.min(...milliseconds), Math.max(...milliseconds)].map((value) =>
    value.toFixed(0),
  );
}
