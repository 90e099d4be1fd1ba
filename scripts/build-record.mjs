// Checks whether dist/ is up to date: digests of all inputs and outputs of the last build. They are stored in node_modules, so a new
// installation deletes them.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const record = 'node_modules/.cache/skillwire-build.json';
const sources = [
  'src',
  'web',
  'scripts/build.mjs',
  'scripts/bundle-command.mjs',
  'scripts/bundle-runtime.mjs',
  'scripts/man-page.mjs',
  'scripts/build-record.mjs',
];
const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** @returns {string[]} the files below a path, sorted; the path itself if it is a file */
function filesOf(path) {
  try {
    return readdirSync(path, { withFileTypes: true })
      .flatMap((entry) => (entry.isDirectory() ? filesOf(join(path, entry.name)) : [join(path, entry.name)]))
      .sort();
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    throw error;
  }
}

function digestOf(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesOf)) {
    if (file.endsWith('.test.ts')) continue;
    const bytes = readFileSync(file);
    hash.update(`${file}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

const now = () => ({ inputs: digestOf([...sources, ...settings]), outputs: digestOf(['dist']) });

export function isBuilt() {
  try {
    return readFileSync(record, 'utf8') === JSON.stringify(now());
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

export function rememberBuild() {
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, JSON.stringify(now()));
}
