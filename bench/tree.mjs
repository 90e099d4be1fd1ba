// Trees of skills to measure with: N skills x 5 files x 4 KB, every fourth under a two-level prefix.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const fileBytes = 4096;
const line = 'Look at the figures of the quarter first, then write down what changed and why.\n';

/** Text that fills a file; `seed` makes its bytes differ from those of every other file. @param {string} seed */
function text(seed) {
  return `${seed}\n${line.repeat(Math.ceil(fileBytes / line.length))}`.slice(0, fileBytes);
}

/** @param {number} index */
function bytes(index) {
  const data = Buffer.alloc(fileBytes, 0xa7);
  data.writeUInt32LE(index);
  return data;
}

/** The path of a skill below the root. @param {number} index */
export function skillPath(index) {
  const name = `skill-${String(index).padStart(6, '0')}`;
  return index % 4 === 0 ? `team-${index % 16}/area-${index % 32}/${name}` : name;
}

/** The files of a skill below its folder; the last is binary. */
export const fileNames = [
  'SKILL.md',
  'references/guide.md',
  'references/terms.md',
  'scripts/run.sh',
  'assets/data.bin',
];

/** @param {string} root @param {number} index */
function writeSkill(root, index) {
  const path = skillPath(index);
  const folder = join(root, path);
  for (const name of ['references', 'scripts', 'assets']) mkdirSync(join(folder, name), { recursive: true });
  const name = path.slice(path.lastIndexOf('/') + 1);
  const frontmatter = `---\nname: ${name}\ndescription: Number ${index}. Use when the report of a quarter is asked for.\n---\n`;
  writeFileSync(join(folder, 'SKILL.md'), (frontmatter + text(`# Report ${index}`)).slice(0, fileBytes));
  writeFileSync(join(folder, 'references/guide.md'), text(`# Guide ${index}`));
  writeFileSync(join(folder, 'references/terms.md'), text(`# Terms ${index}`));
  writeFileSync(join(folder, 'scripts/run.sh'), text(`#!/bin/sh\n# ${index}`));
  writeFileSync(join(folder, 'assets/data.bin'), bytes(index));
}

/** The folder for generated trees; kept between runs, safe to delete. */
export const treesFolder = process.env.SKILLWIRE_BENCH_TREES ?? join(tmpdir(), 'skillwire-bench');

/** The tree with this number of skills, written if it does not exist yet. @param {number} count */
export function treeOf(count) {
  const root = join(treesFolder, `skills-${count}`);
  if (existsSync(root)) return root;
  const next = `${root}.next-${process.pid}`;
  for (let index = 0; index < count; index++) writeSkill(next, index);
  renameSync(next, root);
  return root;
}

/** A tree of its own that may be changed. @param {number} count @param {string} name */
export function freshTree(count, name) {
  const root = join(treesFolder, `${name}-${process.pid}`);
  rmSync(root, { recursive: true, force: true });
  for (let index = 0; index < count; index++) writeSkill(root, index);
  return root;
}
