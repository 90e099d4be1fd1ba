import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFileReader, type FileFacts, type KnownFile } from './file-facts.ts';

async function file(content: string, local: boolean): Promise<KnownFile> {
  const folder = await mkdtemp(join(tmpdir(), 'skillwire-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'x.md');
  await writeFile(path, content);
  return { real: path, local, direct: true, facts: undefined };
}

const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

describe.each([true, false])('on a local disk: %s', (local) => {
  test('facts of a file that did not change are the same object, without reading it again', async () => {
    const reader = createFileReader();
    const known = await file('text', local);
    await rest();
    const facts = await reader.facts(known, false);
    expect(await reader.facts(known, false)).toBe(facts);
  });

  test('a file that was just written is read again, for its stamp proves nothing yet', async () => {
    const reader = createFileReader();
    const known = await file('text', local);
    const { digest, young } = (await reader.facts(known, false)) as FileFacts;
    expect(young).toBe(true);
    expect(await reader.isCurrent(known, digest)).toBe(false);
    await rest();
    expect((await reader.facts(known, false)) as FileFacts).toMatchObject({ digest, young: false });
    expect(await reader.isCurrent(known, digest)).toBe(true);
  });

  test('a changed file has other facts, a missing one has none', async () => {
    const reader = createFileReader();
    const known = await file('text', local);
    await rest();
    const before = (await reader.facts(known, false)) as FileFacts;
    await writeFile(known.real, 'TEXT');
    expect(await reader.isCurrent(known, before.digest)).toBe(false);
    expect(((await reader.facts(known, false)) as FileFacts).digest).not.toBe(before.digest);
    await rm(known.real);
    expect(await reader.facts(known, false)).toEqual({ fault: 'gone' });
  });
});
