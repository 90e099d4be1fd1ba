/** The client as a page loads it: one minified file. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

test('the minified and compressed client is smaller than 15 kB, and needs nothing of Node', async () => {
  const outside: string[] = [];
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'index.ts'),
    platform: 'browser',
    external: (id) => {
      if (/^[./]/.test(id)) return false;
      outside.push(id);
      return true;
    },
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  expect(outside).toEqual([]);
  expect(output).toHaveLength(1);
  const bytes = gzipSync(output[0].code).length;
  process.stdout.write(`skillwire/runtime: ${bytes} bytes minified and compressed\n`);
  expect(bytes).toBeLessThan(15_000);
  expect(bytes).toBeGreaterThan(1_000);
});
