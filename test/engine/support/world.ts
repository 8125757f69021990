import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { createClient, type ClientOptions } from '../../../src/client/create.ts';
import { systemProcesses } from '../../../src/engine/state/processes.ts';
import { openStateDirectory } from '../../../src/engine/state/directory.ts';
import type { StateStore } from '../../../src/engine/state/store.ts';
import { createEmulator, type EmulatorCore, type EmulatorOptions } from '../../../src/emulator/emulator.ts';
import type { Seed } from '../../../src/emulator/account/seed.ts';
import type { AccountStatus, DaemonEvent } from '../../../src/core/model/status/daemon.ts';
import type { Desired } from '../../../src/core/model/desired.ts';
import { succeed } from '../../../src/core/model/result.ts';
import { allowancesInForce } from '../../../src/core/plan/policy.ts';
import { createAccountLoop, type AccountLoop } from '../../../src/service/daemon/account-loop.ts';
import type { Access } from '../../../src/service/daemon/account-run.ts';
import { POLL_MS } from '../../../src/service/daemon/daemon.ts';
import { createManifestSource } from '../../../src/service/daemon/manifest/manifest-source.ts';
import { API_KEY, EMAIL } from '../../support/account.ts';
import { byHand } from '../../support/by-hand.ts';
import { counted, worldClock, type WorldClock } from './world-clock.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { inProcess, type Line } from '../../support/in-process.ts';
import { createDriftLog } from '../../../src/engine/drift-log.ts';
import { TEST_ORIGIN } from '../../support/origin.ts';

const URL_V4 = 'http://127.0.0.1:1/v4';
const URL_V3 = 'http://127.0.0.1:1/v3';
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** True if the service is reachable. */
interface Network {
  isUp: boolean;
}

const LATENCY_MS = 20;

/** One account, its manifest file and a daemon for it, in virtual time. */
export interface World {
  readonly clock: WorldClock;
  readonly core: EmulatorCore;
  readonly network: Network;
  readonly path: string;
  readonly stateDirectory: string;
  readonly events: DaemonEvent[];
  /** Starts a daemon. The one before it must have been stopped. */
  start(options?: StartOptions): Daemon;
  /** Replaces the manifest: text below `version: 1`. */
  write(text: string): Promise<void>;
  /** Changes the account as another user does. */
  edit(method: string, path: string, body?: object): Promise<void>;
  writes(): readonly string[];
}

export interface StartOptions {
  readonly mode?: 'apply' | 'observe';
  readonly intervalMs?: number;
  readonly pollMs?: number;
  /** True if sweeps check domains through v3. By default they read all in full. */
  readonly drift?: 'quick' | 'none';
  readonly fullIntervalMs?: number;
  /** Replaces the one of the world. */
  readonly path?: string;
  readonly stateDirectory?: string;
  /** Called at each run. */
  readonly key?: () => string;
}

export interface Daemon {
  readonly loop: AccountLoop;
  /** Rejects if the loop gives up. */
  readonly ended: Promise<void>;
  status(): AccountStatus;
  /** The state of each domain. */
  states(): Readonly<Record<string, string>>;
  /** Stops it as SIGTERM does. */
  stop(): Promise<void>;
}

export interface WorldOptions extends Partial<EmulatorOptions> {
  readonly seed?: Seed;
  /** Text of the manifest below `version: 1`; absent means no manifest yet. */
  readonly manifest?: string;
}

export async function createWorld({ seed = {}, manifest, ...options }: WorldOptions = {}): Promise<World> {
  const clock = worldClock();
  const directory = await temporaryDirectory();
  const core = createEmulator({
    apiKey: API_KEY,
    plan: 'paid',
    randomId: randomUUID,
    journalSize: 200_000,
    ...options,
    state: seed,
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
  });
  const network = { isUp: true };
  const path = join(directory, 'fwdsync.yaml');
  const stateDirectory = join(directory, 'state');
  const events: DaemonEvent[] = [];
  const write = (text: string): Promise<void> => fs.writeFile(path, `version: 1\n${text}\n`);
  if (manifest !== undefined) await write(manifest);
  const world = { clock, core, network, path, stateDirectory, events };
  return {
    ...world,
    write,
    start: (start = {}) => startDaemon({ ...world, ...start }, start),
    edit: (method, target, body) => byHand(core, method, `/v4${target}`, body),
    writes: () =>
      core.journal
        .entries()
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path: target }) => `${method} ${target}`),
  };
}

export type Place = Pick<World, 'clock' | 'core' | 'network' | 'path' | 'stateDirectory' | 'events'>;

function startDaemon(world: Place, options: StartOptions): Daemon {
  const { clock } = world;
  const controller = new AbortController();
  const loop = openLoop(world, options, controller.signal);
  let hasEnded = false;
  const ended = loop.run().finally(() => {
    hasEnded = true;
  });
  return {
    loop,
    ended,
    status: () => loop.status(),
    states: () => Object.fromEntries([...loop.status().domains].map(([name, { state }]) => [name, state])),
    async stop() {
      controller.abort('SIGTERM');
      await clock.until(() => hasEnded, HOUR);
      await ended;
    },
  };
}

/** A loop that does not run yet. */
export function openLoop(world: Place, options: StartOptions, signal: AbortSignal): AccountLoop {
  const { clock, events } = world;
  const { mode = 'apply', intervalMs = 5 * MINUTE, pollMs = POLL_MS, key = () => API_KEY } = options;
  const { drift = 'none', fullIntervalMs = HOUR } = options;
  const files = counted(fs, clock);
  const client = clientKeeper(
    world,
    { version: 'v4', mode: mode === 'apply' ? 'read-write' : 'read-only' },
    signal,
  );
  const openState = stateKeeper(world, files);
  const quick = clientKeeper(world, { version: 'v3', mode: 'read-only' }, signal);
  return createAccountLoop(
    { name: 'test', mode, intervalMs, pollMs, fullIntervalMs },
    {
      clock,
      random: Math.random,
      signal,
      driftLog: createDriftLog(),
      origin: TEST_ORIGIN,
      resolvePassword: () => null,
      emit: (event) => events.push(event),
      giveUp(message) {
        throw new Error(message);
      },
      source: createManifestSource({
        paths: [world.path],
        fs: files,
        stdin: Readable.from([]),
        cwd: '/',
        clock,
        load: { references: 'required', apiVersion: 'v4' },
        readReferences: () => Promise.resolve(() => null),
      }),
      access: (desired) =>
        Promise.resolve(
          succeed({
            ...accessOf(world, desired, client(key())),
            openState,
            drift: drift === 'quick' ? quick(key()) : undefined,
          }),
        ),
    },
  );
}

/** One client per API key, as in the daemon. */
function clientKeeper(
  { core, clock, network }: Place,
  { version, mode }: Pick<ClientOptions, 'version' | 'mode'>,
  signal: AbortSignal,
): (key: string) => Access['client'] {
  const clients = new Map<string, Access['client']>();
  const url = version === 'v4' ? URL_V4 : URL_V3;
  const line = lineOf(network, clock);
  return (key) => {
    const client =
      clients.get(key) ??
      createClient({
        url,
        version,
        key,
        mode,
        clock,
        random: Math.random,
        signal,
        dispatcher: inProcess(core, line),
      });
    clients.set(key, client);
    return client;
  };
}

/** One store per account, as in the daemon. */
function stateKeeper({ clock, stateDirectory }: Place, files: typeof fs): Access['openState'] {
  const stores = new Map<string, StateStore>();
  const processes = systemProcesses(files, 'test');
  const options = { directory: stateDirectory, apiUrl: URL_V4, fs: files, clock, processes };
  return (account) => {
    const store = stores.get(account) ?? openStateDirectory({ ...options, account });
    stores.set(account, store);
    return store;
  };
}

function accessOf({ clock }: Place, desired: Desired, client: Access['client']): Omit<Access, 'openState'> {
  return {
    client,
    policy: {
      guards: desired.guards,
      allowances: allowancesInForce(desired.guards, clock.now()),
      account: EMAIL,
      accountRequired: true,
      rotate: [],
      domainDeletes: 'never',
    },
  };
}

function lineOf(network: Network, clock: WorldClock): Line {
  return {
    async connect() {
      if (network.isUp) return;
      await turn();
      throw new Error('connect ECONNREFUSED');
    },
    answered: () => clock.sleep(LATENCY_MS),
  };
}
