// Writes the sections of docs/reference/dialects.md and docs/explanation/founding.md from what the tests see (after a build). The same tests fail
// where the pages differ, so there is nothing to check beside them.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const tests = [
  'test/contract/dialects-page.test.ts',
  'test/contract/dialect-servers-page.test.ts',
  'test/e2e/dialect-clients.test.ts',
  'test/e2e/founding.test.ts',
];
const { status } = spawnSync(
  process.execPath,
  [join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs'), 'run', '--no-file-parallelism', ...tests],
  { stdio: 'inherit', env: { ...process.env, SKILLWIRE_WRITE_PAGES: '1' } },
);
process.exit(status ?? 1);
