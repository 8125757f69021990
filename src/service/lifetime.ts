import type { Clock } from '../core/model/clock.ts';

/** Time that requests in flight have to finish after SIGTERM. */
const GRACE_MS = 20_000;

interface Lifetime {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly signal: AbortSignal;
}

/** Runs a service until it is stopped. A part that fails ends the others: the supervisor restarts the process. */
export async function runUntilStopped(
  { clock, signal }: Lifetime,
  serve: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const broken = new AbortController();
  const own = AbortSignal.any([signal, broken.signal]);
  try {
    await endedOrOverdue({ clock, signal: own }, serve(own));
  } finally {
    broken.abort();
  }
}

/** Waits until a service has ended, but not longer than the grace after it was asked to. */
async function endedOrOverdue({ clock, signal }: Lifetime, ended: Promise<void>): Promise<void> {
  const over = new AbortController();
  const overdue = new Promise<void>((resolve) => {
    const wait = (): void => void clock.sleep(GRACE_MS, over.signal).then(resolve);
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
  try {
    await Promise.race([ended, overdue]);
  } finally {
    over.abort();
  }
}
