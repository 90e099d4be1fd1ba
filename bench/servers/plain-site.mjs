// The floor of `build`: reads and hashes every file, packs each folder that has a SKILL.md with the same packer, and writes a site. No
// catalog, no index, no cache. `node plain-site.mjs FOLDER SITE`.
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packArchive } from '../../dist/archive/pack.js';

const [, , root = '.', site = 'site'] = process.argv;
const [artifacts, singles] = [join(site, '.well-known/agent-skills'), join(site, '.well-known/skills')];

/** @typedef {import('../../src/archive/archive-file.ts').ArchiveFile} ArchiveFile */

/** @param {Uint8Array} bytes */
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** @param {string} folder @param {string} to @param {string} above @param {ArchiveFile[]} files what was found so far */
function copy(folder, to, above, files) {
  mkdirSync(to);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const [path, place] = [join(folder, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copy(path, place, `${above}${entry.name}/`, files);
    else {
      const bytes = readFileSync(path);
      digest(bytes);
      writeFileSync(place, bytes);
      files.push({ path: above + entry.name, bytes, executable: false });
    }
  }
}

/** @param {string} folder */
function find(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === 'SKILL.md')) {
    const name = basename(folder);
    /** @type {ArchiveFile[]} */
    const files = [];
    copy(folder, join(singles, name), '', files);
    const archive = packArchive(files, 'tar.gz');
    const place = join(artifacts, 'by-digest', `sha256-${digest(archive)}.tar.gz`);
    writeFileSync(place, archive);
    linkSync(place, join(artifacts, `${name}.tar.gz`));
    return;
  }
  for (const entry of entries) if (entry.isDirectory()) find(join(folder, entry.name));
}

for (const folder of [join(artifacts, 'by-digest'), singles]) mkdirSync(folder, { recursive: true });
find(root);
process.stdout.write('done\n');
process.stdin.resume();
