import { createClient } from '../../../src/client/create.ts';
import { openStateDirectory } from '../../../src/engine/state/directory.ts';
import type { StateStore } from '../../../src/engine/state/store.ts';
import { manifestSize } from '../../../src/core/plan/size.ts';
import { decide } from '../../../src/engine/decide.ts';
import type { Policy } from '../../../src/core/plan/policy.ts';
import { reconcileOnce, type Approved, type Once } from '../../../src/engine/once.ts';
import { planWith, type Planned, type PlanRequest } from '../../../src/engine/plan-once.ts';
import { undoRequest } from '../../../src/engine/undo/undo-request.ts';
import { readRuns } from '../../../src/engine/state/history/recorded.ts';
import { clockOf, diskOf, processTable, type Process } from './process.ts';
import { policyOf, type Flags, type Scenario } from './scenario.ts';
import { countSnapshots, noteDelete, noteUnsaved, record, strike, strikeDisk } from './watch.ts';
import { Wire, type Exchange } from './wire.ts';
import { KEY, type World } from './world.ts';
import { TEST_ORIGIN } from '../../support/origin.ts';

/** The end of one process. */
export type Ending =
  | { readonly kind: 'killed' }
  | { readonly kind: 'ended'; readonly once: Once; readonly writes: number }
  | { readonly kind: 'crashed'; readonly error: unknown }
  | { readonly kind: 'hung' };

/** A run that takes longer in virtual time counts as hanging. */
const LONGEST_RUN_MS = 6 * 3_600_000;

/** The life of one process: one run of the reconciler. */
export async function live(world: World, scenario: Scenario, flags: Flags): Promise<Ending> {
  const process: Process = { id: (world.processes += 1), isAlive: true };
  const firstRequest = world.exchanges.length;
  let ending: Ending | null = null;
  const gone = Promise.withResolvers<null>();
  const die = (): void => {
    process.isAlive = false;
    ending = { kind: 'killed' };
    gone.resolve(null);
  };
  const snapshots = countSnapshots(world);
  const wire = new Wire(process, {
    core: world.core,
    clock: world.clock,
    strike: (exchange) => {
      noteDelete(world, scenario.desired, exchange);
      noteUnsaved(world, exchange, snapshots);
      return strike(world, process);
    },
    onKill: die,
    onClock: (ms) => {
      world.skewMs += ms;
    },
    onExchange: (exchange) => record(world, exchange),
  });
  const run = async (): Promise<void> => {
    try {
      const once = await reconcile(world, { process, wire, die, gone: gone.promise, scenario, flags });
      ending = { kind: 'ended', once, writes: writesOf(world.exchanges.slice(firstRequest)) };
    } catch (error) {
      ending = { kind: 'crashed', error };
    }
  };
  void run();
  await world.clock.until(() => ending !== null, LONGEST_RUN_MS);
  process.isAlive = false;
  wire.cutOff();
  return ending ?? { kind: 'hung' };
}

interface Life {
  readonly process: Process;
  readonly wire: Wire;
  readonly die: () => void;
  readonly gone: Promise<null>;
  readonly scenario: Scenario;
  readonly flags: Flags;
}

async function reconcile(world: World, life: Life): Promise<Once> {
  const { process, wire, scenario, flags } = life;
  const { version, desired, env, undoes } = scenario;
  const clock = clockOf(process, { clock: world.clock, skewMs: () => world.skewMs });
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
  const origin = { ...TEST_ORIGIN, run: runName(process.id) };
  const policy = policyOf(desired, flags, clock.now());
  const apply: PlanRequest = {
    desired,
    manifestSize: manifestSize(desired),
    domains: flags.domain === undefined ? undefined : [...desired.domains.keys()],
    policy,
  };
  const openOwn = (account: string): StateStore => openState(world, life, { account, apiUrl: url });
  const account = world.core.store.dump().account.email;
  const undo = undoes === undefined ? null : await undoOf(openOwn(account), undoes, policy.allowances);
  return reconcileOnce(
    undo === null
      ? { ...apply, origin, maxFailures: flags.maxFailures ?? null, newcomers: scenario.approve && 'left' }
      : { ...undo, origin: { ...origin, command: 'undo' }, maxFailures: null, newcomers: 'left' },
    {
      client,
      clock,
      openState: openOwn,
      resolvePassword: (reference) => (reference.kind === 'env' ? (env[reference.name] ?? null) : null),
      approve: async (planned) => {
        if (undo !== null) return allowAll(planned);
        if (scenario.approve !== undefined) return { decision: scenario.approve(planned), planned };
        const decision = decide(planned.plan, flags.skipRefused === true ? 'withhold' : 'end-the-run');
        return { decision, planned };
      },
    },
  );
}

/** Id of the process's run in the history. */
export function runName(process: number): string {
  return `run${process}`;
}

async function undoOf(
  state: StateStore,
  name: string,
  allowances: Policy['allowances'],
): Promise<PlanRequest | null> {
  for await (const { start } of readRuns(state.history, { run: name })) {
    return undoRequest(state, start, { allowances });
  }
  return null;
}

/** Gives the allowances that a guard asks for. */
function allowAll(planned: Planned): Approved {
  const { policy } = planned.input;
  const allowances = planned.plan.guards.flatMap(({ allowance }) => allowance ?? []);
  const allowed = planWith(planned, { ...policy, allowances });
  return { decision: decide(allowed.plan, 'end-the-run'), planned: allowed };
}

function openState(
  world: World,
  { process, die, gone }: Life,
  names: { readonly account: string; readonly apiUrl: string },
): StateStore {
  const store = openStateDirectory({
    ...names,
    directory: '/state',
    fs: diskOf(process, world.disk.fs, (operation) => strikeDisk(world, process, operation, die)),
    clock: clockOf(process, { clock: world.clock, skewMs: () => world.skewMs }),
    processes: processTable(process, world.clock),
  });
  // Another thread computes it; virtual time must stand still meanwhile.
  const fingerprint: StateStore['fingerprint'] = (password) =>
    world.clock.during(() => Promise.race([store.fingerprint(password), gone]));
  return { ...store, fingerprint };
}

function writesOf(exchanges: readonly Exchange[]): number {
  return exchanges.filter(({ method }) => method !== 'GET').length;
}
