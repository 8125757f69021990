/** Runs whole processes in turn and measures each. */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const ROOT = join(import.meta.dirname, '..');

/** One process that is measured. */
export interface Case {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Resources that one process used. */
export interface Cost {
  /** Wall-clock time. */
  readonly seconds: number;
  /** CPU seconds of all threads, which other load on the machine hardly changes. */
  readonly cpu: number;
  /** Peak resident memory in MiB. */
  readonly memory: number;
}

/**
 * A child reports its own resources when it ends. Its peak memory is `VmHWM`, because `maxRSS` includes the parent's memory: a child
 * is a copy of its parent until it runs its own program.
 */
const WITNESS = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs';
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    let peak = maxRSS;
    try { peak = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]); } catch {}
    process.stderr.write('\\0' + JSON.stringify([(userCPUTime + systemCPUTime) / 1e6, peak / 1024]));
  });`)}`;

/** Runs one round to fill the caches, unless `rounds` is 1, then `rounds` rounds with each case once. Returns medians. */
export async function measureInTurn<Name extends string>(
  cases: Readonly<Record<Name, Case>>,
  rounds: number,
): Promise<Readonly<Record<Name, Cost>>> {
  const costs = new Map<string, Cost[]>();
  for (let round = rounds === 1 ? 1 : 0; round <= rounds; round += 1) {
    for (const name in cases) {
      const cost = await measure(cases[name]);
      if (round > 0) costs.set(name, [...(costs.get(name) ?? []), cost]);
    }
  }
  return Object.fromEntries([...costs].map(([name, all]) => [name, medians(all)])) as Record<Name, Cost>;
}

async function measure({ args, cwd = ROOT, env = {} }: Case): Promise<Cost> {
  const begun = performance.now();
  const child = spawn(process.execPath, ['--import', WITNESS, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  const seconds = (performance.now() - begun) / 1000;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${told}`);
  const [cpu, memory] = JSON.parse(told.split('\0').at(-1) ?? '') as [number, number];
  return { seconds, cpu, memory };
}

function medians(costs: readonly Cost[]): Cost {
  const of = (key: keyof Cost): number => median(costs.map((cost) => cost[key]));
  return { seconds: of('seconds'), cpu: of('cpu'), memory: of('memory') };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Creates a temporary directory for `use`, and deletes it afterwards. */
export async function inDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'fwdsync-bench-'));
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Builds the published program below a directory. Returns the path of its command. */
export function build(directory: string): string {
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), join(directory, 'dist')], { stdio: 'inherit' });
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }'); // as in the published package
  return join(directory, 'dist/fwdsync.js');
}

export interface EmulatorProcess {
  readonly v4: string;
  readonly v3: string;
  readonly stop: () => Promise<void>;
}

/** Starts the emulator in a separate process, with the account of a state file, without effective rate limits, and with more options. */
export async function startEmulatorProcess(
  stateFile: string,
  key: string,
  more: readonly string[] = [],
): Promise<EmulatorProcess> {
  const main = join(ROOT, 'src/cli/main.ts');
  const options = ['--port', '0', '--api-key', key, '--rate-limit', '1000000', '--state', stateFile];
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=8192', main, 'emulator', ...options, ...more],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const line = await firstLine(child);
  const { v4, v3 } = JSON.parse(line) as { readonly v4: string; readonly v3: string };
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { v4, v3, stop };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the emulator has no standard output');
  for await (const line of createInterface(stdout)) return line;
  throw new Error('the emulator ended before it listened');
}

/**
 * Measures the CPU seconds of commands and of the processes that they start, as a shell reports them, without code inside. The
 * commands run in turn; the results are medians.
 */
export function measureBins<Name extends string>(
  cases: Readonly<Record<Name, Case>>,
  rounds: number,
): Readonly<Record<Name, number>> {
  const seconds = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const name in cases) {
      const cost = cpuOf(cases[name]);
      if (round > 0) seconds.set(name, [...(seconds.get(name) ?? []), cost]);
    }
  }
  return Object.fromEntries([...seconds].map(([name, all]) => [name, median(all)])) as Record<Name, number>;
}

function cpuOf({ args, cwd = ROOT, env = {} }: Case): number {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&1';
  const { stderr, status } = spawnSync('bash', ['--norc', '-c', script, 'bash', process.execPath, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return stderr
    .trim()
    .split(' ')
    .reduce((sum, part) => sum + Number(part), 0);
}
