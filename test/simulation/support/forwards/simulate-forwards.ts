import type { EmulatorOptions } from '../../../../src/emulator/emulator.ts';
import type { Planned } from '../../../../src/engine/plan-once.ts';
import { describe } from '../judge.ts';
import { live, type Ending } from '../life.ts';
import { parseFlags, type Flags, type Scenario } from '../scenario.ts';
import { openWorld, type Script, type World } from '../world.ts';
import type { Exchange } from '../wire.ts';
import { deliveriesIn, lossesBetween, type Deliveries } from './deliveries.ts';
import { shownBy, unshownChanges } from './shown-routes.ts';

/** Local parts of the addresses whose mail is followed in each domain; no alias is called anyone. */
export const LOCALS = ['info', 'jobs', 'help', 'desk', 'anyone'] as const;

/** A world whose mail is followed. */
export interface FollowedWorld {
  readonly world: World;
  /** After each write. */
  readonly moments: readonly Deliveries[];
  readonly look: (after: string) => Deliveries;
}

export function followWorld(scenario: Scenario, script: Script): FollowedWorld {
  const addresses = domainsOf(scenario.emulator.state).flatMap((domain) =>
    LOCALS.map((local) => `${local}@${domain}`),
  );
  const moments: Deliveries[] = [];
  const world = openWorld(scenario, {
    ...script,
    onWrite: (state, after) => void moments.push(deliveriesIn(state, addresses, after)),
  });
  return { world, moments, look: (after) => deliveriesIn(world.core.store.state, addresses, after) };
}

function domainsOf(state: EmulatorOptions['state']): readonly string[] {
  return (state?.domains ?? []).map(({ domain }) => domain);
}

/** Plans, and writes nothing. */
export async function planIn(world: World, scenario: Scenario, flags: Flags): Promise<Planned> {
  const ending = await live(world, { ...scenario, approve: () => ({ kind: 'declined' }) }, flags);
  if (ending.kind === 'ended' && ending.once.kind === 'not-run') return ending.once.planned;
  throw new Error(`no plan: ${JSON.stringify(ending)}`);
}

/** Allowances that the guards of a plan ask for; null if a guard cannot be allowed. */
export function allowancesFor({ plan }: Planned): Flags | null {
  const open = plan.guards.filter(({ allowed }) => !allowed);
  if (open.some(({ allow }) => allow === null)) return null;
  return parseFlags(open.flatMap(({ allow }) => allow?.split(' ') ?? []));
}

export interface ForwardsRun {
  /** Allowances before the first run. */
  readonly planned: Planned;
  readonly endings: readonly Ending[];
  readonly start: Deliveries;
  readonly moments: readonly Deliveries[];
  readonly end: Deliveries;
  readonly exchanges: readonly Exchange[];
}

const MOST_RUNS = 6;

/**
 * Runs the reconciler until it has nothing left to do, with only the allowances that the first plan asks for. Returns null if the plan
 * cannot be allowed.
 */
export async function simulateForwards(scenario: Scenario, script: Script): Promise<ForwardsRun | null> {
  const { world, moments, look } = followWorld(scenario, script);
  const start = look('the start');
  const planned = await planIn(world, scenario, {});
  const flags = allowancesFor(planned);
  if (flags === null) return null;
  world.recording = true;
  const endings = await runUntilIdle(world, scenario, flags);
  return { planned, endings, start, moments, end: look('the end'), exchanges: world.exchanges };
}

/** Runs repeatedly, with the faults of the script, until a run writes nothing. */
export async function runUntilIdle(
  world: World,
  scenario: Scenario,
  flags: Flags,
): Promise<readonly Ending[]> {
  const endings: Ending[] = [];
  while (endings.length < MOST_RUNS) {
    const ending = await live(world, scenario, flags);
    endings.push(ending);
    if (ending.kind === 'ended' && ending.writes === 0) break;
  }
  return endings;
}

/** Returns the broken promises of a run as sentences. `mostRuns` is the maximum number of runs that write. */
export function breachesOf(run: ForwardsRun, mostRuns: number): readonly string[] {
  const { planned, endings, start, moments, end } = run;
  return [
    ...lossesBetween(start, moments, end),
    ...unshownChanges(shownBy(planned), start, end),
    ...convergence(endings, mostRuns),
  ];
}

/** Wrong ends of runs. */
export function convergence(endings: readonly Ending[], mostRuns: number): readonly string[] {
  const last = endings.at(-1);
  const isDone =
    last?.kind === 'ended' && last.once.kind === 'applied' && last.once.report.outcome === 'unchanged';
  if (isDone && endings.length <= mostRuns + 1) return [];
  return [
    `${isDone ? 'it takes too many runs' : 'it does not converge'}: ${endings.map(describe).join('; ')}`,
  ];
}
