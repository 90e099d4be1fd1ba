// Writes results of tests into pages (after a build): sections of docs/reference/dialects.md and docs/explanation/founding.md, and the output of
// commands. The same tests fail if a page differs, so this script has no --check.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const tests = [
  'test/contract/dialects-page.test.ts',
  'test/contract/dialect-servers-page.test.ts',
  'test/e2e/dialect-clients.test.ts',
  'test/e2e/founding.test.ts',
  'test/e2e/documentation-commands.test.ts',
];
const { status } = spawnSync(
  process.execPath,
  [join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs'), 'run', '--no-file-parallelism', ...tests],
  { stdio: 'inherit', env: { ...process.env, SKILLWIRE_WRITE_PAGES: '1' } },
);
process.exit(status ?? 1);
