import { createClient } from '../../../../src/client/create.ts';
import { createEmulator } from '../../../../src/emulator/emulator.ts';
import { loadManifest } from '../../../../src/core/manifest/load.ts';
import type { Desired } from '../../../../src/core/model/desired.ts';
import type { Forecast } from '../../../../src/core/model/plan.ts';
import { forecast } from '../../../../src/core/plan/requests/forecast.ts';
import { manifestSize } from '../../../../src/core/plan/size.ts';
import { decide } from '../../../../src/engine/decide.ts';
import { reconcileOnce, type Once } from '../../../../src/engine/once.ts';
import type { Planned } from '../../../../src/engine/plan-once.ts';
import type { StageRequests } from '../../../../src/core/plan/requests/requests.ts';
import type { StateStore } from '../../../../src/engine/state/store.ts';
import type { Client } from '../../../../src/client/client.ts';
import { errorText } from '../../../../src/client/errors.ts';
import { openStateDirectory } from '../../../../src/engine/state/directory.ts';
import { createPolicy } from '../../../../src/cli/input/run-policy.ts';
import { worldClock, type WorldClock } from '../../../engine/support/world-clock.ts';
import { memoryDisk } from '../../../simulation/support/disk.ts';
import { processTable } from '../../../simulation/support/process.ts';
import { randomOf } from '../../../simulation/support/world.ts';
import { Wire } from '../../../simulation/support/wire.ts';
import type { Shape } from './shapes.ts';
import { EMAIL, manifestsOf, PASSWORD, seedOf } from './written.ts';
import { TEST_ORIGIN } from '../../../support/origin.ts';

/** Requests and time of one run of the real reconciler, in virtual seconds. */
export interface VirtualRun {
  readonly outcome: string;
  readonly requests: number;
  readonly refused: number;
  readonly reading: number;
  readonly total: number;
  /** Forecast of the plan; null means no forecast. */
  readonly forecast: Forecast | null;
  /** Number of requests after the plan. */
  readonly afterPlan: number;
}

/** Time of one direction; the forecast assumes 150 ms for both. */
export const TRAVEL_MS = 75;
const KEY = 'key-of-the-proof';
/** Start of a run, at the start of a minute. */
const START = Date.parse('2026-01-15T12:00:00Z');
/** A run that takes longer counts as hanging. */
const LONGEST_MS = 24 * 3_600_000;

/** Applies a shape against the emulator: the real scheduler, client and state, without a socket and without waiting. */
export async function runShape(shape: Shape): Promise<VirtualRun> {
  const clock = worldClock(START + shape.phaseMs);
  const core = createEmulator({
    apiKey: KEY,
    plan: 'paid',
    state: seedOf(shape),
    rateLimit: [shape.limit],
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    randomId: ids(),
    journalSize: 1,
  });
  const counts = { requests: 0, refused: 0 };
  const wire = new Wire(
    { id: 1, isAlive: true },
    {
      core,
      clock,
      travelMs: TRAVEL_MS,
      strike: () => null,
      onKill() {},
      onClock() {},
      onExchange({ status }) {
        counts.requests += 1;
        if (status === 429) counts.refused += 1;
      },
    },
  );
  const plan: { made: MadePlan | null } = { made: null };
  const ending: { once: Once | null } = { once: null };
  const begun = clock.monotonic();
  const run = async (): Promise<void> => {
    ending.once = await reconcile(shape, { clock, wire }, (forecast) => {
      plan.made = { forecast, at: clock.monotonic(), requests: counts.requests };
    });
  };
  void run();
  await clock.until(() => ending.once !== null, LONGEST_MS);
  const end = clock.monotonic();
  return {
    ...counts,
    outcome: outcomeOf(ending.once),
    reading: ((plan.made?.at ?? end) - begun) / 1000,
    total: (end - begun) / 1000,
    forecast: plan.made?.forecast ?? null,
    afterPlan: counts.requests - (plan.made?.requests ?? 0),
  };
}

interface MadePlan {
  readonly forecast: Forecast;
  readonly at: number;
  readonly requests: number;
}

function reconcile(
  shape: Shape,
  { clock, wire }: { readonly clock: WorldClock; readonly wire: Wire },
  onPlan: (forecast: Forecast) => void,
): Promise<Once> {
  const { version } = shape;
  const desired = load(shape);
  const tombstones = shape.domains.filter(({ state }) => state === 'tombstone').map(({ name }) => name);
  const url = `https://api.simulated.example/${version}`;
  const random = randomOf(1);
  const client = createClient({
    url,
    version,
    key: KEY,
    mode: 'read-write',
    clock,
    random,
    dispatcher: wire,
  });
  return reconcileOnce(
    {
      desired,
      manifestSize: manifestSize(desired),
      policy: createPolicy(
        desired,
        { allowDomainDelete: tombstones },
        { account: EMAIL, accountRequired: false, domainDeletes: 'allowed', now: clock.now() },
      ),
      origin: TEST_ORIGIN,
      maxFailures: null,
    },
    {
      client,
      clock,
      openState: (account) => openState(clock, { account, apiUrl: url }),
      resolvePassword: () => PASSWORD,
      approve: async (planned) => {
        const decision = decide(planned.plan, 'end-the-run');
        if (decision.kind === 'go')
          onPlan(forecastOf(client, clock, { planned, requests: decision.requests }));
        return { decision, planned };
      },
    },
  );
}

/** The forecast as `plan` prints it. */
function forecastOf(
  client: Client,
  clock: WorldClock,
  { planned, requests }: { readonly planned: Planned; readonly requests: readonly StageRequests[] },
): Forecast {
  const { observed, desired, prior } = planned.input;
  return forecast(requests, {
    version: client.version,
    batches: 'allowed',
    observed,
    desired,
    prior,
    budgets: client.budgets(),
    monotonic: clock.monotonic(),
    now: clock.now(),
    reading: { requests: client.totals().total, seconds: 0 },
    latency: client.latencyMs(),
  });
}

function load(shape: Shape): Desired {
  const texts = manifestsOf(shape).map((text, index) => ({ file: `${index}.yaml`, text }));
  const loaded = loadManifest(texts, {
    references: 'required',
    resolve: () => PASSWORD,
    apiVersion: shape.version,
  });
  if (loaded.desired === null) throw new Error(JSON.stringify(loaded.problems.slice(0, 5)));
  return loaded.desired;
}

function openState(
  clock: WorldClock,
  names: { readonly account: string; readonly apiUrl: string },
): StateStore {
  const store = openStateDirectory({
    ...names,
    directory: '/state',
    fs: memoryDisk().fs,
    clock,
    processes: processTable({ id: 1, isAlive: true }, clock),
  });
  // Another thread computes it; virtual time must stand still meanwhile.
  return { ...store, fingerprint: (password) => clock.during(() => store.fingerprint(password)) };
}

/** `converged`, `unchanged`, or what went wrong. */
function outcomeOf(once: Once | null): string {
  if (once === null) return 'hangs';
  switch (once.kind) {
    case 'applied': {
      const { outcome, failed, skipped, notKept } = once.report;
      const first = [...failed, ...notKept, ...skipped][0];
      return first === undefined ? outcome : `${outcome}: ${JSON.stringify(first)}`;
    }
    case 'not-run': {
      const { guards, problems } = once.planned.plan;
      const open = guards.filter(({ allowed }) => !allowed);
      return `${once.decision.kind}: ${JSON.stringify([...open, ...problems].slice(0, 3))}`;
    }
    case 'unread':
      return `unread: ${errorText(once.error)}`;
    case 'locked':
    case 'fault':
      return `${once.kind}: ${JSON.stringify(once.fault)}`;
  }
}

function ids(): () => string {
  let count = 0;
  return () => `ffffffff-0000-4000-8000-${String((count += 1)).padStart(12, '0')}`;
}
