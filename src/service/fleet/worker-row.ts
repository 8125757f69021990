import type { Database } from '../../engine/state/postgres/database.ts';
import { placeOfWorker } from './records.ts';

export interface WorkerIdentity {
  readonly id: string;
  /** Process and host, for people. */
  readonly name: string;
  readonly version: string;
  readonly concurrency: number;
  readonly jobExpiryMs: number;
}

/** Time for which the scheduler keeps its lease without a heartbeat. */
const SCHEDULER_LEASE = `interval '15 seconds'`;
/** Time for which ended workers are kept for people to see. */
const KEPT = `interval '1 day'`;

/** Records the heartbeat of the worker, and its number of runs. */
export async function showWorker(
  { query, cipher }: Database,
  { id, name, version, concurrency, jobExpiryMs }: WorkerIdentity,
  running: number,
): Promise<void> {
  await query(
    `INSERT INTO fwdsync.workers (id, name, version, concurrency, running, job_expiry_ms, started_at, seen_at)
     VALUES ($1, $2, $3, $4, $5, $6, now(), now())
     ON CONFLICT (id) DO UPDATE SET seen_at = now(), running = excluded.running`,
    [id, cipher.seal(placeOfWorker(id), name), version, concurrency, running, Math.round(jobExpiryMs)],
  );
}

/** Makes this worker the scheduler if no other has the lease. Returns true if it is the scheduler now. */
export async function becomeScheduler(
  { query }: Database,
  { id }: Pick<WorkerIdentity, 'id'>,
): Promise<boolean> {
  const held = await query(
    `INSERT INTO fwdsync.scheduler AS held (worker, until) VALUES ($1, now() + ${SCHEDULER_LEASE})
     ON CONFLICT (only_row) DO UPDATE SET worker = excluded.worker, until = excluded.until
     WHERE held.worker = excluded.worker OR held.until < now() RETURNING 1`,
    [id],
  );
  return held.length === 1;
}

/** Ends the worker, so that another may schedule at once. Rows older than a day are removed. */
export async function endWorker(database: Database, { id }: Pick<WorkerIdentity, 'id'>): Promise<void> {
  await database.transaction(async (query) => {
    await query('UPDATE fwdsync.workers SET ended_at = now(), seen_at = now(), running = 0 WHERE id = $1', [
      id,
    ]);
    await query('DELETE FROM fwdsync.scheduler WHERE worker = $1', [id]);
    await query(`DELETE FROM fwdsync.workers WHERE seen_at < now() - ${KEPT}`);
  });
}
