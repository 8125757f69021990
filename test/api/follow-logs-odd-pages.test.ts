import { expect, test } from 'vitest';
import { followTogether, inOrder } from './support/log-followers.ts';

// 10,000 messages in pages of every odd size, and with the other meaning of a cursor than in the test of the other sizes:
// each entry once, in order. A file of its own, to run beside that one.

const LOG = { logCursor: 'next' } as const;
const SIZES = [...Array.from({ length: 100 }, (_, index) => 2 * index + 1), 2, 200];

test.each([
  { what: 'every odd size up to 100', pageSizes: SIZES.slice(0, 50) },
  { what: 'every odd size from 101 to 200, and of 2 and 200', pageSizes: SIZES.slice(50) },
])('in pages of $what', { timeout: 240_000 }, async ({ pageSizes }) => {
  const followed = await followTogether({ pageSizes, ...LOG, over: 'this process' });
  expect(followed).toEqual(pageSizes.map(inOrder));
});
