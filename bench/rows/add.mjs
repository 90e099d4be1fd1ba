// `skillwire add` of many skills from a folder, `skillwire install` with nothing to do, and `--version`. The first install is not measured: it
// stores stamps that later ones use.
//
// Nothing is deleted before the end: ext4 skips recently deleted inodes, which makes a copy cost up to four times as much. `add` and the copy
// are both whole processes, as in the rows of starts and builds.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { builds, commandOf } from '../build.mjs';
import { addAll, cost, emptyLock } from '../command-cost.mjs';
import { median, rowOf } from '../samples.mjs';
import { treeOf, treeSkill } from '../tree.mjs';

/** @param {string} path */
const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Stamps are trusted at this age. */
const settlingMs = 2500;

/** @param {string} cli @param {string} project */
function installAgain(cli, project) {
  cost([cli, 'install'], project);
  return cost([cli, 'install'], project).cpu;
}

/** @param {import('../run.mjs').Options} options */
export default async function add({ quick }) {
  const count = quick ? 40 : 200;
  const root = treeOf(count, 'sound');
  const few = treeOf(20, 'sound');
  const files = Array.from({ length: count }, (_, index) => treeSkill('sound', index).files.length);
  /** @type {Record<'add' | 'install' | 'installFew' | 'version', import('../samples.mjs').Samples>} */
  const seen = { add: { ours: [] }, install: { ours: [] }, installFew: { ours: [] }, version: { ours: [] } };
  /** @type {Record<'copy' | 'node', number[]>} */
  const floors = { copy: [], node: [] };
  /** @type {string[]} */
  const projects = [];
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-add-'));
    projects.push(folder);
    mkdirSync(join(folder, 'home'));
    writeFileSync(join(folder, 'nothing.mjs'), '');
    floors.copy.push(cost([file('../servers/copy-skills.mjs'), root, join(folder, 'copy')], folder).cpu);
    floors.node.push(cost(['nothing.mjs'], folder).cpu);
    for (const build of builds) {
      const [project, small] = [join(folder, build.name), join(folder, `${build.name}-small`)];
      for (const path of [project, small]) {
        mkdirSync(join(path, 'home'), { recursive: true });
        writeFileSync(join(path, 'skillwire.lock'), emptyLock);
      }
      const cli = commandOf(build);
      const added = addAll(cli, root, project);
      addAll(cli, few, small);
      await setTimeout(settlingMs);
      const figures = {
        add: added,
        install: installAgain(cli, project),
        installFew: installAgain(cli, small),
        version: cost([cli, '--version'], project).cpu,
      };
      for (const name of /** @type {const} */ (['add', 'install', 'installFew', 'version']))
        seen[name][build.name] = [...(seen[name][build.name] ?? []), figures[name]];
    }
  }
  for (const project of projects) rmSync(project, { recursive: true, force: true });
  const [copy, node] = [median(floors.copy), median(floors.node)];
  const overNode = {
    unit: 'ms over Node',
    figure: (/** @type {number} */ ms, /** @type {number} */ round) => ms - (floors.node[round] ?? 0),
    floor: `Node ${node.toFixed(0)} ms`,
  };
  return [
    rowOf(seen.add, {
      name: `add, ${count} skills with ${files.reduce((sum, one) => sum + one, 0)} files, from a folder`,
      unit: 'x copy and hash',
      bar: 2.5,
      figure: (ms, round) => ms / (floors.copy[round] ?? 0),
      floor: `copy ${copy.toFixed(0)} ms; without Node's own start ${((median(seen.add.ours) - node) / (copy - node)).toFixed(2)} x`,
    }),
    rowOf(seen.install, { ...overNode, name: `install, ${count} skills, nothing to do`, bar: 60 }),
    rowOf(seen.installFew, { ...overNode, name: 'install, 20 skills, nothing to do', bar: 60 }),
    rowOf(seen.version, { ...overNode, name: '--version', bar: 80 }),
  ];
}
