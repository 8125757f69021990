import type { Context } from '../../context.ts';

/** After SIGTERM what is in flight may finish, so long. */
const GRACE_MS = 20_000;

/** Waits until a service has ended, but not longer than that after it was asked to. */
export async function endedOrOverdue(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  ended: Promise<unknown>,
): Promise<void> {
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
