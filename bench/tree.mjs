// Trees of skills to measure with. The realistic one is drawn from the shapes of public repositories, the simple one has equal skills.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realisticSkill } from './realistic-skill.mjs';
import { simpleSkill } from './simple-tree.mjs';

/**
 * @typedef {object} TreeSkill
 * @property {string} folder below the root
 * @property {readonly { path: string, bytes: Buffer, executable?: boolean }[]} files the first is the SKILL.md
 */

/** @typedef {'realistic' | 'sound' | 'simple'} TreeKind `sound` is realistic without invalid, nested and copied skills */

/** The seed of the figures of record; another one must give nearly the same figures. */
const seed = Number(process.env.SKILLWIRE_BENCH_SEED ?? 1);

/** @param {TreeKind} kind @param {number} index @returns {TreeSkill} */
export function treeSkill(kind, index) {
  return kind === 'simple' ? simpleSkill(index) : realisticSkill(seed, index, { sound: kind === 'sound' });
}

/** The folder for generated trees; kept between runs, safe to delete. */
export const treesFolder = process.env.SKILLWIRE_BENCH_TREES ?? join(tmpdir(), 'skillwire-bench');

/** A digest of everything that a tree is made of, so that no outdated tree is measured. */
const version = createHash('sha256');
for (const name of ['shapes.json', 'draw.mjs', 'realistic-skill.mjs', 'simple-tree.mjs'])
  version.update(readFileSync(fileURLToPath(new URL(name, import.meta.url))));
const treeVersion = version.digest('hex').slice(0, 8);

/** @param {string} root @param {TreeKind} kind @param {number} index */
function writeSkill(root, kind, index) {
  const { folder, files } = treeSkill(kind, index);
  const made = new Set();
  for (const { path, bytes, executable } of files) {
    const place = join(root, folder, path);
    if (!made.has(dirname(place))) mkdirSync(dirname(place), { recursive: true });
    made.add(dirname(place));
    writeFileSync(place, bytes);
    if (executable === true) chmodSync(place, 0o755);
  }
}

/** The tree with this number of skills, written if it does not exist yet. @param {number} count @param {TreeKind} [kind] */
export function treeOf(count, kind = 'realistic') {
  const root = join(treesFolder, `${kind}-${treeVersion}-${seed}-${count}`);
  if (existsSync(root)) return root;
  const next = `${root}.next-${process.pid}`;
  for (let index = 0; index < count; index++) writeSkill(next, kind, index);
  renameSync(next, root);
  return root;
}

/** A separate tree that may be changed. @param {number} count @param {string} name @param {TreeKind} [kind] */
export function freshTree(count, name, kind = 'realistic') {
  const root = join(treesFolder, `${name}-${process.pid}`);
  rmSync(root, { recursive: true, force: true });
  for (let index = 0; index < count; index++) writeSkill(root, kind, index);
  return root;
}
