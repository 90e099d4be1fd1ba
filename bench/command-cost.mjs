// The cost of commands that run to their end, and of approving and installing a folder with them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @param {string} path */
const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Milliseconds on the processor of a process from its start to its end.
 * @param {readonly string[]} args @param {string} cwd @param {number} [expected] @param {Record<string, string>} [more]
 */
export function cost(args, cwd, expected = 0, more = {}) {
  const env = { PATH: process.env.PATH ?? '', HOME: join(cwd, 'home'), SKILLWIRE_HOME: join(cwd, 'state'), ...more };
  const probe = ['--import', file('./servers/cpu-at-exit.mjs')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...probe, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== expected) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.slice(-2000)}`);
  return { cpu: Number(/cpu=([\d.]+)\s*$/.exec(stderr)?.[1]), stdout, stderr };
}

/** So that the folder is a project of its own. */
export const emptyLock = '{ "lockVersion": 2, "scope": "project", "skills": {} }\n';

/** Approves and installs everything of a folder; what the second of these costs. @param {string} cli @param {string} root @param {string} project */
export function addAll(cli, root, project) {
  const question = cost([cli, 'add', root, '--no-scripts', '--json'], project, 5).stderr;
  const plan = /"planDigest": *"(sha256:[0-9a-f]{64})"/.exec(question)?.[1] ?? '';
  return cost([cli, 'add', root, '--no-scripts', '--approve', plan], project).cpu;
}
