// `skillwire add` of many skills from a folder, `skillwire install` where there is nothing to do, and `--version`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** @param {import('../run.mjs').Options} options */
export default async function add({ quick }) {
  const count = quick ? 40 : 200;
  const root = treeOf(count);
  /** @type {Record<'copy' | 'add' | 'install' | 'version' | 'node', number[]>} */
  const seen = { copy: [], add: [], install: [], version: [], node: [] };
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    const project = mkdtempSync(join(tmpdir(), 'skillwire-bench-add-'));
    mkdirSync(join(project, 'home'));
    writeFileSync(join(project, 'nothing.mjs'), '');
    seen.copy.push(cost([file('../servers/copy-skills.mjs'), root, join(project, 'copy')], project).cpu);
    const asked = cost([cli, 'add', root, '--no-scripts', '--json'], project, 5).stderr;
    const plan = /"planDigest": *"(sha256:[0-9a-f]{64})"/.exec(asked)?.[1] ?? '';
    seen.add.push(cost([cli, 'add', root, '--no-scripts', '--approve', plan], project).cpu);
    seen.install.push(cost([cli, 'install'], project).cpu);
    seen.version.push(cost([cli, '--version'], project).cpu);
    seen.node.push(cost(['nothing.mjs'], project).cpu);
    rmSync(project, { recursive: true, force: true });
  }
  const [copy, node] = [median(seen.copy), median(seen.node)];
  const floor = `Node ${node.toFixed(0)} ms`;
  return [
    {
      name: `add, ${count} skills with ${5 * count} files, from a folder`,
      value: (median(seen.add) - node) / (copy - node),
      unit: 'x copy and hash',
      bar: 3,
      floor: `copy ${(copy - node).toFixed(0)} ms`,
    },
    {
      name: `install, ${count} skills, nothing to do`,
      value: median(seen.install) - node,
      unit: 'ms over Node',
      bar: 80,
      floor,
    },
    { name: '--version', value: median(seen.version) - node, unit: 'ms over Node', bar: 80, floor },
  ];
}
