// Builds dist/ from src/ with tsc and the page of web/ into dist/web with Vite. Bundles the command with rolldown, makes it executable, and
// writes the man page from its help. The output replaces the old one at the end, so a failed or interrupted build leaves the old one usable.
// `--unchecked` does not check types; `--if-changed` builds only if something changed since the last build.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { isBuilt, rememberBuild } from './build-record.mjs';
import { bundleCommand } from './bundle-command.mjs';
import { bundleRuntime } from './bundle-runtime.mjs';
import { manPage } from './man-page.mjs';

const args = process.argv.slice(2);
const unknown = args.find((option) => !['--unchecked', '--if-changed'].includes(option));
if (unknown !== undefined) {
  console.error(`build: unknown option "${unknown}"; there are --unchecked and --if-changed`);
  process.exit(2);
}
if (args.includes('--if-changed') && isBuilt()) {
  console.log('dist/ is what the sources give');
  process.exit(0);
}
const { build } = await import('vite');

const require = createRequire(import.meta.url);
const next = `dist.next-${process.pid}`;
const check = args.includes('--unchecked') ? ['--noCheck'] : [];
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
  writeManPage(next);
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

/** @param {string} folder of the finished command */
function writeManPage(folder) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${folder}/cli/main.js`, '--help', '--json'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the command cannot print its help: ${stderr}`);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  mkdirSync(`${folder}/man`);
  writeFileSync(`${folder}/man/skillwire.1`, manPage(JSON.parse(stdout), version));
}
