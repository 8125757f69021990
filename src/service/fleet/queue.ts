import type { PgBoss as Boss } from 'pg-boss';
import type { QueueState } from '../../core/model/status/fleet.ts';
import { describeFailure, type Database, type Query } from '../../engine/state/postgres/database.ts';

/** Queue of waiting and running runs. Each account has at most one of each. */
export interface Queue {
  /** Queues a run of each account that has none waiting. Works within the transaction of `query`. */
  send(query: Query, accounts: readonly string[], urgency: RunUrgency): Promise<void>;
  /** Takes at most `most` runs, urgent ones first. */
  take(most: number): Promise<readonly RunJob[]>;
  /** Sends the heartbeat of these runs. */
  beat(jobs: readonly RunJob[]): Promise<void>;
  /** Ends a run. `done` and `giveUp` have no effect on a run that another worker took over. */
  done(job: RunJob): Promise<void>;
  /** Gives a run back, so that another worker may try. At most twice. */
  giveUp(job: RunJob): Promise<void>;
  close(): Promise<void>;
}

/** `urgent` is a run of a newly published revision. It goes before sweeps, even if a sweep of the account waits. */
export type RunUrgency = 'urgent' | 'due';

export interface RunJob {
  /** The account's number in the store. */
  readonly account: string;
  readonly id: string;
  /** Number of retries of the job. */
  readonly retryCount: number;
}

export interface QueueOptions {
  /** Time without a heartbeat after which a run goes to another worker, in milliseconds. */
  readonly jobExpiryMs: number;
  /** Called with the fault of background work, which is tried again. */
  readonly onFault: (message: string) => void;
}

/** Schema of the jobs, owned by pg-boss. */
const SCHEMA = 'fwdsync_queue';
const QUEUE = 'run';
const PRIORITY: Readonly<Record<RunUrgency, number>> = { urgent: 1, due: 0 };
/** Maximum time of a job. A run ends by itself before that. */
const LONGEST_RUN_S = 24 * 3600;
const SUPERVISED_EVERY_S = 10;
const CLEANED_EVERY_S = 600;
/** Time for which a run that failed on every worker is kept. */
const KEPT_S = 3600;

/**
 * Opens the queue, and creates its tables if they do not exist. Loads pg-boss. Rejects if the database cannot be
 * used.
 */
export async function openQueue(database: Database, options: QueueOptions): Promise<Queue> {
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    db: asExecutor((text, values) => database.raw(text, values)),
    schema: SCHEMA,
    schedule: false,
    // This would keep the names of hosts.
    registerInstance: false,
    superviseIntervalSeconds: SUPERVISED_EVERY_S,
    monitorIntervalSeconds: SUPERVISED_EVERY_S,
    maintenanceIntervalSeconds: CLEANED_EVERY_S,
  });
  boss.on('error', (error) => options.onFault(describeFailure(error)));
  await boss.start();
  await boss.createQueue(QUEUE, {
    policy: 'stately',
    expireInSeconds: LONGEST_RUN_S,
    deleteAfterSeconds: KEPT_S,
  });
  return queueOf(boss, Math.round(options.jobExpiryMs / 1000));
}

function asExecutor(execute: Database['raw']): {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
} {
  return { executeSql: async (text, values) => (await execute(text, values)) as { rows: unknown[] } };
}

function queueOf(boss: Boss, heartbeatSeconds: number): Queue {
  return {
    async send(query, accounts, urgency) {
      if (accounts.length === 0) return;
      const db = asExecutor(async (text, values) => ({ rows: await query(text, values) }));
      const priority = PRIORITY[urgency];
      const jobs = accounts.map((account) => ({
        data: { account },
        singletonKey: account,
        priority,
        heartbeatSeconds,
      }));
      await boss.insert(QUEUE, jobs, { db });
      await query(
        `UPDATE ${SCHEMA}.job SET priority = $3
         WHERE name = $1 AND singleton_key = ANY($2) AND state < 'active' AND priority < $3`,
        [QUEUE, accounts, priority],
      );
    },
    async take(most) {
      const jobs = await boss.fetch<Pick<RunJob, 'account'>>(QUEUE, { batchSize: most });
      return jobs.map(({ id, retryCount, data }) => ({ id, retryCount, account: data.account }));
    },
    async beat(jobs) {
      if (jobs.length > 0) await boss.touch(QUEUE, [...jobs]);
    },
    async done(job) {
      await boss.deleteJob(QUEUE, job);
    },
    async giveUp(job) {
      await boss.fail(QUEUE, job);
    },
    close: () => boss.stop({ graceful: false }),
  };
}

/**
 * Returns how many runs wait. Rejects if the queue cannot be read. A store that no worker has used has no queue yet.
 */
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
