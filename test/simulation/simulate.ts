import { createHash } from 'node:crypto';
import { createClient } from '../../src/api/create.ts';
import { openStateDirectory } from '../../src/apply/state-directory.ts';
import type { StateFs } from '../../src/apply/state-files.ts';
import type { Dump } from '../../src/emulator/dump.ts';
import type { Fault } from '../../src/emulator/faults.ts';
import { createEmulator, type EmulatorCore } from '../../src/emulator/emulator.ts';
import { writeSnapshot } from '../../src/manifest/write-snapshot.ts';
import type { Desired } from '../../src/model/desired.ts';
import { manifestSize } from '../../src/plan/size.ts';
import { decide } from '../../src/reconcile/decide.ts';
import { reconcileOnce, type Once } from '../../src/reconcile/once.ts';
import { worldClock, type WorldClock } from '../reconcile/world-clock.ts';
import { memoryDisk } from './disk.ts';
import { probesOf, type Probe } from './probes.ts';
import { clockOf, diskOf, type Process } from './process.ts';
import { lookAtRoutes, type Moment } from './routing-oracle.ts';
import { parseFlags, policyOf, type Flags, type Scenario } from './scenario.ts';
import { missingRoutes } from './satisfaction.ts';
import { Wire, type Exchange, type Stroke } from './wire.ts';

/** What goes wrong, by the number of the request counted from 1 over all processes; and the seed of all chance. */
export interface Script {
  readonly strokes: ReadonlyMap<number, Stroke>;
  /** Armed before the first run: what is told by its path and not by its number. */
  readonly faults?: readonly Fault[];
  readonly seed?: number;
  /** Runs after the one that brought no change; 1 by default. */
  readonly idleRuns?: number;
}

/** How one process ended. */
export type Ending =
  | { readonly kind: 'killed' }
  | { readonly kind: 'ended'; readonly once: Once; readonly writes: number }
  | { readonly kind: 'crashed'; readonly error: unknown }
  | { readonly kind: 'hung' };

export interface Simulation {
  readonly scenario: Scenario;
  readonly start: Dump;
  readonly end: Dump;
  readonly endings: readonly Ending[];
  /** The run in which the last stroke fell, counted from 1; 0: none did. */
  readonly lastStruck: number;
  /** Whether a guard had to be told anew what may be deleted, for a part was done already. */
  readonly restated: boolean;
  readonly exchanges: readonly Exchange[];
  readonly probes: readonly Probe[];
  readonly moments: readonly Moment[];
  /** Deletes that were sent before what is to replace the deleted was in place. */
  readonly hasty: readonly string[];
}

export const KEY = 'key-of-the-simulation';
const START = Date.parse('2026-01-15T12:00:00Z');
/** A run that takes longer than this, in virtual time, hangs. */
const LONGEST_RUN_MS = 6 * 3_600_000;
const MOST_RUNS = 9;

/** Runs the reconciler again and again, through whatever the script does to it, until it has nothing left to do. */
export async function simulate(scenario: Scenario, script: Script): Promise<Simulation> {
  const world = openWorld(scenario, script);
  for (const desired of scenario.before) await runUntilIdle(world, { ...scenario, desired }, 1);
  for (const { method, path, body } of scenario.edits) await byHand(world, method, path, body);
  const start = world.core.store.dump();
  world.probes = probesOf(start, scenario.desired);
  world.moments.push(lookAtRoutes(world.core.store.state, world.probes, 'the start'));
  world.recording = true;
  world.core.faults.push(...(script.faults ?? []));
  const earlier = world.processes;
  const { endings, restated } = await runUntilIdle(world, scenario, script.idleRuns ?? 1);
  const { exchanges, probes, moments, hasty } = world;
  const lastStruck = Math.max(0, world.lastStruck - earlier);
  return {
    scenario,
    start,
    end: world.core.store.dump(),
    endings,
    lastStruck,
    restated,
    exchanges,
    probes,
    moments,
    hasty,
  };
}

async function runUntilIdle(
  world: World,
  scenario: Scenario,
  idleRuns: number,
): Promise<Pick<Simulation, 'endings' | 'restated'>> {
  const endings: Ending[] = [];
  let { flags } = scenario;
  let restated = false;
  for (let idle = 0; idle < idleRuns && endings.length < MOST_RUNS + idleRuns;) {
    const pending = JSON.stringify(world.core.faults.pending());
    const ending = await live(world, scenario, flags);
    endings.push(ending);
    if (JSON.stringify(world.core.faults.pending()) !== pending) world.lastStruck = world.processes;
    const again = allowedAnew(ending, flags);
    restated ||= again !== null;
    flags = again ?? (isConverged(ending) ? withoutRotation(flags) : flags);
    const untouched = world.lastStruck !== world.processes;
    idle = isIdle(ending) && untouched && again === null ? idle + 1 : 0;
  }
  return { endings, restated };
}

interface World {
  readonly core: EmulatorCore;
  readonly clock: WorldClock;
  readonly disk: StateFs;
  readonly random: () => number;
  readonly script: Script;
  readonly exchanges: Exchange[];
  readonly moments: Moment[];
  readonly hasty: string[];
  probes: readonly Probe[];
  recording: boolean;
  processes: number;
  sent: number;
  lastStruck: number;
}

function openWorld({ emulator }: Scenario, script: Script): World {
  const clock = worldClock(START);
  let ids = 0;
  const core = createEmulator({
    apiKey: KEY,
    plan: 'paid',
    ...emulator,
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    randomId: () => `ffffffff-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
    journalSize: 1,
  });
  const world = { core, clock, script, disk: memoryDisk(), random: randomOf(script.seed ?? 1) };
  return {
    ...world,
    exchanges: [],
    moments: [],
    hasty: [],
    probes: [],
    recording: false,
    processes: 0,
    sent: 0,
    lastStruck: 0,
  };
}

/** The life of one process: one run of the reconciler. */
async function live(world: World, scenario: Scenario, flags: Flags): Promise<Ending> {
  const process: Process = { id: (world.processes += 1), isAlive: true };
  const firstRequest = world.exchanges.length;
  let ending: Ending | null = null;
  const wire = new Wire(process, {
    core: world.core,
    clock: world.clock,
    strike: (exchange) => {
      noteDelete(world, scenario.desired, exchange);
      return strike(world, process);
    },
    onKill: () => {
      ending = { kind: 'killed' };
    },
    onExchange: (exchange) => record(world, exchange),
  });
  const run = async (): Promise<void> => {
    try {
      const once = await reconcile(world, { process, wire, scenario, flags });
      ending = { kind: 'ended', once, writes: writesOf(world.exchanges.slice(firstRequest)) };
    } catch (error) {
      ending = { kind: 'crashed', error };
    }
  };
  void run();
  await world.clock.until(() => ending !== null, LONGEST_RUN_MS);
  process.isAlive = false;
  return ending ?? { kind: 'hung' };
}

interface Life {
  readonly process: Process;
  readonly wire: Wire;
  readonly scenario: Scenario;
  readonly flags: Flags;
}

function reconcile(world: World, { process, wire, scenario, flags }: Life): Promise<Once> {
  const { version, desired, env } = scenario;
  const clock = clockOf(process, world.clock);
  const url = `https://api.simulated.example/${version}`;
  const client = createClient({
    url,
    version,
    key: KEY,
    mode: 'read-write',
    clock,
    random: world.random,
    dispatcher: wire,
    bounds: { answerBytes: 250_000 },
  });
  return reconcileOnce(
    {
      desired,
      manifestSize: manifestSize(desired),
      domains: flags.domain === undefined ? undefined : [...desired.domains.keys()],
      policy: policyOf(desired, flags, clock.now()),
      maxFailures: flags.maxFailures ?? null,
    },
    {
      client,
      clock,
      random: world.random,
      openState: (account) => openState(world, process, account, url),
      resolvePassword: (reference) => (reference.kind === 'env' ? (env[reference.name] ?? null) : null),
      writeManifest: writeSnapshot,
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      approve: async (planned) => {
        const decision = decide(planned.plan, flags.skipRefused === true ? 'withhold' : 'end-the-run');
        return { decision, planned };
      },
    },
  );
}

function openState(world: World, process: Process, account: string, apiUrl: string) {
  const store = openStateDirectory({
    directory: '/state',
    account,
    apiUrl,
    fs: diskOf(process, world.disk),
    clock: clockOf(process, world.clock),
    processes: {
      pid: process.id,
      host: 'simulated',
      command: 'apply',
      startOf: async (pid) => (pid === process.id && process.isAlive ? String(pid) : null),
    },
  });
  // It is worked out on another thread: time must not pass meanwhile.
  return {
    ...store,
    fingerprint: (password: string) => world.clock.during(() => store.fingerprint(password)),
  };
}

function strike(world: World, process: Process): Stroke | null {
  if (!world.recording) return null;
  world.sent += 1;
  const stroke = world.script.strokes.get(world.sent) ?? null;
  if (stroke !== null) world.lastStruck = process.id;
  return stroke;
}

/** Stage 2 of a domain begins when all of its stage 1 is in place. */
function noteDelete({ recording, core, hasty }: World, desired: Desired, { method, path }: Exchange): void {
  const [, domain] = /^\/domains\/([^/]+)\/(?:aliases|rules)/.exec(path) ?? [];
  if (!recording || method !== 'DELETE' || domain === undefined) return;
  const missing = missingRoutes(core.store.dump(), desired, domain);
  hasty.push(...missing.map((what) => `${path} was to be deleted while ${what}`));
}

function record(world: World, exchange: Exchange): void {
  if (!world.recording) return;
  world.exchanges.push(exchange);
  if (exchange.method === 'GET') return;
  const after = `request ${world.sent}, ${exchange.method} ${exchange.path} ${exchange.body ?? ''}`;
  world.moments.push(lookAtRoutes(world.core.store.state, world.probes, after));
}

function writesOf(exchanges: readonly Exchange[]): number {
  return exchanges.filter(({ method }) => method !== 'GET').length;
}

function isIdle(ending: Ending): boolean {
  return ending.kind === 'ended' && ending.writes === 0;
}

function isConverged(ending: Ending): boolean {
  return (
    ending.kind === 'ended' && ending.once.kind === 'applied' && ending.once.report.outcome === 'converged'
  );
}

/** A password that was asked to be sent again is sent once. */
function withoutRotation({ rotate: _, ...flags }: Flags): Flags {
  return flags;
}

/** With what is left to be deleted stated anew, as somebody would who had allowed the whole of it. */
function allowedAnew(ending: Ending, flags: Flags): Flags | null {
  if (ending.kind !== 'ended' || ending.once.kind !== 'not-run' || ending.once.decision.kind !== 'refused')
    return null;
  if (flags.allowDeletes === undefined && flags.allowReroutes === undefined) return null;
  const words = ending.once.planned.plan.guards.flatMap(({ allow, allowed }) =>
    allow === null || allowed ? [] : allow.split(' '),
  );
  return words.length === 0 ? null : { ...flags, ...parseFlags(words) };
}

async function byHand(world: World, method: string, path: string, body: unknown): Promise<void> {
  const answer = await world.core.dispatch({
    method,
    target: path,
    headers: { authorization: `Basic ${Buffer.from(`api:${KEY}`).toString('base64')}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (answer.kind === 'dropped' || answer.answer.status >= 300) throw new Error(`${method} ${path} failed`);
}

/** The same numbers from 0 up to 1 for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
