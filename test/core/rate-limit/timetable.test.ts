import { expect, test } from 'vitest';
import { leftOf } from '../../../src/core/rate-limit/timetable.ts';

const TIMETABLE = { start: 1_000, sentAt: [1_000, 2_000, 60_000], end: 61_000 };

test.each([
  ['before anything was sent', { sent: 0, since: 5_000, now: 5_000 }, 60_000],
  ['after two requests', { sent: 2, since: 9_000, now: 9_000 }, 59_000],
  ['while the third is waited for', { sent: 2, since: 9_000, now: 39_000 }, 29_000],
  ['when it leaves later than foreseen', { sent: 2, since: 9_000, now: 90_000 }, 1_000],
  ['when it leaves sooner', { sent: 3, since: 20_000, now: 20_000 }, 1_000],
  ['in the end', { sent: 3, since: 20_000, now: 30_000 }, 0],
  ['with more requests than foreseen', { sent: 5, since: 20_000, now: 20_000 }, 1_000],
])('%s', (_, position, left) => {
  expect(leftOf(TIMETABLE, position)).toBe(left);
});
