import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// What tests keep of the folders they serve stays out of the user's own cache.
process.env.XDG_CACHE_HOME = join(tmpdir(), 'skillwire-test-cache');

export default defineConfig({
  test: {
    // One less than there are cores is the default; most tests wait for sockets and processes half of their time.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'],
          testTimeout: 60_000,
          // Starting a process and loading the same modules for each file costs more than all tests together.
          isolate: false,
        },
      },
      {
        test: {
          name: 'contract',
          include: ['test/{contract,hostile}/**/*.test.ts'],
          testTimeout: 60_000,
          isolate: false,
        },
      },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 60_000, isolate: false } },
      {
        test: {
          name: 'browser',
          include: ['test/browser/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'referees',
          include: ['test/referees/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
