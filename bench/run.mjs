// npm run bench [-- --quick] [--large] [--rows start,http,...] [--against DIR] [--compare]: measures Skillwire beside others. See README.md.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { distOf } from './build.mjs';
import { latestRun, regressions, writeRun } from './history.mjs';
import { printTable, writePage } from './report.mjs';

/**
 * @typedef {object} Options
 * @property {boolean} quick few rounds and a small catalog, only to show that the program works
 * @property {number} count skills of the large catalog
 */

const here = fileURLToPath(new URL('.', import.meta.url));
const project = fileURLToPath(new URL('..', import.meta.url));
const groups = readdirSync(`${here}rows`).map((name) => name.replace('.mjs', ''));
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    large: { type: 'boolean' },
    rows: { type: 'string' },
    against: { type: 'string' },
    compare: { type: 'boolean' },
  },
});

/** @param {string} command @param {readonly string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

const wanted = values.rows?.split(',') ?? groups.filter((name) => name !== 'large' || values.large === true);
const unknown = wanted.filter((name) => !groups.includes(name));
if (unknown.length > 0) {
  console.error(`bench: there are no rows "${unknown.join(', ')}"; there are ${groups.join(', ')}`);
  process.exit(2);
}
if (process.platform !== 'linux') {
  console.error('bench: processor time and memory of processes are read from /proc, which only Linux has');
  process.exit(2);
}
const against = values.against === undefined ? undefined : distOf(values.against);
if (!existsSync(`${here}node_modules`)) run('npm', ['ci', '--ignore-scripts'], here);
run(process.execPath, ['scripts/build.mjs'], project);

const quick = values.quick === true;
const before = values.compare === true ? latestRun() : undefined;
const env = { ...process.env, ...(against === undefined ? {} : { SKILLWIRE_BENCH_AGAINST: against }) };
const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-run-'));
/** @type {import('./samples.mjs').Row[]} */
const rows = [];
for (const name of wanted) {
  console.error(`bench: measuring ${name}`);
  // Each group has its own process, so that no group runs in a client that another has warmed up or filled.
  const out = join(folder, `${name}.json`);
  const args = [`${here}measure.mjs`, name, out, ...(quick ? ['--quick'] : [])];
  const { status } = spawnSync(process.execPath, args, { cwd: project, env, stdio: ['ignore', 2, 2] });
  if (status === 0) rows.push(...JSON.parse(readFileSync(out, 'utf8')));
  else {
    console.error(`bench: the rows of ${name} could not be measured`);
    process.exitCode = 1;
  }
}
rmSync(folder, { recursive: true, force: true });
printTable(rows);
const worse = regressions(rows, before);
for (const line of worse) console.log(`REGRESSION ${line}`);
if (values.compare === true && before === undefined)
  console.error('bench: nothing to compare with: bench/history/ has no run of this kind');
if (worse.length > 0) process.exitCode = 1;
if (!quick) {
  if (values.rows === undefined && against === undefined) {
    writeRun(rows);
    writePage(`${project}docs/explanation/benchmarks.md`, rows);
  }
  if (rows.some(({ value, bar }) => !(value <= bar))) process.exitCode = 1;
}
