import type { DomainHealth } from '../../core/model/status/daemon.ts';
import type {
  Fleet,
  FleetAccount,
  FleetState,
  FleetWorker,
  NotReceiving,
} from '../../core/model/status/fleet.ts';
import type { Cipher, SealedPlace } from '../../engine/state/postgres/cipher.ts';
import type { Database } from '../../engine/state/postgres/database.ts';
import { parseJsonText } from '../../engine/state/documents.ts';
import { readQueue } from './queue.ts';

/** Outcome of a run, kept beside its counts and times. */
export interface RunOutcome {
  readonly state: DomainHealth | 'not-receiving';
  readonly error: string | null;
  /** The worker that made the run; null in records of earlier versions. */
  readonly ranOn: string | null;
  /** By the last run that read the domains; null if none did, or in records of earlier versions. */
  readonly notReceiving: NotReceiving | null;
}

/**
 * Outcomes that were decrypted, by the account's number. Decrypting those of thousands of accounts takes longer than
 * reading them.
 */
export type OpenOutcomes = Map<string, { readonly recorded: string; readonly outcome: RunOutcome }>;

/** Reads the whole fleet. Rejects if it cannot be read. `opened` is kept from one read to the next. */
export async function readFleet(database: Database, opened?: OpenOutcomes): Promise<Fleet> {
  const [clock, accounts, workers, queue] = await Promise.all([
    database.query<{ readonly now: Date }>('SELECT now()'),
    listFleetAccounts(database, opened),
    listFleetWorkers(database),
    readQueue(database),
  ]);
  return { at: clock[0]?.now.getTime() ?? 0, accounts, workers, queue };
}

interface AccountRow {
  readonly id: string;
  readonly email: string;
  readonly wanted: string;
  readonly published_at: Date;
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

/** Lists the published accounts by email. Rejects if they cannot be read. */
export async function listFleetAccounts(
  { query, cipher }: Database,
  opened: OpenOutcomes = new Map(),
): Promise<readonly FleetAccount[]> {
  const rows = await query<AccountRow>(
    `SELECT id, email, wanted, published_at, applied, read_at, due_at, interval_ms, coalesce(failures, 0) AS failures,
       coalesce(parked, false) AS parked, coalesce(drift, 0) AS drift, worker, recorded, outcome,
       coalesce(read_at, since) < now() - 3 * interval_ms * interval '1 ms' IS TRUE AS unattended
     FROM fwdsync.accounts JOIN fwdsync.revisions published ON published.account = id AND published.revision = wanted
       LEFT JOIN fwdsync.account_runs last ON last.account = id
     ORDER BY email, id`,
  );
  return rows.map((row) => {
    const { id, email, failures, parked, drift, worker, recorded } = row;
    const before = opened.get(id);
    const outcome = before?.recorded === recorded ? before.outcome : openOutcome(cipher, row);
    opened.set(id, { recorded, outcome });
    return {
      id,
      email,
      wanted: Number(row.wanted),
      wantedAt: row.published_at.getTime(),
      applied: row.applied === null ? null : Number(row.applied),
      readAt: row.read_at?.getTime() ?? null,
      dueAt: row.due_at?.getTime() ?? null,
      intervalMs: row.interval_ms === null ? null : Number(row.interval_ms),
      failures,
      parked,
      drift,
      state: stateOf(row, outcome.state),
      error: outcome.error,
      notReceiving: outcome.notReceiving,
      ranOn: outcome.ranOn,
      worker,
    };
  });
}

/** Returns the email of the account whose published manifest names a domain; null if none does. Rejects if the store cannot be read. */
export async function findDomainAccount({ query }: Database, domain: string): Promise<string | null> {
  const [found] = await query<{ readonly email: string }>(
    'SELECT email FROM fwdsync.accounts WHERE wanted IS NOT NULL AND domains @> ARRAY[$1] LIMIT 1',
    [domain],
  );
  return found?.email ?? null;
}

/** Returns the state of an account. A revision in sync says nothing about a newer one. */
function stateOf({ unattended, wanted, applied }: AccountRow, last: RunOutcome['state']): FleetState {
  if (unattended) return 'unattended';
  return last === 'in-sync' && applied !== wanted ? 'unknown' : last;
}

const NOT_RUN: RunOutcome = { state: 'unknown', error: null, ranOn: null, notReceiving: null };

/** Returns the outcome of the last recorded run. */
export function openOutcome(
  cipher: Cipher,
  { id, recorded, outcome }: Pick<AccountRow, 'id' | 'recorded' | 'outcome'>,
): RunOutcome {
  const text = outcome === null ? null : cipher.open(placeOfRun(id, 'outcome', recorded), outcome);
  return { ...NOT_RUN, ...(text === null ? null : (parseJsonText(text) as Partial<RunOutcome> | null)) };
}

/** Returns the sealed place of an account's row in `account_runs`. */
export function placeOfRun(account: string, row: 'outcome' | 'memory', epoch: string): SealedPlace {
  return { table: 'account_runs', account, row, revision: epoch };
}

/**
 * Lists workers that are running, and those that ended or were lost within the last day, latest first. Rejects if
 * they cannot be read.
 */
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

/** Returns the sealed place of a worker's name. */
export function placeOfWorker(id: string): SealedPlace {
  return { table: 'workers', account: '', row: id, revision: '1' };
}
