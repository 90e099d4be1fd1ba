// The floor of `build`: reads and hashes every file, and makes the files and folders of a site, in which each file has two names. Where
// archives are, it writes as many bytes as those of the measured trees have; nothing is packed. `node plain-site.mjs FOLDER SITE`.
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [, , root = '.', site = 'site'] = process.argv;
const [v02, v01] = ['agent-skills', 'skills'].map((name) => join(site, '.well-known', name));
const archive = Buffer.alloc(448);

/** @param {string} folder @param {readonly string[]} to the same folder in both trees */
function copy(folder, to) {
  for (const place of to) mkdirSync(place);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const [first = '', second = ''] = to.map((place) => join(place, entry.name));
    if (entry.isDirectory()) copy(path, [first, second]);
    else {
      const bytes = readFileSync(path);
      createHash('sha256').update(bytes).digest('hex');
      writeFileSync(first, bytes);
      linkSync(first, second);
    }
  }
}

/** @param {string} folder */
function find(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some(({ name }) => name === 'SKILL.md')) {
    const name = basename(folder);
    copy(folder, [join(v02 ?? '', name), join(v01 ?? '', name)]);
    const digest = createHash('sha256').update(name).digest('hex');
    const place = join(v02 ?? '', 'by-digest', `${digest}.tar.gz`);
    writeFileSync(place, archive);
    linkSync(place, join(v02 ?? '', `${name}.tar.gz`));
    return;
  }
  for (const entry of entries) if (entry.isDirectory()) find(join(folder, entry.name));
}

for (const folder of [join(v02 ?? '', 'by-digest'), v01 ?? '']) mkdirSync(folder, { recursive: true });
find(root);
process.stdout.write('done\n');
process.stdin.resume();
