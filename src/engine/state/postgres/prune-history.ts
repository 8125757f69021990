import { applyBounds, type HistoryBounds, type HistoryPart } from '../history/bounds.ts';
import { dayOf, latestDay } from '../history/day-files.ts';
import type { AccountRows } from './account-rows.ts';
import type { Query } from './database.ts';

/** Maximum number of rows that one statement deletes. It stays within a statement's time limit, and no lock waits long. */
const ROWS_AT_ONCE = 5_000;

/** Counts the bytes added to the history of each day (`YYYY-MM-DD`, UTC), within the transaction that adds them. */
export async function countHistory(
  query: Query,
  account: string,
  added: ReadonlyMap<string, number>,
): Promise<void> {
  await query(
    `INSERT INTO fwdsync.history_days AS before (account, day, bytes)
     SELECT $1, * FROM unnest($2::date[], $3::bigint[])
     ON CONFLICT (account, day) DO UPDATE SET bytes = before.bytes + excluded.bytes`,
    [account, [...added.keys()], [...added.values()]],
  );
}

/** Removes old history until it is within its bounds. If it rejects, all history that it did not remove is intact. */
export async function pruneRows(rows: AccountRows, bounds: HistoryBounds, now: number): Promise<void> {
  const account = await rows.find();
  if (account === null) return;
  const kept = {
    parts: await readParts(rows.query, account, now),
    remove: async ({ id }: HistoryPart) => void (await deleteOf(rows, id, ['run', 'item', 'drift'])),
    dropDrift: async ({ id, bytes }: HistoryPart) => bytes - (await deleteOf(rows, id, ['drift'])),
  };
  await applyBounds(kept, bounds, now);
}

/** Reads the days of an account in the order of writing. One that lies ahead was written before the run that follows it. */
async function readParts(query: Query, account: string, now: number): Promise<readonly HistoryPart[]> {
  const days = await query<{ readonly day: string; readonly bytes: string }>(
    'SELECT day::text, bytes FROM fwdsync.history_days WHERE account = $1 ORDER BY history_days.day',
    [account],
  );
  const ahead = latestDay(now);
  const parts = days.map(({ day, bytes }) => ({ id: day, day, bytes: Number(bytes), isAhead: day > ahead }));
  const dated = await Promise.all(
    parts.map(async (part) =>
      part.isAhead ? { ...part, day: (await dayAfter(query, account, part.id, ahead)) ?? dayOf(now) } : part,
    ),
  );
  const isBefore = (a: (typeof dated)[number], b: (typeof dated)[number]): boolean =>
    a.day === b.day ? a.isAhead && !b.isAhead : a.day < b.day;
  return dated.toSorted((a, b) => Number(isBefore(b, a)) - Number(isBefore(a, b)));
}

/** Returns the day of the first run after the rows of a day that lies ahead; null means that there is none. */
async function dayAfter(query: Query, account: string, day: string, ahead: string): Promise<string | null> {
  const [next] = await query<{ readonly day: string }>(
    `SELECT (at AT TIME ZONE 'UTC')::date::text AS day FROM fwdsync.history
     WHERE account = $1 AND subject = 'run' AND at < ($3::date + 1)::timestamp AT TIME ZONE 'UTC' AND id > (
       SELECT max(id) FROM fwdsync.history WHERE account = $1 AND at >= $2::date::timestamp AT TIME ZONE 'UTC'
         AND at < ($2::date + 1)::timestamp AT TIME ZONE 'UTC'
     ) ORDER BY id LIMIT 1`,
    [account, day, ahead],
  );
  return next?.day ?? null;
}

/** Deletes entries of one day. Returns the number of bytes deleted. */
async function deleteOf(rows: AccountRows, day: string, subjects: readonly string[]): Promise<number> {
  let gone = 0;
  for (;;) {
    const deleted = await rows.write((query, account) => deleteSome(query, account, day, subjects));
    if (!deleted.ok) throw new Error(deleted.error.message);
    gone += Number(deleted.value.bytes);
    if (deleted.value.count < ROWS_AT_ONCE) return gone;
  }
}

interface Deleted {
  readonly count: number;
  readonly bytes: string;
}

async function deleteSome(
  query: Query,
  account: string,
  day: string,
  subjects: readonly string[],
): Promise<Deleted> {
  const [deleted = { count: 0, bytes: '0' }] = await query<Deleted>(
    `WITH gone AS (
       DELETE FROM fwdsync.history WHERE id IN (
         SELECT id FROM fwdsync.history
         WHERE account = $1 AND at >= $2::date::timestamp AT TIME ZONE 'UTC'
           AND at < ($2::date + 1)::timestamp AT TIME ZONE 'UTC' AND subject = ANY($3)
         LIMIT ${ROWS_AT_ONCE}
       ) RETURNING octet_length(entry) AS bytes
     )
     SELECT count(*)::int AS count, coalesce(sum(bytes), 0) AS bytes FROM gone`,
    [account, day, subjects],
  );
  await query('UPDATE fwdsync.history_days SET bytes = bytes - $3 WHERE account = $1 AND day = $2', [
    account,
    day,
    deleted.bytes,
  ]);
  // Removes the day's row if all its entries are gone and none was added meanwhile.
  await query('DELETE FROM fwdsync.history_days WHERE account = $1 AND day = $2 AND bytes <= 0', [
    account,
    day,
  ]);
  return deleted;
}
