// How long `fwdsync validate` takes as a process, from the sources and as it is published: `node bench/validate.ts`.
// Side by side with a Node that does nothing; five rounds in turn, medians; the ratio is that of processor time.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = 5;
const ALIASES = 50_000;

interface Run {
  /** By the clock on the wall. */
  readonly seconds: number;
  /** Of the processor, on all threads: other work on the machine counts little. */
  readonly cpuSeconds: number;
  readonly mebibytes: number;
}

/** What a child takes is what it says itself when it ends. */
const WITNESS = `data:text/javascript,${encodeURIComponent(`
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    process.stderr.write('\\0' + JSON.stringify([(userCPUTime + systemCPUTime) / 1e6, maxRSS / 1024]));
  });`)}`;

const directory = mkdtempSync(join(tmpdir(), 'fwdsync-validate-'));
try {
  const built = join(directory, 'dist');
  execFileSync(process.execPath, [join(ROOT, 'build.ts'), built], { stdio: 'inherit' });
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }'); // as in the published package
  const large = join(directory, 'large.yaml');
  writeFileSync(large, manifest());
  const programs = { sources: join(ROOT, 'src/cli/main.ts'), built: join(built, 'fwdsync.js') };
  const inputs = {
    'examples/minimal.yaml': join(ROOT, 'examples/minimal.yaml'),
    'examples/agency': join(ROOT, 'examples/agency'),
    [`${ALIASES.toLocaleString('en')} aliases`]: large,
  };
  const cases = new Map<string, readonly string[]>([['node -e 0', ['-e', '0']]]);
  for (const [program, path] of Object.entries(programs)) {
    for (const [input, file] of Object.entries(inputs)) {
      cases.set(`${program}: ${input}`, [path, 'validate', '-f', file]);
    }
  }
  print(measureInTurn(cases));
} finally {
  rmSync(directory, { recursive: true });
}

/** One domain; every tenth alias goes to a group. */
function manifest(): string {
  const aliases = Array.from({ length: ALIASES }, (_, index) => {
    const forward = index % 10 === 0 ? 'oncall' : `person${index}@corp.example`;
    return `      user${index}: ${forward}\n`;
  });
  const head =
    'version: 1\ndestinations: { oncall: [ana@corp.example, ben@corp.example] }\ndomains:\n  acme.example:\n';
  return `${head}    aliases:\n${aliases.join('')}`;
}

function measureInTurn(cases: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, Run> {
  const runs = new Map<string, Run[]>([...cases.keys()].map((name) => [name, []]));
  for (const args of cases.values()) measure(args); // fills the caches
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, args] of cases) runs.get(name)?.push(measure(args));
  }
  return new Map([...runs].map(([name, measured]) => [name, median(measured)]));
}

function measure(args: readonly string[]): Run {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', WITNESS, ...args], {
    encoding: 'utf8',
  });
  const seconds = (performance.now() - begun) / 1000;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  const [cpuSeconds, mebibytes] = JSON.parse(stderr.split('\0').at(-1) ?? '') as [number, number];
  return { seconds, cpuSeconds, mebibytes };
}

function median(runs: readonly Run[]): Run {
  const middle = (key: keyof Run): number =>
    runs.map((run) => run[key]).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)] ?? 0;
  return { seconds: middle('seconds'), cpuSeconds: middle('cpuSeconds'), mebibytes: middle('mebibytes') };
}

function print(medians: ReadonlyMap<string, Run>): void {
  const floor = medians.get('node -e 0')?.cpuSeconds ?? 1;
  console.log('| process | seconds | of the processor | times `node -e 0` | MiB |\n|---|---|---|---|---|');
  for (const [name, { seconds, cpuSeconds, mebibytes }] of medians) {
    const numbers = [seconds.toFixed(3), cpuSeconds.toFixed(3), (cpuSeconds / floor).toFixed(1)];
    console.log(`| ${[name, ...numbers, mebibytes.toFixed(0)].join(' | ')} |`);
  }
}
