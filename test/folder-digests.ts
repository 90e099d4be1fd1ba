/** Digests of every file below a folder, by path; empty if there is no folder. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDigest } from '../src/store/embedded/node-digest.ts';

export function folderDigests(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  if (!existsSync(folder)) return found;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (statSync(join(folder, name)).isFile()) found[name] = nodeDigest(readFileSync(join(folder, name)));
  return found;
}
