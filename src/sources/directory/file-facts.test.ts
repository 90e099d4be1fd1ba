import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFileFacts, type FileFacts } from './file-facts.ts';

async function file(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skillwire-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'x.md');
  await writeFile(path, content);
  return path;
}

const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

describe.each([true, false])('on a local disk: %s', (local) => {
  test('facts of a file that did not change are the same object, without reading it again', async () => {
    const cache = createFileFacts(() => local);
    const path = await file('text');
    await rest();
    const facts = await cache.facts(path, false);
    expect(await cache.facts(path, false)).toBe(facts);
  });

  test('a file that was just written is read again, for its stamp proves nothing yet', async () => {
    const cache = createFileFacts(() => local);
    const path = await file('text');
    const { digest, young } = (await cache.facts(path, false)) as FileFacts;
    expect(young).toBe(true);
    expect(await cache.isCurrent(path, digest)).toBe(false);
    await rest();
    expect((await cache.facts(path, false)) as FileFacts).toMatchObject({ digest, young: false });
    expect(await cache.isCurrent(path, digest)).toBe(true);
  });

  test('a changed file has other facts, a missing one has none', async () => {
    const cache = createFileFacts(() => local);
    const path = await file('text');
    await rest();
    const before = (await cache.facts(path, false)) as FileFacts;
    await writeFile(path, 'TEXT');
    expect(await cache.isCurrent(path, before.digest)).toBe(false);
    expect(((await cache.facts(path, false)) as FileFacts).digest).not.toBe(before.digest);
    await rm(path);
    expect(await cache.facts(path, false)).toEqual({ fault: 'gone' });
  });
});
