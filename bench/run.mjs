// npm run bench [-- --quick] [--large] [--rows start,http,...]: measures Skillwire beside others. See README.md.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printTable, writePage } from './report.mjs';

/**
 * @typedef {object} Options
 * @property {boolean} quick few rounds and a small catalog: shows that the program works, and no more
 * @property {number} count skills of the large catalog
 */

/**
 * One figure with the bar it must not exceed.
 * @typedef {object} Row
 * @property {string} name
 * @property {number} value
 * @property {string} unit
 * @property {number} bar
 * @property {string} [peers] the same figure of others
 * @property {string} [floor] the figures behind the ratio
 */

const here = fileURLToPath(new URL('.', import.meta.url));
const project = fileURLToPath(new URL('..', import.meta.url));
const groups = readdirSync(`${here}rows`).map((name) => name.replace('.mjs', ''));
const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, large: { type: 'boolean' }, rows: { type: 'string' } },
});

/** @param {string} command @param {readonly string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

const asked = values.rows?.split(',') ?? groups.filter((name) => name !== 'large' || values.large === true);
const unknown = asked.filter((name) => !groups.includes(name));
if (unknown.length > 0) {
  console.error(`bench: there are no rows "${unknown.join(', ')}"; there are ${groups.join(', ')}`);
  process.exit(2);
}
if (process.platform !== 'linux') {
  console.error('bench: processor time and memory of processes are read from /proc, which only Linux has');
  process.exit(2);
}
if (!existsSync(`${here}node_modules`)) run('npm', ['ci', '--ignore-scripts'], here);
run(process.execPath, ['scripts/build.mjs'], project);

const quick = values.quick === true;
const options = { quick, count: quick ? 200 : 10_000 };
/** @type {Row[]} */
const rows = [];
for (const name of asked) {
  console.error(`bench: measuring ${name}`);
  const { default: measure } = await import(`./rows/${name}.mjs`);
  rows.push(...(await measure(options)));
}
printTable(rows);
if (!quick && values.rows === undefined) writePage(`${project}docs/explanation/benchmarks.md`, rows);
if (!quick && rows.some(({ value, bar }) => !(value <= bar))) process.exitCode = 1;
