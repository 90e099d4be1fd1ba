// Reads and writes the runs of record, one JSON file each, and lists what got worse since.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRegression } from './samples.mjs';

/** @typedef {import('./samples.mjs').Row} Row */

/**
 * @typedef {object} Run
 * @property {string} date
 * @property {string} commit
 * @property {string} machine
 * @property {string} node
 * @property {readonly Row[]} rows
 */

const folder = fileURLToPath(new URL('./history', import.meta.url));

/** Figures of other machines cannot be compared, except for ratios. */
export function machine() {
  const [cpu] = cpus();
  return `${cpus().length} x ${cpu?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB; Linux ${release().split('-', 1)[0]}`;
}

/** @param {readonly Row[]} rows */
export function writeRun(rows) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim();
  const date = new Date().toISOString();
  /** @type {Run} */
  const run = { date, commit, machine: machine(), node: process.versions.node, rows };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${date.slice(0, 16).replace(':', '')}.json`), `${JSON.stringify(run, null, 2)}\n`);
}

/** The last run of record; `undefined` if there is none. @returns {Run | undefined} */
export function latestRun() {
  const last = existsSync(folder) ? readdirSync(folder).sort().at(-1) : undefined;
  return last === undefined ? undefined : JSON.parse(readFileSync(join(folder, last), 'utf8'));
}

/** A line for each row that is worse than the other build in this run, or than the run before. @param {readonly Row[]} rows @param {Run | undefined} before */
export function regressions(rows, before) {
  /** @param {number} change */
  const percent = (change) => `${((change - 1) * 100).toFixed(0)} %`;
  const lines = [];
  for (const { name, unit, value, spread, other } of rows) {
    if (other !== undefined && isRegression(other.change, spread, other.spread))
      lines.push(`${name}: ${percent(other.change)} above the other build (${unit})`);
    const known = before?.rows.find((row) => row.name === name && row.unit === unit);
    if (known === undefined || (!isRatio(unit) && before?.machine !== machine())) continue;
    if (isRegression(value / known.value, spread, known.spread))
      lines.push(
        `${name}: ${percent(value / known.value)} above ${before?.commit} of ${before?.date.slice(0, 10)} (${unit})`,
      );
  }
  return lines;
}

/** @param {string} unit */
function isRatio(unit) {
  return unit.startsWith('x ') || unit === '%' || unit === 'pages';
}
