// `skillwire add` of many skills from a folder, `skillwire install` where there is nothing to do, and `--version`. An install remembers what it
// compared once that is old enough, so those that are measured come after one that was not.
//
// Nothing is deleted before the end: ext4 skips inodes that were deleted in the last minutes, which made a copy cost
// up to four times as much. `add` and the copy are both whole processes, as in the rows of starts and builds.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from '../process-cost.mjs';
import { treeOf } from '../tree.mjs';

/** @param {string} path */
const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const cli = file('../../dist/cli/main.js');

/**
 * Milliseconds on the processor of a process from its start to its end.
 * @param {readonly string[]} args @param {string} cwd @param {number} [expected]
 */
function cost(args, cwd, expected = 0) {
  const env = { PATH: process.env.PATH ?? '', HOME: join(cwd, 'home'), SKILLWIRE_HOME: join(cwd, 'state') };
  const probe = ['--import', file('../servers/cpu-at-exit.mjs')];
  const { status, stderr } = spawnSync(process.execPath, [...probe, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== expected) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.slice(-2000)}`);
  return { cpu: Number(/cpu=([\d.]+)\s*$/.exec(stderr)?.[1]), stderr };
}

/** So that the folder is a project of its own. */
const emptyLock = '{ "lockVersion": 2, "scope": "project", "skills": {} }\n';

/** Approves and installs everything of a folder; what the second of these costs. @param {string} root @param {string} project */
function addAll(root, project) {
  const asked = cost([cli, 'add', root, '--no-scripts', '--json'], project, 5).stderr;
  const plan = /"planDigest": *"(sha256:[0-9a-f]{64})"/.exec(asked)?.[1] ?? '';
  return cost([cli, 'add', root, '--no-scripts', '--approve', plan], project).cpu;
}

/** Longer than stamps have to be old to be trusted. */
const settlingMs = 2500;

/** @param {string} project */
function installAgain(project) {
  cost([cli, 'install'], project);
  return cost([cli, 'install'], project).cpu;
}

/** @param {import('../run.mjs').Options} options */
export default async function add({ quick }) {
  const count = quick ? 40 : 200;
  const root = treeOf(count);
  const few = treeOf(20);
  /** @type {Record<'copy' | 'add' | 'install' | 'installFew' | 'version' | 'node', number[]>} */
  const seen = { copy: [], add: [], install: [], installFew: [], version: [], node: [] };
  /** @type {string[]} */
  const projects = [];
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const project = mkdtempSync(join(tmpdir(), 'skillwire-bench-add-'));
    mkdirSync(join(project, 'home'));
    writeFileSync(join(project, 'nothing.mjs'), '');
    seen.copy.push(cost([file('../servers/copy-skills.mjs'), root, join(project, 'copy')], project).cpu);
    seen.add.push(addAll(root, project));
    const small = join(project, 'small');
    mkdirSync(join(small, 'home'), { recursive: true });
    writeFileSync(join(small, 'skillwire.lock'), emptyLock);
    addAll(few, small);
    await setTimeout(settlingMs);
    seen.install.push(installAgain(project));
    seen.installFew.push(installAgain(small));
    seen.version.push(cost([cli, '--version'], project).cpu);
    seen.node.push(cost(['nothing.mjs'], project).cpu);
    projects.push(project);
  }
  for (const project of projects) rmSync(project, { recursive: true, force: true });
  const [copy, node] = [median(seen.copy), median(seen.node)];
  const floor = `Node ${node.toFixed(0)} ms`;
  return [
    {
      name: `add, ${count} skills with ${5 * count} files, from a folder`,
      value: median(seen.add) / copy,
      unit: 'x copy and hash',
      bar: 3,
      floor: `copy ${copy.toFixed(0)} ms; without Node's own start ${((median(seen.add) - node) / (copy - node)).toFixed(2)} x`,
    },
    {
      name: `install, ${count} skills, nothing to do`,
      value: median(seen.install) - node,
      unit: 'ms over Node',
      bar: 80,
      floor,
    },
    {
      name: 'install, 20 skills, nothing to do',
      value: median(seen.installFew) - node,
      unit: 'ms over Node',
      bar: 80,
      floor,
    },
    { name: '--version', value: median(seen.version) - node, unit: 'ms over Node', bar: 80, floor },
  ];
}
