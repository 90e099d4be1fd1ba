// The floor of a start: walks a folder, and reads and hashes every file. `node walk.mjs FOLDER`.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} folder */
function walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path);
    else createHash('sha256').update(readFileSync(path)).digest('hex');
  }
}

walk(process.argv[2] ?? '.');
process.stdout.write('done\n');
process.stdin.resume();
