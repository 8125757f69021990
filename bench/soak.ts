/**
 * A real soak test: `npm run soak` (five minutes; `npm run soak -- 60` for one minute). The real daemon runs against an emulator over
 * HTTP. The manifest is edited every second, one in ten answers fails, and the daemon is killed every 20 s. At the end the account
 * must equal the manifest. After every write, mail to every address must go to its earlier destination or to that of a later
 * manifest. Memory must not grow.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultAction } from '../src/emulator/faults/faults.ts';
import { startDaemon, startRealEmulator } from './real-daemon.ts';
import { createRouteOracle } from './soak-oracle.ts';

const DOMAINS = Array.from({ length: 20 }, (_, index) => `d${index}.example`);
/** Names in every manifest, with changing destinations, whose mail must always be routed. */
const STEADY = ['info', 'sales', 'support'];
/** Names that are added and deleted. */
const GUESTS = Array.from({ length: 7 }, (_, index) => `guest${index}`);
const KILL_EVERY_S = 20;
/** One of this many consecutive requests fails. */
const FAULT_EVERY = 10;

const FAULTS: readonly FaultAction[] = [
  { kind: 'status', code: 500 },
  { kind: 'status', code: 502, body: '<html>', when: 'after' },
  { kind: 'status', code: 429, headers: { 'Retry-After': '1' } },
  { kind: 'drop', when: 'before' },
  { kind: 'drop', when: 'after' },
  { kind: 'status', code: 200, body: '{"alias": ', when: 'after' },
];

type Wanted = Map<string, Map<string, string>>;

const seconds = Number(process.argv[2] ?? 300);
const directory = await mkdtemp(join(tmpdir(), 'fwdsync-soak-'));
const emulator = await startRealEmulator(
  DOMAINS.map((domain) => ({
    domain,
    aliases: STEADY.map((alias) => ({ alias, forward: firstOf(alias) })),
  })),
  { rateLimit: 200, windowSeconds: 10 },
);
const figures = { edits: 0, kills: 0, requests: 0, faults: 0, memory: [] as number[] };
const oracle = createRouteOracle(
  emulator,
  DOMAINS.flatMap((domain) => [...STEADY, ...GUESTS, 'nobody'].map((name) => `${name}@${domain}`)),
);
const running: { daemon: ChildProcess | null } = { daemon: null };

try {
  process.exitCode = await soak();
} finally {
  running.daemon?.kill('SIGKILL');
  await emulator.close();
  await rm(directory, { recursive: true, force: true });
}

async function soak(): Promise<number> {
  const wanted: Wanted = new Map(
    DOMAINS.map((domain) => [domain, new Map(STEADY.map((alias) => [alias, firstOf(alias)]))]),
  );
  const stopFaults = breakAnswers();
  await write(wanted);
  oracle.check();
  const stopOracle = emulator.onRequest(({ phase, method }) => {
    if (phase === 'after' && method !== 'GET') oracle.check();
  });
  running.daemon = start();
  for (let second = 1; second <= seconds; second += 1) {
    await sleep(1_000);
    edit(wanted, second);
    await write(wanted);
    figures.edits += 1;
    if (second % KILL_EVERY_S === 0) await restart();
  }
  stopFaults();
  emulator.faults.clear();
  const settledMs = await untilConverged(wanted);
  stopOracle();
  return report(settledMs);
}

function start(): ChildProcess {
  return startDaemon(directory, emulator, { interval: '10s', logLevel: 'fatal' });
}

async function restart(): Promise<void> {
  const { daemon } = running;
  const pid = daemon?.pid;
  if (daemon === null || pid === undefined) return;
  if (daemon.exitCode !== null) throw new Error(`the daemon ended by itself with ${daemon.exitCode}`);
  figures.memory.push(await residentMiB(pid));
  daemon.kill('SIGKILL');
  await once(daemon, 'exit');
  figures.kills += 1;
  running.daemon = start();
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

function firstOf(alias: string): string {
  return `${alias}.first@corp.example`;
}

/** Edits one domain per second: a destination changes, and one guest replaces another. No destination is used twice. */
function edit(wanted: Wanted, second: number): void {
  const aliases = wanted.get(DOMAINS[second % DOMAINS.length] ?? '');
  const steady = STEADY[second % STEADY.length] ?? '';
  const guest = GUESTS[second % GUESTS.length] ?? '';
  for (const name of GUESTS) aliases?.delete(name);
  for (const name of [steady, guest]) aliases?.set(name, `${name}.at${second}@corp.example`);
}

async function write(wanted: Wanted): Promise<void> {
  const routes = [...wanted].flatMap(([domain, aliases]) =>
    [...aliases].map(([alias, forward]) => [`${alias}@${domain}`, forward] as const),
  );
  oracle.wants(new Map(routes));
  const domains = [...wanted].map(([domain, aliases]) => {
    const entries = [...aliases].map(([alias, forward]) => `${alias}: ${forward}`).join(', ');
    return `  ${domain}: { prune: { aliases: true }, aliases: { ${entries} } }\n`;
  });
  await writeFile(
    join(directory, 'next'),
    `version: 1\nguards: { max_deletes: 1000, max_delete_percent: 100 }\ndomains:\n${domains.join('')}`,
  );
  await rename(join(directory, 'next'), join(directory, 'fwdsync.yaml'));
}

/** Makes one of each ten requests fail, selected at random, with a random fault. */
function breakAnswers(): () => void {
  let struck = 0;
  return emulator.onRequest(({ phase }) => {
    if (phase !== 'before') return;
    const place = figures.requests % FAULT_EVERY;
    if (place === 0) struck = Math.floor(Math.random() * FAULT_EVERY);
    figures.requests += 1;
    const action = FAULTS[Math.floor(Math.random() * FAULTS.length)];
    if (place !== struck || action === undefined) return;
    figures.faults += 1;
    emulator.faults.push({ match: {}, do: action });
  });
}

/** Returns the milliseconds until the account equals the manifest; null means longer than a minute. */
async function untilConverged(wanted: Wanted): Promise<number | null> {
  const begun = performance.now();
  while (performance.now() - begun < 60_000) {
    if (differences(wanted).length === 0) return performance.now() - begun;
    await sleep(100);
  }
  process.stdout.write(`${differences(wanted).join('\n')}\n`);
  return null;
}

function differences(wanted: Wanted): readonly string[] {
  return emulator.store.dump().domains.flatMap(({ domain, aliases }) => {
    const wantedHere = wanted.get(domain) ?? new Map<string, string>();
    const live = new Map(aliases.map(({ alias, forward }) => [alias, forward]));
    const names = new Set([...wantedHere.keys(), ...live.keys()]);
    return [...names]
      .filter((name) => wantedHere.get(name) !== live.get(name))
      .map(
        (name) =>
          `${name}@${domain}: ${live.get(name) ?? 'nothing'}, not ${wantedHere.get(name) ?? 'nothing'}`,
      );
  });
}

function report(settledMs: number | null): number {
  const { edits, kills, requests, faults, memory } = figures;
  const strays = oracle.strays();
  const half = Math.floor(memory.length / 2);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const [early, late] = [mean(memory.slice(0, half)), mean(memory.slice(half))];
  process.stdout.write(
    [
      `${seconds} s: ${edits} edits, ${faults} of ${requests} answers failed, ${kills} kills`,
      settledMs === null
        ? 'NOT converged after a minute'
        : `converged ${Math.round(settledMs)} ms after the last fault`,
      `${oracle.mails()} mails routed, ${strays.length} astray`,
      ...strays.slice(0, 20),
      `resident memory before each kill: ${early.toFixed(0)} MiB in the first half, ${late.toFixed(0)} MiB in the second`,
      '',
    ].join('\n'),
  );
  const isFlat = late < early * 1.2;
  return settledMs !== null && strays.length === 0 && isFlat ? 0 : 1;
}
