import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These run whole applies; they join when the executor does.
    exclude: ['test/golden/**', 'test/examples/**'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
