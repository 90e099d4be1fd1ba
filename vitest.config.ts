import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// What tests keep of the folders they serve stays out of the user's own cache.
process.env.XDG_CACHE_HOME = join(tmpdir(), 'skillwire-test-cache');

// A test waits for events, not for a time, so these only end what hangs. They are long because machines are shared.
const patience = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 45_000 } } };

export default defineConfig({
  test: {
    // One less than there are cores is the default; most tests wait for sockets and processes half of their time.
    maxWorkers: Math.max(2, availableParallelism()),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts'],
          ...patience,
          // Starting a process and loading the same modules for each file costs more than all tests together.
          isolate: false,
        },
      },
      {
        test: {
          name: 'contract',
          include: ['test/{contract,hostile}/**/*.test.ts'],
          ...patience,
          isolate: false,
        },
      },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...patience, isolate: false } },
      {
        test: {
          name: 'browser',
          include: ['test/browser/*.test.ts'],
          ...patience,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'referees',
          include: ['test/referees/*.test.ts'],
          ...patience,
          fileParallelism: false,
        },
      },
    ],
  },
});
