import { randomUUID } from 'node:crypto';
import type { Clock, Every } from '../../../core/model/clock.ts';
import { fail, succeed, type Result } from '../../../core/model/result.ts';
import { parseJsonText } from '../documents.ts';
import type { ProcessTable } from '../processes.ts';
import type { LockFault, StateLock } from '../store.ts';
import type { AccountRows, HeldLock } from './account-rows.ts';
import type { SealedPlace } from './cipher.ts';
import { describeFailure } from './database.ts';

export interface RowLockPorts {
  readonly clock: Clock;
  readonly processes: Pick<ProcessTable, 'pid' | 'host' | 'command'>;
  /** Milliseconds without a refresh after which the lock is free. The default is a minute. */
  readonly leaseMs?: number | undefined;
  /** Calls a function at an interval. Without it, only `lost` refreshes the lock. */
  readonly every?: Every | undefined;
  /** The clock for leases. The default is the database's, which is the same for all machines. */
  readonly moment?: (() => Date) | undefined;
}

const WAIT_MS = 10_000;
const POLL_MS = 250;
const SPARE_MS = 5_000;
/** Maximum number of attempts, because a process can be suspended again and again. */
const ATTEMPTS = 10;

const DEFAULT_LEASE_MS = 60_000;

/**
 * Returns the milliseconds for which a refresh is trusted. A write that begins within them ends within a third of the lease,
 * with 5 s to spare.
 */
function freshMs(leaseMs: number): number {
  return leaseMs - leaseMs / 3 - SPARE_MS;
}

/**
 * Acquires the lock, so that each account has one writer. Its row in `locks` is held until it is released, or until it was
 * not refreshed for a whole lease by the database's clock. Each holder has a higher epoch than the one before, and a write
 * under an old epoch is refused (`AccountRows.write`). A holder that was suspended for a lease learns from `lost` that
 * another process took over. A holder that could not read the account's memory has lost the lock too, because its guards had
 * nothing to compare with.
 */
export async function acquireRowLock(
  rows: AccountRows,
  ports: RowLockPorts,
): Promise<Result<StateLock, LockFault>> {
  const deadline = ports.clock.monotonic() + WAIT_MS;
  try {
    const account = await rows.findOrAdd();
    for (;;) {
      const lock = await tryRowLock(rows, account, ports);
      if (lock !== null) return succeed(lock);
      const holder = await readHolder(rows, account);
      if (holder !== null && ports.clock.monotonic() >= deadline)
        return fail({ kind: 'held', message: describeRowHolder(rows, holder) });
      await ports.clock.sleep(POLL_MS);
    }
  } catch (error) {
    return fail({ kind: 'unwritable', message: `${rows.place} cannot be locked: ${describeFailure(error)}` });
  }
}

/** Tries to take the lock. Returns null if another process holds it. */
async function tryRowLock(
  rows: AccountRows,
  account: string,
  ports: RowLockPorts,
): Promise<StateLock | null> {
  const acquisition = randomUUID();
  const { moment, leaseMs = DEFAULT_LEASE_MS } = ports;
  const { pid, host, command } = ports.processes;
  const holder = rows.cipher.seal(
    placeOfHolder(account, acquisition),
    JSON.stringify({ pid, host, command }),
  );
  const [taken] = await rows.query<{ readonly epoch: string }>(
    `INSERT INTO fwdsync.locks AS held (account, epoch, held, acquisition, holder, locked_at, refreshed_at, lease_ms)
     SELECT $1, 1, true, $2, $3, moment, moment, $5 FROM ${momentTable('$4')}
     ON CONFLICT (account) DO UPDATE SET epoch = held.epoch + 1, held = true, acquisition = excluded.acquisition,
       holder = excluded.holder, locked_at = excluded.locked_at, refreshed_at = excluded.refreshed_at,
       lease_ms = excluded.lease_ms
     WHERE NOT held.held OR held.refreshed_at <= excluded.refreshed_at - held.lease_ms * interval '1 millisecond'
     RETURNING epoch`,
    [account, acquisition, holder, moment?.() ?? null, Math.round(leaseMs)],
  );
  return taken === undefined ? null : heldRowLock(rows, ports, { account, epoch: taken.epoch, acquisition });
}

/** Returns SQL for the time in a parameter, or the database's time if that is null. */
function momentTable(parameter: string): string {
  return `(SELECT coalesce(${parameter}::timestamptz, clock_timestamp()) AS moment) AS time`;
}

interface HeldRow extends HeldLock {
  readonly account: string;
}

function heldRowLock(rows: AccountRows, ports: RowLockPorts, lock: HeldRow): StateLock {
  const { leaseMs = DEFAULT_LEASE_MS } = ports;
  const { account, epoch, acquisition } = lock;
  rows.lock = lock;
  let released = false;
  const refresh = async (): Promise<boolean> => {
    const refreshed = await rows.query(
      `UPDATE fwdsync.locks SET refreshed_at = moment FROM ${momentTable('$3')}
       WHERE account = $1 AND epoch = $2 AND acquisition = $4 AND held RETURNING 1`,
      [account, epoch, ports.moment?.() ?? null, acquisition],
    );
    return refreshed.length === 1;
  };
  // The next `lost` reports a failure.
  const stop = ports.every?.(leaseMs / 4, () => void refresh().catch(() => {}));
  return {
    async lost() {
      if (rows.readFault !== null) return { kind: 'lost', message: rows.readFault };
      try {
        for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
          const askedAt = ports.clock.monotonic();
          if (!(await refresh())) break;
          if (ports.clock.monotonic() - askedAt < freshMs(leaseMs)) return null;
        }
        const holder = await readHolder(rows, account);
        if (holder !== null) return { kind: 'held', message: describeRowHolder(rows, holder) };
        return { kind: 'lost', message: lostMessage(rows, 'another run took it and ended') };
      } catch (error) {
        return { kind: 'lost', message: lostMessage(rows, describeFailure(error)) };
      }
    },
    async release() {
      if (released) return;
      released = true;
      stop?.();
      if (rows.lock === lock) rows.lock = null;
      const free =
        'UPDATE fwdsync.locks SET held = false WHERE account = $1 AND epoch = $2 AND acquisition = $3';
      // A lock that cannot be released becomes free when the lease ends.
      await rows.query(free, [account, epoch, acquisition]).catch(() => {});
    },
  };
}

/** Returns the epoch of the last lock, or null if the database cannot be used. */
export async function countRowLocks(rows: AccountRows): Promise<number | null> {
  try {
    const text = 'SELECT epoch FROM fwdsync.locks WHERE account = $1';
    const [last] = await rows.query<{ readonly epoch: string }>(text, [await rows.find()]);
    return Number(last?.epoch ?? 0);
  } catch {
    return null;
  }
}

function lostMessage({ place }: AccountRows, why: string): string {
  return `the lock of ${place} is lost: ${why}`;
}

interface RowHolder {
  readonly name: string;
  readonly lockedAt: Date;
  readonly refreshedAt: Date;
}

/** Returns the holder of the lock, or null if there is none. */
async function readHolder({ query, cipher }: AccountRows, account: string): Promise<RowHolder | null> {
  const [row] = await query<{ acquisition: string; holder: Buffer; locked_at: Date; refreshed_at: Date }>(
    'SELECT acquisition, holder, locked_at, refreshed_at FROM fwdsync.locks WHERE account = $1 AND held',
    [account],
  );
  if (row === undefined) return null;
  const text = cipher.open(placeOfHolder(account, row.acquisition), row.holder);
  return { name: nameOf(text), lockedAt: row.locked_at, refreshedAt: row.refreshed_at };
}

function nameOf(text: string | null): string {
  const value = text === null ? null : (parseJsonText(text) as Readonly<Record<string, unknown>> | null);
  return value === null
    ? 'an unknown run'
    : `process ${String(value['pid'])} on ${String(value['host'])} (${String(value['command'])})`;
}

function describeRowHolder({ place }: AccountRows, { name, lockedAt, refreshedAt }: RowHolder): string {
  return (
    `${place} is locked by ${name} since ${lockedAt.toISOString()}, refreshed at ${refreshedAt.toISOString()}; ` +
    'wait until it ends, or stop it'
  );
}

function placeOfHolder(account: string, acquisition: string): SealedPlace {
  return { table: 'locks', account, row: acquisition, revision: '1' };
}
