// Unpacks an archive repeatedly as an installer does: read, hash, check, write, sync. `node unpack-skill.mjs ARCHIVE FOLDER ROUNDS`;
// prints milliseconds of CPU per archive.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildModule } from '../build.mjs';

const { unpackArchive } = await buildModule('archive/unpack.js');
const { writeTree } = await buildModule('archive/write-tree.js');
const { sha256Digest } = await buildModule('skill/digest.js');
const [, , archive = '', folder = '', rounds] = process.argv;

/** @param {string} to */
async function unpack(to) {
  const bytes = await readFile(archive);
  await sha256Digest(bytes);
  await writeTree(await unpackArchive(bytes), to);
}

await unpack(join(folder, 'warm'));
let spent = 0;
for (let round = 0; round < Number(rounds); round++) {
  const to = join(folder, `ours-${round}`);
  const before = process.cpuUsage();
  await unpack(to);
  const { user, system } = process.cpuUsage(before);
  spent += user + system;
  await rm(to, { recursive: true });
}
console.log(spent / 1e3 / Number(rounds));
