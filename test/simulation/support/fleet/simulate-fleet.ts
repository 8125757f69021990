import type { Dump } from '../../../../src/emulator/account/dump.ts';
import type { Database } from '../../../../src/engine/state/postgres/database.ts';
import { restorable } from '../../../golden/support/undo.ts';
import { probesOf, type Probe } from '../probes.ts';
import { lookAtRoutes, routingBreaches, type Moment } from '../routing-oracle.ts';
import { loadText } from '../scenario.ts';
import { randomOf } from '../world.ts';
import { liveWorker } from './live-worker.ts';
import { createMachine, type Machine, type Misfortune } from './machine.ts';
import { JOB_EXPIRY_MS, openFleetWorld, type FleetScenario, type FleetWorld } from './fleet-world.ts';

export interface FleetScript {
  /** Fault of the first worker and the point of its run where it happens; null means none. */
  readonly fate: { readonly at: number; readonly what: Misfortune } | null;
  /** Time at which the second manifest is published: with the first, at the fault of the first worker, or after its run. */
  readonly publishedAt: 'struck' | 'after';
  /** End of the fault: after another worker's run, or at one of its points. */
  readonly healedAt: 'after' | number;
  /** Error of the machines' wall clocks, in milliseconds. */
  readonly skewMs: number;
  /** True if the first worker sends heartbeats. */
  readonly beats: boolean;
  readonly seed: number;
}

export interface FleetSimulation {
  readonly end: Dump;
  /** Routes at the end of each revision that was in place. */
  readonly ends: readonly Moment[];
  /** Points of the first worker's run. */
  readonly points: number;
  readonly writes: number;
  /** Promises that were broken, in words. */
  readonly breaches: readonly string[];
}

/** Longer than a run and a lease together. */
const LONGEST_MS = 1_800_000;
/** Time after which the job and the lock of a silent worker are free. */
const EXPIRED_MS = JOB_EXPIRY_MS + 10_000;
/** Maximum number of sweeps after the last fault; the last sweep finds nothing to do. */
const MOST_SWEEPS = 4;

/** Simulates workers on three machines, with one account and two revisions. The first has the fault, the second takes over, the third sweeps. */
export async function simulateFleet(
  scenario: FleetScenario,
  script: FleetScript,
  { database, faultless }: { readonly database: Database; readonly faultless: FleetSimulation | null },
): Promise<FleetSimulation> {
  const world = openFleetWorld(scenario, { database, random: randomOf(script.seed) });
  const probes = probesOfAll(world.core.store.dump(), scenario);
  world.moments.push(lookAtRoutes(world.core.store.state, probes, 'the start'));
  try {
    await world.clock.during(() => world.publish(1));
    const first = await runAndTakeOver(world, script, probes);
    const afterFirst = lookAtRoutes(world.core.store.state, probes, 'the first revision');
    if (script.publishedAt === 'after' || !first.isStruck) await world.publish(2);
    await sweep(world, script, probes);
    const end = world.core.store.dump();
    const ends = [...world.moments.slice(0, 1), afterFirst, ...world.moments.slice(-1)];
    const allowed = faultless?.ends ?? ends;
    return {
      end,
      ends,
      points: first.points(),
      writes: world.writes,
      breaches: [
        ...world.breaches,
        ...routingBreaches(world.moments, probes, allowed),
        ...differences(end, (faultless ?? { end }).end),
      ],
    };
  } finally {
    await world.close();
  }
}

async function runAndTakeOver(
  world: FleetWorld,
  { fate, skewMs, beats, publishedAt, healedAt }: FleetScript,
  probes: readonly Probe[],
): Promise<Machine> {
  const { clock } = world;
  const published: Promise<void>[] = [];
  const first = createMachine({
    id: 1,
    clock,
    skewMs,
    fate,
    beats,
    onStruck: () => {
      if (publishedAt === 'struck') published.push(clock.during(() => world.publish(2)));
    },
  });
  const firstEnded = ending(world, first, probes);
  await clock.until(() => firstEnded() || first.isStruck, LONGEST_MS);
  if (!first.isStruck) return first;
  await clock.until(firstEnded, EXPIRED_MS);
  await Promise.all(published);
  const second = createMachine({
    id: 2,
    clock,
    skewMs: -skewMs,
    fate: null,
    beats: true,
    onStruck: () => {},
  });
  const secondEnded = ending(world, second, probes);
  await clock.until(() => secondEnded() || (healedAt !== 'after' && second.points() >= healedAt), LONGEST_MS);
  first.heal();
  await clock.until(() => secondEnded() && (firstEnded() || !first.isAlive), LONGEST_MS);
  if (!secondEnded() || (first.isAlive && !firstEnded())) world.breaches.push('a worker hangs');
  return first;
}

/** Starts a worker. The result shows whether it has ended. */
function ending(world: FleetWorld, machine: Machine, probes: readonly Probe[]): () => boolean {
  let hasEnded = false;
  void (async () => {
    await liveWorker(world, machine, probes);
    hasEnded = true;
  })();
  return () => hasEnded;
}

/** Runs due work on workers until one finds nothing to do. */
async function sweep(world: FleetWorld, { skewMs }: FleetScript, probes: readonly Probe[]): Promise<void> {
  for (let sweeps = 1; sweeps <= MOST_SWEEPS; sweeps += 1) {
    const before = world.writes;
    await world.clock.pass(300_000);
    await world.clock.during(() => world.makeDue());
    const machine = createMachine({
      id: 2 + sweeps,
      clock: world.clock,
      skewMs,
      fate: null,
      beats: true,
      onStruck: () => {},
    });
    const hasEnded = ending(world, machine, probes);
    await world.clock.until(hasEnded, LONGEST_MS);
    if (!hasEnded()) world.breaches.push('a sweep hangs');
    if (sweeps > 1 && world.writes === before) return;
  }
  world.breaches.push(`it still writes in sweep ${MOST_SWEEPS}`);
}

function differences(is: Dump, wanted: Dump): readonly string[] {
  const [a, b] = [is, wanted].map((dump) => JSON.stringify(restorable(dump, [])));
  return a === b ? [] : [`the account ends as ${String(a)}, without faults as ${String(b)}`];
}

/** Mails that match the live items and those of both manifests. */
function probesOfAll(start: Dump, { revisions }: FleetScenario): readonly Probe[] {
  const all = revisions.flatMap((body) => probesOf(start, loadText(body, 'v4', {})));
  return [...new Map(all.map((probe) => [JSON.stringify(probe), probe])).values()];
}
