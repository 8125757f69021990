import type { Clock } from '../../../../src/core/model/clock.ts';
import type { Queue, RunJob } from '../../../../src/service/fleet/queue.ts';

interface Entry {
  job: RunJob;
  isActive: boolean;
  /** World's milliseconds. */
  beatAt: number;
}

/** Maximum number of retries of a failed job. */
const MOST_RETRIES = 2;

/** Jobs of a fleet in virtual time: at most one waiting and one active job per account. An active job expires after `expiryMs` without a heartbeat. */
export function memoryQueue(clock: Pick<Clock, 'now'>, expiryMs: number): Queue {
  let entries: Entry[] = [];
  let ids = 0;
  const isExpired = ({ isActive, beatAt }: Entry): boolean => isActive && clock.now() - beatAt > expiryMs;
  const holds = (job: RunJob) => (entry: Entry) =>
    entry.isActive && entry.job.id === job.id && entry.job.retryCount === job.retryCount;
  const again = (entry: Entry): void => {
    entries = entries.filter((other) => other !== entry);
    const { job } = entry;
    const waits = entries.some((other) => !other.isActive && other.job.account === job.account);
    if (waits || job.retryCount >= MOST_RETRIES) return;
    entries.push({ job: { ...job, retryCount: job.retryCount + 1 }, isActive: false, beatAt: 0 });
  };
  return {
    async send(_query, accounts) {
      for (const account of accounts) {
        if (entries.some(({ isActive, job }) => !isActive && job.account === account)) continue;
        entries.push({ job: { account, id: String((ids += 1)), retryCount: 0 }, isActive: false, beatAt: 0 });
      }
    },
    async take(most) {
      for (const entry of entries.filter(isExpired)) again(entry);
      const active = new Set(entries.filter(({ isActive }) => isActive).map(({ job }) => job.account));
      const taken = entries
        .filter(({ isActive, job }) => !isActive && !active.has(job.account))
        .slice(0, most);
      for (const entry of taken) Object.assign(entry, { isActive: true, beatAt: clock.now() });
      return taken.map(({ job }) => job);
    },
    async beat(jobs) {
      for (const job of jobs) for (const entry of entries.filter(holds(job))) entry.beatAt = clock.now();
    },
    async done(job) {
      const isOfJob = holds(job);
      entries = entries.filter((entry) => !isOfJob(entry));
    },
    async giveUp(job) {
      for (const entry of entries.filter(holds(job))) again(entry);
    },
    close: () => Promise.resolve(),
  };
}

/** Wraps a queue so that a machine reaches it only while it can reach the database. */
export function queueOf(queue: Queue, reach: <T>(work: () => Promise<T>) => Promise<T>): Queue {
  return {
    // The caller is inside a transaction, so it has reached the database already.
    send: (...args) => queue.send(...args),
    take: (most) => reach(() => queue.take(most)),
    beat: (jobs) => reach(() => queue.beat(jobs)),
    done: (job) => reach(() => queue.done(job)),
    giveUp: (job) => reach(() => queue.giveUp(job)),
    close: () => queue.close(),
  };
}
