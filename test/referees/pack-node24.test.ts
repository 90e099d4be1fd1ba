/** Another Node has another zlib; our archives are the same bytes on both. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { node24 } from './node24.ts';
import { writeSampleTree } from './sample-tree.ts';
import { scratchFolder } from './scratch-folder.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

test.each(['tar.gz', 'zip'])('skillwire pack writes the same %s under Node 24 as under this Node', async (format) => {
  const { path, env, remove } = await scratchFolder();
  onTestFinished(remove);
  await writeSampleTree(join(path, 'skills'));
  for (const skill of ['code-review', 'brand', 'release', 'acme/billing/refunds']) {
    const [ours, theirs] = [process.execPath, node24()].map((node, index) => {
      const out = join(path, `${index}.${format}`);
      execFileSync(node, [main, 'pack', join(path, 'skills', skill), '--out', out], { cwd: path, env });
      return createHash('sha256').update(readFileSync(out)).digest('hex');
    });
    expect(ours).toBe(theirs);
  }
});
