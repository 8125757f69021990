import { defineConfig } from 'vitest/config';

/** The tests that mutants have to get past: fast ones, in one worker, with the same chance each time. */
// oxlint-disable-next-line import/no-default-export -- vitest asks for it.
export default defineConfig({
  test: {
    include: [
      'test/core/plan/**/*.test.ts',
      'test/client/http/path.test.ts',
      'test/client/operations/batch.test.ts',
      'test/hostile/paths.test.ts',
    ],
    // Render tests run commands, which load their modules inside a test; Stryker would attribute all of that to the test.
    exclude: ['test/core/plan/large.test.ts', 'test/core/plan/render/**'],
    setupFiles: ['test/fixed-seed.ts'],
    isolate: false,
    testTimeout: 60_000,
  },
});
