import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests write tens of thousands of small files: in memory, where there is room for them.
const MEMORY = '/dev/shm';
if (existsSync(MEMORY) && hasRoom(MEMORY)) process.env['TMPDIR'] ??= MEMORY;

const isFull = process.env['PROVE'] === 'full';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Time and memory are measured by `npm run prove`.
    exclude: isFull ? [] : ['test/prove/measured/**'],
    globalSetup: ['test/support/serve-shared.ts'],
    // No test changes what it imports: what was loaded and compiled for one file serves the next.
    isolate: false,
    // Node loads the sources as it does for `npm start`, which takes less time than if Vite transforms them.
    experimental: { viteModuleRunner: false },
    // More than there are cores: tests wait for processes, and for time to pass.
    maxWorkers: availableParallelism() + 1,
    testTimeout: isFull ? 300_000 : 60_000,
    hookTimeout: 60_000,
    // Nearly as long as a test: on a busy machine everything takes its time.
    expect: { poll: { timeout: 50_000 } },
  },
});

/** At least 2 GiB: some tests install packages and start databases. */
function hasRoom(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize > 2 ** 31;
}
