import { expect, test } from 'vitest';
import { createPacer } from '../../../src/client/http/pacing.ts';
import type { Reply } from '../../../src/client/http/dispatch.ts';
import { createRateLimiter, type RateLimitRule } from '../../../src/emulator/http/rate-limit.ts';
import { worldClock, type WorldClock } from '../../engine/support/world-clock.ts';
import { randomOf } from '../../simulation/support/world.ts';

/** A request to a service with one limit, 75 ms there and 75 ms back. */
function serviceOf(clock: WorldClock, window: RateLimitRule['window']): () => Promise<Reply> {
  const limiter = createRateLimiter([{ per: 'template', limit: 25, window, align: 'clock' }]);
  const request = { version: 'v4', method: 'GET', endpoint: '/account', path: '/account' } as const;
  return async () => {
    await clock.sleep(75);
    const { allowed, numbers } = limiter.admit({ ...request, caller: 'account' }, clock.now());
    const headers: Readonly<Record<string, string>> = {
      date: new Date(clock.now()).toUTCString(),
      'x-ratelimit-limit': String(numbers?.limit),
      'x-ratelimit-remaining': String(numbers?.remaining),
      'x-ratelimit-reset': String(numbers?.reset),
    };
    await clock.sleep(75);
    const status = allowed ? 200 : 429;
    return { kind: 'answer', status, header: (name) => headers[name] ?? null, text: '{}' };
  };
}

test.each(
  (['fixed', 'sliding'] as const).flatMap((window) => [1, 2, 3, 4, 5].map((seed) => [window, seed] as const)),
)('a %s window that is used unevenly: no request is refused (seed %i)', async (window, seed) => {
  const random = randomOf(seed);
  const clock = worldClock(Date.parse('2026-09-01T00:00:00Z') + Math.floor(random() * 60_000));
  const pacer = createPacer(clock, undefined);
  const send = serviceOf(clock, window);
  let bursts = 0;
  const run = async (): Promise<void> => {
    for (; bursts < 12; bursts += 1) {
      const count = 1 + Math.floor(random() * 20);
      const requests = Array.from({ length: count }, () =>
        pacer.run({ endpoint: 'GET /account', urgency: 'changed', send }),
      );
      await Promise.all(requests);
      await clock.sleep(random() * 25_000);
    }
  };
  void run();
  await clock.until(() => bursts === 12, 24 * 3_600_000);
  expect([bursts, pacer.totals().rateLimited]).toEqual([12, 0]);
});
