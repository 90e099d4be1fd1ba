// The builds to measure: this checkout's, and another checkout's if --against names it.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** @typedef {{ name: 'ours' | 'other', dist: string }} Build */

const ownDist = fileURLToPath(new URL('../dist', import.meta.url));

/** The folder `dist` of a checkout, or the folder itself. @param {string} folder */
export function distOf(folder) {
  const found = [join(folder, 'dist'), folder].find((path) => existsSync(join(path, 'cli/main.js')));
  if (found === undefined) throw new Error(`there is no build in ${folder}; run "npm ci" there`);
  return resolve(found);
}

/** The command of a build. @param {Build} build */
export function commandOf({ dist }) {
  return join(dist, 'cli/main.js');
}

const against = process.env.SKILLWIRE_BENCH_AGAINST;

/** In the order in which they take their turns. @type {readonly Build[]} */
export const builds = [
  { name: 'ours', dist: ownDist },
  ...(against === undefined ? [] : [{ name: /** @type {const} */ ('other'), dist: against }]),
];

/** @param {Build} build @returns {Record<string, string>} for programs of servers/ that load modules of a build */
export function buildEnv({ dist }) {
  return { SKILLWIRE_BENCH_DIST: dist };
}

/** A module of the build that a program of servers/ was started for. @param {string} path */
export function buildModule(path) {
  return import(pathToFileURL(join(process.env.SKILLWIRE_BENCH_DIST ?? ownDist, path)).href);
}
