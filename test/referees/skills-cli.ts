/**
 * Installs skills with the `skills` command line program, which most people use. It runs in an empty home with a loopback network
 * only, and with its telemetry off.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { installedFile } from './installed.ts';
import { node24 } from './node24.ts';
import { type Finished, runToEnd } from './process-group.ts';
import type { ScratchFolder } from './scratch-folder.ts';

const DEADLINE_MS = 90_000;

/** The folder into which it installs for the agent that the tests name. */
const INSTALLED = '.claude/skills';

/** Installs everything that an address publishes into the folder `project` below the scratch folder. */
export async function installAll(url: string, scratch: ScratchFolder, project: string): Promise<Finished> {
  const args = [installedFile('skills/bin/cli.mjs'), 'add', url, '--yes', '--agent', 'claude-code', '--copy'];
  return runToEnd(node24(), args, {
    env: { ...scratch.env, DO_NOT_TRACK: '1', DISABLE_TELEMETRY: '1', CI: '1' },
    cwd: project,
    deadlineMs: DEADLINE_MS,
  });
}

/** Bytes of every installed file, by skill and path. */
export async function installedFiles(project: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const root = join(project, INSTALLED);
  const files = new Map<string, Uint8Array>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    files.set(file.slice(root.length + 1).replaceAll(sep, '/'), await readFile(file));
  }
  return files;
}
