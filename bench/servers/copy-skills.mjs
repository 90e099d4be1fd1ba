// The floor of `add`: reads every file of a folder, hashes it and writes it to another one. `node copy-skills.mjs FROM TO`.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} from @param {string} to */
function copy(from, to) {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const path = join(from, entry.name);
    if (entry.isDirectory()) copy(path, join(to, entry.name));
    else {
      const bytes = readFileSync(path);
      createHash('sha256').update(bytes).digest('hex');
      writeFileSync(join(to, entry.name), bytes);
    }
  }
}

copy(process.argv[2] ?? '.', process.argv[3] ?? 'copy');
