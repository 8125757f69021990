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

/** For so long the scheduler is the scheduler without a sign of it. */
const SCHEDULER_LEASE = `interval '15 seconds'`;
/** Workers that have ended are kept for people to see. */
const KEPT = `interval '1 day'`;

/** Shows that the worker is there, and how many runs it has under way. */
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

/** Whether this worker is the scheduler from now on: nobody else is, or was seen of late. */
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

/** Ends the worker; another may schedule at once. What is older than a day is removed. */
export async function endWorker(database: Database, { id }: Pick<WorkerIdentity, 'id'>): Promise<void> {
  await database.transaction(async (query) => {
    await query('UPDATE fwdsync.workers SET ended_at = now(), seen_at = now(), running = 0 WHERE id = $1', [
      id,
    ]);
    await query('DELETE FROM fwdsync.scheduler WHERE worker = $1', [id]);
    await query(`DELETE FROM fwdsync.workers WHERE seen_at < now() - ${KEPT}`);
  });
}
