import { plainCommand } from '../../../../src/core/model/text/command-line.ts';
import { Dispatcher } from 'undici';
import { createClient } from '../../../../src/client/create.ts';
import { createPolicy } from '../../../../src/cli/input/run-policy.ts';
import type { AccountToRun, OpenAccount } from '../../../../src/service/fleet/account-job.ts';
import { createRanAccounts } from '../../../../src/service/fleet/ran-accounts.ts';
import { createWorker } from '../../../../src/service/fleet/worker.ts';
import { succeed } from '../../../../src/core/model/result.ts';
import {
  keepBudgets,
  restoreBudgets,
  type KeptBudgets,
} from '../../../../src/core/rate-limit/kept-budgets.ts';
import { loadTexts } from '../../../../src/service/daemon/manifest/manifest-source.ts';
import { createDriftLog } from '../../../../src/engine/drift-log.ts';
import type { Database } from '../../../../src/engine/state/postgres/database.ts';
import { openPostgresState } from '../../../../src/engine/state/postgres/postgres-store.ts';
import type { StateStore } from '../../../../src/engine/state/store.ts';
import { TEST_ORIGIN } from '../../../support/origin.ts';
import type { Probe } from '../probes.ts';
import { lookAtRoutes } from '../routing-oracle.ts';
import { Wire } from '../wire.ts';
import { EMAIL, JOB_EXPIRY_MS, KEY, type FleetWorld } from './fleet-world.ts';
import type { Machine } from './machine.ts';
import { queueOf } from './memory-queue.ts';

/** Time that a request takes to the service, and its answer back. With it a run lasts about as long as the lease. */
const TRAVEL_MS = 1_000;

/** Runs the real worker on a machine until nothing is due. Returns null, or the error that ended it. */
export async function liveWorker(
  world: FleetWorld,
  machine: Machine,
  probes: readonly Probe[],
): Promise<unknown> {
  const { clock, every, reach } = machine;
  const run = { lock: 0, revision: 0 };
  const database = databaseOf({ world, machine, run });
  const wire = new WatchedWire(world, machine, { run, probes });
  const worker = createWorker(
    {
      id: crypto.randomUUID(),
      name: `machine ${machine.id}`,
      version: '0',
      concurrency: 1,
      jobExpiryMs: JOB_EXPIRY_MS,
      intervalMs: 3_600_000,
      mode: 'apply',
    },
    {
      clock,
      every,
      random: world.random,
      signal: new AbortController().signal,
      database,
      queue: queueOf(world.queue, reach),
      onFault: () => {},
      onLost: () => {},
      emit: () => {},
      ran: createRanAccounts(),
      openAccount: (account) => openAccount(account, { world, machine, database, wire, run }),
    },
  );
  try {
    await worker.drain();
    return null;
  } catch (error) {
    return error;
  }
}

/** Lock and revision of the machine's run. */
interface Run {
  lock: number;
  revision: number;
}

interface RunParts {
  readonly world: FleetWorld;
  readonly machine: Machine;
  readonly database: Database;
  readonly wire: Dispatcher;
  readonly run: Run;
}

/** Wraps the database so that a transaction happens whole or not at all. An open transaction ends with its connection. */
function databaseOf({ world, machine: { reach }, run }: Omit<RunParts, 'database' | 'wire'>): Database {
  const { database } = world;
  return {
    ...database,
    query: <Row>(text: string, values?: readonly unknown[]) =>
      reach(async () => {
        const rows = await database.query<Row>(text, values);
        if (text.includes('INTO fwdsync.locks')) noteLock(world, run, rows as readonly LockRow[]);
        return rows;
      }),
    raw: (text, values) => reach(() => database.raw(text, values)),
    transaction: (work) => reach(() => database.transaction(work)),
  };
}

interface LockRow {
  readonly epoch: string;
}

/** Records the holder of the lock from the moment when the database grants it, even if the holder does not get the answer. */
function noteLock(world: FleetWorld, run: Run, [taken]: readonly LockRow[]): void {
  if (taken === undefined) return;
  run.lock = Number(taken.epoch);
  world.lock = run.lock;
}

function openAccount({ revision, budgets, usedMsAgo, signal }: AccountToRun, parts: RunParts): OpenAccount {
  const { world, machine, wire, run } = parts;
  run.revision = revision.number;
  const { clock } = machine;
  const moment = () => ({ now: clock.now(), monotonic: clock.monotonic() });
  const kept = budgets as KeptBudgets | null;
  const client = createClient({
    url: world.apiUrl,
    version: 'v4',
    key: KEY,
    mode: 'read-write',
    clock,
    random: world.random,
    dispatcher: wire,
    signal,
    ...(kept === null ? {} : { budgets: restoreBudgets(kept, moment(), usedMsAgo) }),
  });
  const { run: _, ...origin } = TEST_ORIGIN;
  return {
    command: plainCommand,
    read: () =>
      loadTexts(revision.texts, {
        load: { references: 'required', apiVersion: 'v4' },
        readReferences: async () => () => null,
      }),
    ports: {
      driftLog: createDriftLog(),
      origin,
      resolvePassword: () => null,
      readCommit: () => Promise.resolve(null),
      access: async (desired) =>
        succeed({
          client,
          policy: createPolicy(
            desired,
            {},
            {
              account: EMAIL,
              accountRequired: true,
              domainDeletes: 'never',
              now: clock.now(),
            },
          ),
          openState: () => openState(parts),
        }),
    },
    budgets: () => keepBudgets(client.knownBudgets(), moment()),
    conceal: (text) => text,
    close: () => client.close(),
  };
}

/** The store, whose leases run out by the world's clock. */
function openState({ world, machine, database }: RunParts): StateStore {
  return openPostgresState({
    database,
    account: EMAIL,
    apiUrl: world.apiUrl,
    clock: machine.clock,
    every: machine.every,
    leaseMs: JOB_EXPIRY_MS,
    moment: () => new Date(world.clock.now()),
    processes: { pid: machine.id, host: 'simulated', command: 'run' },
  });
}

/**
 * Sends the requests of a machine. A request that was sent before a pause still arrives. A run must not send a request after another
 * run has taken its lock.
 */
class WatchedWire extends Dispatcher {
  readonly #world: FleetWorld;
  readonly #machine: Machine;
  readonly #run: Run;
  readonly #wire: Wire;

  constructor(
    world: FleetWorld,
    machine: Machine,
    { run, probes }: { readonly run: Run; readonly probes: readonly Probe[] },
  ) {
    super();
    this.#world = world;
    this.#machine = machine;
    this.#run = run;
    this.#wire = new Wire(machine, {
      core: world.core,
      clock: machine.clock,
      strike: () => null,
      onKill: () => {},
      onClock: () => {},
      onExchange({ method, path }) {
        machine.pass();
        if (method === 'GET') return;
        world.moments.push(
          lookAtRoutes(world.core.store.state, probes, `${method} ${path} of machine ${machine.id}`),
        );
      },
      travelMs: TRAVEL_MS,
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (options.method !== 'GET') this.#note(`${options.method} ${options.path}`);
    this.#machine.pass();
    return this.#wire.dispatch(options, handler);
  }

  #note(what: string): void {
    const world = this.#world;
    const { lock, revision } = this.#run;
    const about = `machine ${this.#machine.id} sent ${what}`;
    if (lock < world.lock)
      world.breaches.push(`${about} under lock ${lock}, when lock ${world.lock} was taken`);
    if (revision < world.newest)
      world.breaches.push(`${about} for revision ${revision}, after one for ${world.newest}`);
    world.writes += 1;
    world.newest = Math.max(world.newest, revision);
  }
}
