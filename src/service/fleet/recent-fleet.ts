import type { Clock } from '../../core/model/clock.ts';
import type { Fleet } from '../../core/model/status/fleet.ts';
import type { Database } from '../../engine/state/postgres/database.ts';
import { readFleet, type OpenOutcomes } from './records.ts';

const KEPT_MS = 5_000;
/** Maximum wait for the fleet, so that an answer over HTTP comes before the server gives up after 5 s. */
const LONGEST_MS = 4_000;

/**
 * Creates a reader of the fleet, at most 5 s old, with one read for all requests. It returns null if the store cannot
 * be read within 4 s.
 */
export function createRecentFleet(
  database: Database,
  { monotonic, sleep }: Pick<Clock, 'monotonic' | 'sleep'>,
): () => Promise<Fleet | null> {
  const opened: OpenOutcomes = new Map();
  let reading: Promise<Fleet | null> | null = null;
  let goodUntil = 0;
  const read = async (): Promise<Fleet | null> => {
    const fleet = await readFleet(database, opened).catch(() => null);
    goodUntil = monotonic() + KEPT_MS;
    return fleet;
  };
  return async () => {
    if (reading === null || monotonic() > goodUntil) {
      goodUntil = Infinity;
      reading = read();
    }
    const over = new AbortController();
    try {
      return await Promise.race([reading, sleep(LONGEST_MS, over.signal).then(() => null)]);
    } finally {
      over.abort();
    }
  };
}
