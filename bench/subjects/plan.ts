import { join } from 'node:path';
import { writeAccount, type AccountFiles } from '../account.ts';
import type { Figure, Section } from '../section.ts';
import {
  build,
  inDirectory,
  measureInTurn,
  ROOT,
  startEmulatorProcess,
  type Case,
  type Cost,
} from '../processes.ts';
import { KEY } from '../real-daemon.ts';

type Costs = Readonly<Record<'floor' | 'plan', Cost>>;

/** Measures `plan` of 100 x 1,000 aliases, one in a hundred of them different, and its floor. */
export async function measurePlan(): Promise<Section> {
  const costs = await measureAccount({ domains: 100, aliases: 1_000, files: 1 }, 5);
  return sectionOf('`plan` of 100 x 1,000 aliases', costs, ({ cpu, memory }) => [
    { name: '`plan` of 100 x 1,000 aliases / the floor: CPU seconds', value: cpu, atMost: 3 },
    { name: '`plan` of 100 x 1,000 aliases / the floor: peak memory', value: memory, atMost: 1.8 },
  ]);
}

/** Measures `plan` and its floor for a million aliases in 1,000 domains and 20 files. */
export async function measureMillion(): Promise<Section> {
  const costs = await measureAccount({ domains: 1_000, aliases: 1_000, files: 20 }, 1);
  return sectionOf('`plan` of a million aliases', costs, ({ cpu }) => [
    { name: '`plan` of a million aliases: peak memory, MiB', value: costs.plan.memory, atMost: 1024 },
    { name: '`plan` of a million aliases / the floor: CPU seconds', value: cpu, atMost: 3 },
  ]);
}

function sectionOf(
  title: string,
  costs: Costs,
  figuresOf: (ratios: Pick<Cost, 'cpu' | 'memory'>) => readonly Figure[],
): Section {
  return {
    title,
    text: [
      'The published program against `bench/floor.ts`, which does the same work as plainly as possible. The ' +
        'floor reads the desired state as JSON and every page of every listing with undici, keeps one `Map` per ' +
        'domain, and prints the changes. All domains have the same aliases. One alias of a hundred differs.',
    ],
    head: ['process', 'seconds', 'CPU seconds', 'MiB'],
    rows: Object.entries(costs).map(([name, { seconds, cpu, memory }]) => {
      return [name, seconds.toFixed(2), cpu.toFixed(2), memory.toFixed(0)];
    }),
    figures: figuresOf({
      cpu: costs.plan.cpu / costs.floor.cpu,
      memory: costs.plan.memory / costs.floor.memory,
    }),
  };
}

function measureAccount(size: Parameters<typeof writeAccount>[1], rounds: number): Promise<Costs> {
  return inDirectory(async (directory) => {
    const command = build(directory);
    const files = writeAccount(directory, size);
    const emulator = await startEmulatorProcess(files.state, KEY);
    try {
      return await measureInTurn(casesOf(directory, { command, files, url: emulator.v4 }), rounds);
    } finally {
      await emulator.stop();
    }
  });
}

interface Processes {
  readonly command: string;
  readonly files: AccountFiles;
  readonly url: string;
}

function casesOf(
  directory: string,
  { command, files, url }: Processes,
): Readonly<Record<'floor' | 'plan', Case>> {
  return {
    floor: { args: [join(ROOT, 'bench/floor.ts'), files.desired, url, KEY] },
    plan: {
      args: [command, 'plan', '-f', files.manifest, '--api-url', url],
      env: { FWDSYNC_API_KEY: KEY, FWDSYNC_STATE_DIR: join(directory, 'kept') },
    },
  };
}
