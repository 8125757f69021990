import { expect, test } from 'vitest';
import { PROVE_SEED, runs } from '../support/share.ts';
import { followTogether, inOrder } from './support/log-followers.ts';

// 10,000 messages, with every page size of the service and both meanings of a cursor. Each entry arrives once, in order.

const ALL = Array.from({ length: 200 }, (_, index) => index + 1);
/** The largest page size and two others. */
const SHARE = ALL.filter((size) => size % 80 === (39 + PROVE_SEED) % 80 || size === 200);

test.each([
  { logCursor: 'next', what: 'that names the next entry' },
  { logCursor: 'last', what: 'that names the last entry' },
] as const)('with a cursor $what', { timeout: 240_000 }, async ({ logCursor }) => {
  const pageSizes = runs(ALL, SHARE);
  const followed = await followTogether({ pageSizes, logCursor, over: 'this process' });
  expect(followed).toEqual(pageSizes.map(inOrder));
});

test('over HTTP', async () => {
  const pageSizes = [73, 200];
  expect(await followTogether({ pageSizes, logCursor: 'last', over: 'http' })).toEqual(
    pageSizes.map(inOrder),
  );
});
