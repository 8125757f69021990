import { randomUUID } from 'node:crypto';
import { createEmulator, type EmulatorCore } from '../../../../src/emulator/emulator.ts';
import type { SeedDomain } from '../../../../src/emulator/account/seed.ts';
import { accountName } from '../../../../src/engine/state/account-name.ts';
import { publishManifests } from '../../../../src/engine/state/postgres/published/revisions.ts';
import type { Database } from '../../../../src/engine/state/postgres/database.ts';
import { worldClock, type WorldClock } from '../../../engine/support/world-clock.ts';
import type { Moment } from '../routing-oracle.ts';
import type { Queue } from '../../../../src/service/fleet/queue.ts';
import { memoryQueue } from './memory-queue.ts';

/** The account before, and two manifests of it that are published one after the other; below `version: 1`. */
export interface FleetScenario {
  readonly name: string;
  /** Live state of the account's only domain. */
  readonly state: Omit<SeedDomain, 'domain'>;
  readonly revisions: readonly [older: string, newer: string];
}

/** One account in virtual time: at the service, in the store, and in the queue of all workers. */
export interface FleetWorld {
  readonly clock: WorldClock;
  readonly core: EmulatorCore;
  readonly database: Database;
  readonly queue: Queue;
  /** No other account of the store has this host. */
  readonly apiUrl: string;
  readonly random: () => number;
  /** The epoch of the last lock, and the newest revision with a sent request. */
  lock: number;
  newest: number;
  /** After each request that wrote. */
  readonly moments: Moment[];
  readonly breaches: string[];
  writes: number;
  publish(revision: number): Promise<void>;
  /** The next sweep is due. */
  makeDue(): Promise<void>;
  /** Unpublishes the manifests, so that the next worlds in the same store do not see them. */
  close(): Promise<void>;
}

export const KEY = 'key-of-the-simulation';
export const EMAIL = 'ops@fleet.example';
export const JOB_EXPIRY_MS = 60_000;
const START = Date.parse('2026-01-15T12:00:00Z');

export function openFleetWorld(
  { state, revisions }: FleetScenario,
  {
    database,
    random,
  }: {
    readonly database: Database;
    readonly random: () => number;
  },
): FleetWorld {
  const clock = worldClock(START);
  const apiUrl = `https://${randomUUID()}.example/v4`;
  const host = database.cipher.lookUp(accountName(EMAIL, apiUrl).host);
  let ids = 0;
  const core = createEmulator({
    apiKey: KEY,
    plan: 'paid',
    state: { account: { email: EMAIL }, domains: [{ domain: 'acme.example', ...state }] },
    now: () => clock.now(),
    sleep: (milliseconds) => clock.sleep(milliseconds),
    randomId: () => `ffffffff-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`,
    journalSize: 1,
  });
  return {
    clock,
    core,
    database,
    queue: memoryQueue(clock, JOB_EXPIRY_MS),
    apiUrl,
    random,
    lock: 0,
    newest: 0,
    moments: [],
    breaches: [],
    writes: 0,
    async publish(revision) {
      const text = `version: 1\nguards: { max_delete_percent: 100 }\n${revisions[revision - 1] ?? ''}\n`;
      const manifest = {
        texts: [{ file: 'fwdsync.yaml', text }],
        commit: null,
        host: 'h',
        user: null,
        actor: null,
      };
      const stored = await publishManifests(
        database,
        [{ account: EMAIL, apiUrl, manifest, domains: null }],
        clock.now(),
      );
      if (!stored.ok) throw new Error(stored.error.message);
    },
    async makeDue() {
      await database.query(
        'UPDATE fwdsync.account_runs SET due_at = now() FROM fwdsync.accounts WHERE id = account AND host = $1',
        [host],
      );
    },
    async close() {
      await database.query('UPDATE fwdsync.accounts SET wanted = NULL WHERE host = $1', [host]);
    },
  };
}
