import type { Dump } from '../../../src/emulator/account/dump.ts';
import { byHand } from '../../support/by-hand.ts';
import { live, type Ending } from './life.ts';
import { probesOf, type Probe } from './probes.ts';
import { lookAtRoutes, type Moment } from './routing-oracle.ts';
import { parseFlags, type Flags, type Scenario } from './scenario.ts';
import type { Exchange } from './wire.ts';
import { openWorld, type Script, type World } from './world.ts';

export interface Simulation {
  readonly scenario: Scenario;
  readonly start: Dump;
  readonly end: Dump;
  readonly endings: readonly Ending[];
  /** Number of the run with the last fault, counted from 1; 0 means no fault. */
  readonly lastStruck: number;
  /** True if a guard needed a new allowance for deletes, because a part was done already. */
  readonly restated: boolean;
  readonly exchanges: readonly Exchange[];
  readonly probes: readonly Probe[];
  readonly moments: readonly Moment[];
  /** Deletes that were sent before the replacement was in place. */
  readonly hasty: readonly string[];
}

const MOST_RUNS = 9;

/** Runs the reconciler repeatedly, with the faults of the script, until it has nothing left to do. */
export async function simulate(scenario: Scenario, script: Script): Promise<Simulation> {
  const world = openWorld(scenario, script);
  for (const desired of scenario.before) await runUntilIdle(world, { ...scenario, desired }, 1);
  for (const { method, path, body } of scenario.edits) await byHand(world.core, method, path, body);
  const start = world.core.store.dump();
  world.probes = probesOf(start, scenario.desired);
  world.moments.push(lookAtRoutes(world.core.store.state, world.probes, 'the start'));
  world.recording = true;
  world.core.faults.push(...(script.faults ?? []));
  script.damage?.(world.disk.files);
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
  const earlier = world.core.store.dump().domains.map(({ domain }) => domain);
  let { flags } = scenario;
  let restated = false;
  for (let idle = 0; idle < idleRuns && endings.length < MOST_RUNS + idleRuns;) {
    const pending = JSON.stringify(world.core.faults.pending());
    const ending = await live(world, scenario, flags);
    endings.push(ending);
    if (JSON.stringify(world.core.faults.pending()) !== pending) world.lastStruck = world.processes;
    const again = allowedAnew(ending, flags, earlier);
    restated ||= again !== null;
    flags = again ?? (isConverged(ending) ? withoutRotation(flags) : flags);
    const untouched = world.lastStruck !== world.processes;
    idle = isIdle(ending) && untouched && again === null ? idle + 1 : 0;
  }
  return { endings, restated };
}

function isIdle(ending: Ending): boolean {
  return ending.kind === 'ended' && ending.writes === 0;
}

function isConverged(ending: Ending): boolean {
  return (
    ending.kind === 'ended' && ending.once.kind === 'applied' && ending.once.report.outcome === 'converged'
  );
}

/** Removes the request to send a password again, because it is sent once. */
function withoutRotation({ rotate: _, ...flags }: Flags): Flags {
  return flags;
}

/**
 * Allows the deletes that are left, as a user who allowed all of them would. Also allows deleting the `*` of a domain whose run was
 * killed before it had read the items that the service made.
 */
function allowedAnew(ending: Ending, flags: Flags, earlier: readonly string[]): Flags | null {
  if (ending.kind !== 'ended' || ending.once.kind !== 'not-run' || ending.once.decision.kind !== 'refused')
    return null;
  const open = ending.once.planned.plan.guards.filter(({ allowed }) => !allowed);
  const isNew = open
    .filter(({ refuses }) => refuses)
    .every(({ guard, scope }) => ['catch-all', 'unrouted'].includes(guard) && !earlier.includes(scope));
  if (!isNew && flags.allowDeletes === undefined && flags.allowReroutes === undefined) return null;
  const words = open.flatMap(({ allow }) => allow?.split(' ') ?? []);
  return words.length === 0 ? null : { ...flags, ...parseFlags(words) };
}
