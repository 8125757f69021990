import type { QueueState } from '../model/fleet/fleet.ts';
import type { Database } from '../state/postgres/database.ts';

/** Of the jobs; it is pg-boss's own. */
const SCHEMA = 'fwdsync_queue';
const QUEUE = 'run';

/** How many runs wait; rejects when that cannot be read. A store that no worker has used has no queue yet. */
export async function readQueue({ query }: Database): Promise<QueueState> {
  const there = await query(`SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'job'`, [SCHEMA]);
  if (there.length === 0) return { depth: 0, oldestWaitMs: null };
  const [row] = await query<{ readonly depth: number; readonly oldest: string | null }>(
    `SELECT count(*)::int AS depth, extract(epoch FROM now() - min(start_after)) * 1000 AS oldest
     FROM ${SCHEMA}.job WHERE name = $1 AND state < 'active' AND start_after <= now()`,
    [QUEUE],
  );
  const oldest = row?.oldest ?? null;
  return { depth: row?.depth ?? 0, oldestWaitMs: oldest === null ? null : Math.max(0, Number(oldest)) };
}
