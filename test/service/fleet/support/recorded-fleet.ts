import { randomUUID } from 'node:crypto';
import { placeOfRun, placeOfWorker } from '../../../../src/service/fleet/records.ts';
import type { DomainHealth } from '../../../../src/core/model/status/daemon.ts';
import type { Database } from '../../../../src/engine/state/postgres/database.ts';
import { publishManifests } from '../../../../src/engine/state/postgres/published/revisions.ts';

const WHO = { commit: null, host: 'ci', user: null, actor: null };

/** Publishes this many revisions of accounts. */
export async function publishAccounts(
  database: Database,
  accounts: readonly string[],
  revisions = 1,
): Promise<void> {
  const apiUrl = 'https://api.improvmx.com/v4';
  for (let revision = 1; revision <= revisions; revision += 1) {
    const manifest = { ...WHO, texts: [{ file: 'a.yaml', text: `revision ${revision}` }] };
    const publications = accounts.map((account) => ({ account, apiUrl, manifest, domains: null }));
    const stored = await publishManifests(database, publications, Date.now());
    if (!stored.ok) throw new Error(stored.error.message);
  }
}

export interface RecordedRun {
  readonly state: DomainHealth;
  readonly error?: string;
  readonly applied?: number;
  /** In seconds. */
  readonly readAgo: number;
  readonly drift?: number;
  readonly parked?: boolean;
  readonly worker?: string;
}

/** Records of a worker's run for an account with an interval of one minute. */
export async function recordRun(database: Database, email: string, run: RecordedRun): Promise<void> {
  const { state, error = null, applied = null, readAgo, drift = 0, parked = false, worker = null } = run;
  const [row] = await database.query<{ readonly id: string }>(
    'SELECT id FROM fwdsync.accounts WHERE email = $1',
    [email],
  );
  const id = row?.id ?? '';
  const outcome = database.cipher.seal(placeOfRun(id, 'outcome', '1'), JSON.stringify({ state, error }));
  await database.query(
    `INSERT INTO fwdsync.account_runs
       (account, since, due_at, interval_ms, epoch, applied, read_at, drift, parked, worker, recorded, outcome)
     VALUES ($1, now(), now(), 60000, 1, $2, now() - $3 * interval '1 s', $4, $5, $6, 1, $7)`,
    [id, applied, readAgo, drift, parked, worker, outcome],
  );
}

/** Adds a worker that was last seen some seconds ago. Returns its number. */
export async function addWorker(
  database: Database,
  name: string,
  { seenAgo = 1, isScheduler = false }: { readonly seenAgo?: number; readonly isScheduler?: boolean } = {},
): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO fwdsync.workers (id, name, version, concurrency, running, job_expiry_ms, started_at, seen_at)
     VALUES ($1, $2, '1.2.3', 50, 3, 60000, now() - interval '1 hour', now() - $3 * interval '1 s')`,
    [id, database.cipher.seal(placeOfWorker(id), name), seenAgo],
  );
  if (isScheduler)
    await database.query(
      `INSERT INTO fwdsync.scheduler (worker, until) VALUES ($1, now() + interval '1 hour')`,
      [id],
    );
  return id;
}
