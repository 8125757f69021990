import type { FlapMemory } from '../daemon/flap-detector.ts';
import { parseJsonText } from '../../engine/state/documents.ts';
import type { Database, Query } from '../../engine/state/postgres/database.ts';
import {
  readRevision,
  type PublishedManifest,
  type Revision,
} from '../../engine/state/postgres/published/read-revision.ts';
import { FLEET_CHANNEL } from '../../engine/state/postgres/published/revisions.ts';
import type { Queue } from './queue.ts';
import { openOutcome, placeOfRun, type RunOutcome } from './records.ts';

/** Memory for the next run of an account. */
export interface RunMemory {
  /** Revision of the last run; null before the first. */
  readonly ran: number | null;
  readonly flaps: FlapMemory;
  /** Known rate limits, as JSON that is opaque here; null if not known. */
  readonly budgets: unknown;
  /** Key (as a print) and revision that the API refused; null if it refused none. */
  readonly parked: { readonly revision: number; readonly key: string; readonly message: string } | null;
}

/** A run of an account that has begun. Its record is refused once another run has begun. */
export interface Claim {
  /** The account's number in the store. */
  readonly account: string;
  readonly epoch: string;
  /** Start by the database's clock. An epoch can come twice if the database failed over to an older standby. */
  readonly startedAt: string;
  /** The worker that makes the run. */
  readonly worker: string;
  readonly email: string;
  /** Host of the account's API, as a look-up value. */
  readonly host: Buffer;
  readonly revision: Revision;
  /** True if the store has lost the text of the revision. */
  readonly isDamaged: boolean;
  /** Number of failed runs in a row before this one. */
  readonly failures: number;
  /**
   * Time since the last heartbeat of the previous run, in milliseconds, if that run was never recorded. null if it
   * was.
   */
  readonly silentMs: number | null;
  /** Outcome of the last recorded run, which also left `memory`. */
  readonly outcome: RunOutcome;
  readonly memory: RunMemory;
}

const NO_MEMORY: RunMemory = { ran: null, flaps: [], budgets: null, parked: null };

const UNKNOWN_MANIFEST: PublishedManifest = { texts: [], commit: null, host: '', user: null, actor: null };

interface ClaimRow {
  readonly epoch: string;
  readonly started: string;
  readonly email: string;
  readonly host: Buffer;
  readonly wanted: string;
  readonly failures: number;
  readonly recorded: string;
  readonly silent: string | null;
  readonly resync: boolean;
  readonly outcome: Buffer | null;
  readonly memory: Buffer | null;
}

/** Begins a run of the published manifest; null if none is published. Rejects if the store cannot be used. */
export async function claimRun(database: Database, account: string, worker: string): Promise<Claim | null> {
  const { query, cipher } = database;
  const [row] = await query<ClaimRow>(
    `UPDATE fwdsync.account_runs AS run
     SET epoch = run.epoch + 1, worker = $2, started_at = now(), alive_at = now(), revision = wanted, resync = false
     FROM fwdsync.accounts,
       (SELECT alive_at, resync FROM fwdsync.account_runs WHERE account = $1 FOR UPDATE) AS before
     WHERE account = $1 AND id = account AND wanted IS NOT NULL
     RETURNING run.epoch, run.started_at::text AS started, email, host, wanted, failures, recorded, outcome,
       memory, before.resync, extract(epoch FROM now() - before.alive_at) * 1000 AS silent`,
    [account, worker],
  );
  if (row === undefined) return null;
  const revision = await readRevision(query, cipher, account, row.wanted);
  const isDamaged = revision === null || revision === 'damaged';
  const text =
    row.memory === null ? null : cipher.open(placeOfRun(account, 'memory', row.recorded), row.memory);
  const known = (text === null ? null : (parseJsonText(text) as RunMemory | null)) ?? NO_MEMORY;
  const memory = row.resync ? { ...known, flaps: [], parked: null } : known;
  return {
    account,
    revision: isDamaged ? { ...UNKNOWN_MANIFEST, number: Number(row.wanted) } : revision,
    isDamaged,
    epoch: row.epoch,
    startedAt: row.started,
    worker,
    email: row.email,
    host: row.host,
    failures: row.failures,
    silentMs: BigInt(row.recorded) === BigInt(row.epoch) - 1n ? null : Number(row.silent),
    outcome: openOutcome(cipher, { ...row, id: account }),
    memory,
  };
}

/** Record of a finished run. */
export interface RunRecord extends Omit<RunOutcome, 'ranOn'> {
  /** True if every domain is as the revision wants it. */
  readonly isApplied: boolean;
  /** True if every domain was read. */
  readonly isRead: boolean;
  /** Number of items that were changed outside fwdsync. */
  readonly drift: number;
  /** Time until the next attempt, in milliseconds; null if the run did not fail. */
  readonly retryMs: number | null;
  /** Time from one sweep to the next, unless reading takes long. */
  readonly intervalMs: number;
  /** Time of a run that only read, which leaves as much time to others. 0 if the run wrote or failed. */
  readonly readMs: number;
  readonly memory: RunMemory;
}

/**
 * Returns SQL for the next time at which an account has its place in the interval, the same on all machines. Both
 * arguments are SQL.
 */
function nextPlace(after: string, intervalMs: string): string {
  const milliseconds = `(extract(epoch FROM ${after}) * 1000)::bigint`;
  const phase = `mod(run.account * 2654435761, ${intervalMs})`;
  return `${after} + (${intervalMs} - mod(${milliseconds} - ${phase}, ${intervalMs})) * interval '1 ms'`;
}

/**
 * Records the end of a run. If a newer revision was published meanwhile, its run is queued. A stale run records
 * nothing.
 */
export async function recordRun(
  database: Database,
  queue: Pick<Queue, 'send'>,
  claim: Claim,
  record: RunRecord,
): Promise<void> {
  const { account, epoch, startedAt } = claim;
  const { state, error, notReceiving, isApplied, isRead, drift, retryMs, intervalMs, readMs, memory } =
    record;
  const leastMs = Math.round(2 * readMs);
  const { outcome, memory: sealedMemory } = sealEnd(database, claim, {
    outcome: { state, error, notReceiving, ranOn: claim.worker },
    memory,
  });
  await database.transaction(async (query) => {
    const [recorded] = await query<{ readonly isOutdated: boolean }>(
      `UPDATE fwdsync.account_runs AS run SET worker = NULL, recorded = epoch, outcome = $3, memory = $4, drift = $5,
         applied = CASE WHEN $6 THEN $7 ELSE applied END, read_at = CASE WHEN $8 THEN now() ELSE read_at END,
         failures = CASE WHEN $9::bigint IS NULL THEN 0 ELSE failures + 1 END, parked = $10, interval_ms = $11::bigint, least_ms = $13::bigint,
         due_at = CASE WHEN resync THEN now()
           WHEN $9::bigint IS NULL THEN greatest(${nextPlace('started_at', '$11::bigint')}, started_at + $13::bigint * interval '1 ms')
           ELSE now() + $9::bigint * interval '1 ms' END
       WHERE account = $1 AND epoch = $2 AND started_at = $12
       RETURNING revision < (SELECT wanted FROM fwdsync.accounts WHERE id = account) AS "isOutdated"`,
      [
        account,
        epoch,
        outcome,
        sealedMemory,
        drift,
        isApplied,
        claim.revision.number,
        isRead,
        retryMs === null ? null : Math.round(retryMs),
        memory.parked !== null,
        Math.max(Math.round(intervalMs), leastMs),
        startedAt,
        leastMs,
      ],
    );
    if (recorded?.isOutdated === true) await queue.send(query, [account], 'urgent');
  });
}

function sealEnd(
  { cipher }: Pick<Database, 'cipher'>,
  { account, epoch }: Claim,
  { outcome, memory }: { readonly outcome: RunOutcome; readonly memory: RunMemory },
): Readonly<Record<'outcome' | 'memory', Buffer>> {
  const seal = (row: 'outcome' | 'memory', value: unknown): Buffer =>
    cipher.seal(placeOfRun(account, row, epoch), JSON.stringify(value));
  return { outcome: seal('outcome', outcome), memory: seal('memory', memory) };
}

/** Ends a run that was asked to stop. The run is made again at once, and the memory of the account stays. */
export async function giveBack(database: Database, claim: Claim, memory: RunMemory): Promise<void> {
  const sealed = sealEnd(database, claim, { outcome: claim.outcome, memory });
  await database.query(
    `UPDATE fwdsync.account_runs SET worker = NULL, due_at = now(), recorded = epoch, outcome = $3, memory = $4,
       revision = CASE WHEN applied = revision THEN revision END
     WHERE account = $1 AND epoch = $2 AND started_at = $5`,
    [claim.account, claim.epoch, sealed.outcome, sealed.memory, claim.startedAt],
  );
}

/** Makes all accounts due, and gives frozen or parked ones another chance. */
export async function resyncAll(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    await query('UPDATE fwdsync.account_runs SET due_at = now(), resync = true');
    await announce(query);
  });
}

/**
 * Sends the heartbeat of these runs. Returns the runs that are not needed any more, because another run has begun or
 * no manifest of the account is published.
 */
export async function showRuns({ query }: Database, claims: readonly Claim[]): Promise<readonly Claim[]> {
  if (claims.length === 0) return [];
  const shown = await query<Pick<Claim, 'account' | 'startedAt'>>(
    `UPDATE fwdsync.account_runs AS run SET alive_at = now()
     FROM fwdsync.accounts, unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) AS shown (account, epoch, started)
     WHERE run.account = shown.account AND run.epoch = shown.epoch AND started_at = started AND id = run.account AND wanted IS NOT NULL
     RETURNING run.account, started::text AS "startedAt"`,
    [
      claims.map(({ account }) => account),
      claims.map(({ epoch }) => epoch),
      claims.map(({ startedAt }) => startedAt),
    ],
  );
  const live = new Map(shown.map(({ account, startedAt }) => [account, startedAt]));
  return claims.filter(({ account, startedAt }) => live.get(account) !== startedAt);
}

/**
 * Queues a run of each account that is due by this interval, and of each revision without a run. Returns their
 * number. Rows that are being written right now wait for the next time.
 */
export async function sendDue(
  database: Database,
  queue: Pick<Queue, 'send'>,
  intervalMs: number,
): Promise<number> {
  return database.transaction(async (query) => {
    await query(
      `INSERT INTO fwdsync.account_runs (account, since, due_at, interval_ms)
       SELECT id, now(), now(), $1 FROM fwdsync.accounts
       WHERE wanted IS NOT NULL AND NOT EXISTS (SELECT 1 FROM fwdsync.account_runs WHERE account = id)
       ON CONFLICT DO NOTHING`,
      [intervalMs],
    );
    await putInForce(query, intervalMs);
    const due = await query<{ readonly account: string; readonly published: boolean }>(
      `WITH due AS (
         SELECT account, wanted, revision IS DISTINCT FROM wanted AS published
         FROM fwdsync.account_runs JOIN fwdsync.accounts ON id = account
         WHERE wanted IS NOT NULL AND (due_at <= now() OR revision IS DISTINCT FROM wanted)
         FOR UPDATE OF account_runs SKIP LOCKED)
       UPDATE fwdsync.account_runs AS run SET revision = wanted,
         due_at = ${nextPlace('now()', 'interval_ms')}
       FROM due WHERE run.account = due.account RETURNING run.account, published`,
    );
    const of = (published: boolean): readonly string[] =>
      due.filter((entry) => entry.published === published).map(({ account }) => account);
    await queue.send(query, of(true), 'urgent');
    await queue.send(query, of(false), 'due');
    if (due.length > 0) await announce(query);
    return due.length;
  });
}

/**
 * Moves accounts that were last swept at another interval to their places in this one. A longer interval postpones
 * nothing: the next sweep comes when it was due.
 */
async function putInForce(query: Query, intervalMs: number): Promise<void> {
  await query(
    `WITH changed AS (
       SELECT account, greatest($1::bigint, least_ms) AS in_force FROM fwdsync.account_runs
       WHERE interval_ms <> greatest($1::bigint, least_ms) FOR UPDATE SKIP LOCKED)
     UPDATE fwdsync.account_runs AS run SET interval_ms = in_force,
       due_at = least(due_at, ${nextPlace('now()', 'in_force')})
     FROM changed WHERE run.account = changed.account`,
    [Math.round(intervalMs)],
  );
}

/** Wakes all workers once the transaction ends. */
async function announce(query: Query): Promise<void> {
  await query(`SELECT pg_notify('${FLEET_CHANNEL}', '')`);
}
