import type { RunOrigin } from '../../src/core/model/history/entries.ts';

/** The person who runs a test's commands. */
export const TEST_ORIGIN: RunOrigin = {
  run: 'test',
  command: 'apply',
  host: 'test-host',
  user: 'tester',
  actor: null,
};
