// Builds dist/ from src/ with tsc, the page of web/ into dist/web with Vite, puts the modules of the command together with rolldown, and marks it executable. The
// output is put together beside the old one and swapped in at the end, so that a failed or interrupted build leaves the previous one usable.
// `--unchecked` leaves types to `npm run types`; `--if-changed` builds only where something is different from the last build.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { isBuilt, rememberBuild } from './build-record.mjs';
import { bundleCommand } from './bundle-command.mjs';
import { bundleRuntime } from './bundle-runtime.mjs';

const given = process.argv.slice(2);
const unknown = given.find((option) => !['--unchecked', '--if-changed'].includes(option));
if (unknown !== undefined) {
  console.error(`build: unknown option "${unknown}"; there are --unchecked and --if-changed`);
  process.exit(2);
}
if (given.includes('--if-changed') && isBuilt()) {
  console.log('dist/ is what the sources give');
  process.exit(0);
}
const { build } = await import('vite');

const require = createRequire(import.meta.url);
const next = `dist.next-${process.pid}`;
const check = given.includes('--unchecked') ? ['--noCheck'] : [];
const tsc = spawnSync(
  process.execPath,
  [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', next, ...check],
  {
    stdio: 'inherit',
  },
);
if (tsc.status !== 0) {
  rmSync(next, { recursive: true, force: true });
  process.exit(tsc.status ?? 1);
}
try {
  await build({ configFile: 'web/vite.config.ts', logLevel: 'warn', build: { outDir: resolve(next, 'web') } });
  await bundleRuntime(next);
  await bundleCommand(next);
} catch (error) {
  rmSync(next, { recursive: true, force: true });
  throw error;
}
chmodSync(`${next}/cli/main.js`, 0o755);
const old = `dist.old-${process.pid}`;
if (existsSync('dist')) renameSync('dist', old);
renameSync(next, 'dist');
rmSync(old, { recursive: true, force: true });
rememberBuild();
