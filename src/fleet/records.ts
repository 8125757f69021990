import type { DomainHealth } from '../model/daemon.ts';
import type { Cipher, SealedPlace } from '../state/postgres/cipher.ts';
import type { Database } from '../state/postgres/database.ts';
import { parseJsonText } from '../state/documents.ts';

/** One published account, and what is known of its last run. Times are epoch milliseconds. */
export interface FleetAccount {
  /** The account's number in the store. */
  readonly id: string;
  readonly email: string;
  /** The revision that is published. */
  readonly wanted: number;
  /** The newest revision that a run applied in full; null: none yet. */
  readonly applied: number | null;
  /** When it was last read in full; null: never yet. */
  readonly readAt: number | null;
  /** When it is read next; null: no scheduler has seen it yet. */
  readonly dueAt: number | null;
  /** How long it takes from one read to the next; null: no scheduler has seen it yet. */
  readonly intervalMs: number | null;
  /** Runs that failed in a row. */
  readonly failures: number;
  /** The API refused its key: nothing is sent until key or revision change. */
  readonly parked: boolean;
  /** Changes made outside fwdsync that the last run found. */
  readonly drift: number;
  readonly state: FleetState;
  /** Of the last run, for people; null: there is nothing to say. */
  readonly error: string | null;
  /** Who runs it now; null: nobody. */
  readonly worker: string | null;
}

/** The state of its worst domain; `unattended`: nobody has read the account for three intervals, whatever it was then. */
export type FleetState = DomainHealth | 'unattended';

/** Times are epoch milliseconds. */
export interface FleetWorker {
  readonly id: string;
  /** Process and host. */
  readonly name: string;
  readonly version: string;
  /** `lost`: it was not seen for its job expiry, and has not ended by itself. */
  readonly state: 'running' | 'ended' | 'lost';
  readonly startedAt: number;
  readonly seenAt: number;
  /** Runs at most at once. */
  readonly concurrency: number;
  /** Runs under way. */
  readonly running: number;
  readonly scheduler: boolean;
}

/** What is kept of a run beside its counts and times. */
export interface RunOutcome {
  readonly state: DomainHealth;
  readonly error: string | null;
}

interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly wanted: string;
  readonly applied: string | null;
  readonly read_at: Date | null;
  readonly due_at: Date | null;
  readonly interval_ms: string | null;
  readonly failures: number;
  readonly parked: boolean;
  readonly drift: number;
  readonly worker: string | null;
  readonly recorded: string;
  readonly outcome: Buffer | null;
  readonly unattended: boolean;
}

/** The published accounts by email; rejects when they cannot be read. */
export async function listFleetAccounts({ query, cipher }: Database): Promise<readonly FleetAccount[]> {
  const rows = await query<AccountRow>(
    `SELECT id, email, wanted, applied, read_at, due_at, interval_ms, coalesce(failures, 0) AS failures,
       coalesce(parked, false) AS parked, coalesce(drift, 0) AS drift, worker, recorded, outcome,
       coalesce(read_at, since) < now() - 3 * interval_ms * interval '1 ms' IS TRUE AS unattended
     FROM fwdsync.accounts LEFT JOIN fwdsync.account_runs ON account = id WHERE wanted IS NOT NULL ORDER BY email, id`,
  );
  return rows.map((row) => {
    const { state, error } = openOutcome(cipher, row);
    const { id, email, failures, parked, drift, worker } = row;
    return {
      id,
      email,
      wanted: Number(row.wanted),
      applied: row.applied === null ? null : Number(row.applied),
      readAt: row.read_at?.getTime() ?? null,
      dueAt: row.due_at?.getTime() ?? null,
      intervalMs: row.interval_ms === null ? null : Number(row.interval_ms),
      failures,
      parked,
      drift,
      state: row.unattended ? 'unattended' : state,
      error,
      worker,
    };
  });
}

const NOT_RUN: RunOutcome = { state: 'unknown', error: null };

function openOutcome(cipher: Cipher, { id, recorded, outcome }: AccountRow): RunOutcome {
  const text = outcome === null ? null : cipher.open(placeOfRun(id, 'outcome', recorded), outcome);
  return text === null ? NOT_RUN : ((parseJsonText(text) as RunOutcome | null) ?? NOT_RUN);
}

/** Of the row of an account in `account_runs`. */
export function placeOfRun(account: string, row: 'outcome' | 'memory', epoch: string): SealedPlace {
  return { table: 'account_runs', account, row, revision: epoch };
}

/** Those that are running, and those that ended or were lost within the last day, the latest first; rejects when they cannot be read. */
export async function listFleetWorkers({ query, cipher }: Database): Promise<readonly FleetWorker[]> {
  const rows = await query<WorkerRow>(
    `SELECT id, name, version, concurrency, running, started_at, seen_at,
       CASE WHEN ended_at IS NOT NULL THEN 'ended'
         WHEN seen_at < now() - job_expiry_ms * interval '1 ms' THEN 'lost' ELSE 'running' END AS state,
       EXISTS (SELECT 1 FROM fwdsync.scheduler WHERE worker = id AND until > now()) AS scheduler
     FROM fwdsync.workers WHERE seen_at > now() - interval '1 day' ORDER BY started_at DESC`,
  );
  return rows.map(({ name, started_at: started, seen_at: seen, ...row }) => ({
    ...row,
    name: cipher.open(placeOfWorker(row.id), name) ?? 'a worker that cannot be named',
    startedAt: started.getTime(),
    seenAt: seen.getTime(),
  }));
}

type WorkerRow = Omit<FleetWorker, 'name' | 'startedAt' | 'seenAt'> & {
  readonly name: Buffer;
  readonly started_at: Date;
  readonly seen_at: Date;
};

/** Of its name. */
export function placeOfWorker(id: string): SealedPlace {
  return { table: 'workers', account: '', row: id, revision: '1' };
}
