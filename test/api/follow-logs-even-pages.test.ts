import { expect, test } from 'vitest';
import { followTogether, inOrder } from './support/log-followers.ts';

// 10,000 messages in pages of every even size, and with the other meaning of a cursor than in the test of the other sizes:
// each entry once, in order. A file of its own, to run beside that one.

const LOG = { logCursor: 'last' } as const;
const SIZES = [...Array.from({ length: 100 }, (_, index) => 2 * index + 2), 1, 199];

test.each([
  { what: 'every even size up to 100', pageSizes: SIZES.slice(0, 50) },
  { what: 'every even size from 101 to 200, and of 1 and 199', pageSizes: SIZES.slice(50) },
])('in pages of $what', { timeout: 240_000 }, async ({ pageSizes }) => {
  const followed = await followTogether({ pageSizes, ...LOG, over: 'this process' });
  expect(followed).toEqual(pageSizes.map(inOrder));
});

test('in pages of 73 and 200 over HTTP', async () => {
  const pageSizes = [73, 200];
  expect(await followTogether({ pageSizes, ...LOG, over: 'http' })).toEqual(pageSizes.map(inOrder));
});
