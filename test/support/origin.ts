import type { RunOrigin } from '../../src/core/model/history/entries.ts';

/** Who runs what a test runs. */
export const TEST_ORIGIN: RunOrigin = {
  run: 'test',
  command: 'apply',
  host: 'test-host',
  user: 'tester',
  actor: null,
};
