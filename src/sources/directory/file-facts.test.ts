import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { limits } from '../../limits.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { createFileReader, type KnownFile, type StampedFile } from './file-facts.ts';

async function file(content: string, local: boolean): Promise<KnownFile> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'skillwire-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'x.md');
  await writeFile(path, content);
  return { real: path, local, direct: true, facts: undefined };
}

const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

/** After this time a stamp shows every change. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2_100));

const digestOf = (text: string): Promise<string> => sha256Digest(new TextEncoder().encode(text));

describe.each([true, false])('on a local disk: %s', (local) => {
  test('facts of an unchanged file are the same object, without a new read', async () => {
    const reader = createFileReader();
    const known = await file('text', local);
    await rest();
    const facts = await reader.facts(known, false);
    expect(await reader.facts(known, false)).toBe(facts);
  });

  test('a file that was just written is read again, because its stamp proves nothing yet', async () => {
    const reader = createFileReader();
    const known = await file('text', local);
    const { digest, young } = (await reader.facts(known, false)) as StampedFile;
    expect(young).toBe(true);
    expect(await reader.isCurrent(known, digest)).toBe(false);
    await rest();
    expect((await reader.facts(known, false)) as StampedFile).toMatchObject({ digest, young: false });
    expect(await reader.isCurrent(known, digest)).toBe(true);
  });

  test('a changed file has new facts, a missing one has none', async () => {
    const reader = createFileReader();
    const known = await file('text', local);
    await rest();
    const before = (await reader.facts(known, false)) as StampedFile;
    await writeFile(known.real, 'TEXT');
    expect(await reader.isCurrent(known, before.digest)).toBe(false);
    expect(((await reader.facts(known, false)) as StampedFile).digest).not.toBe(before.digest);
    await rm(known.real);
    expect(await reader.facts(known, false)).toEqual({ fault: 'gone' });
  });

  test('all bytes of an untouched file are read, whatever was cached', async () => {
    const { scratchBytes } = limits.scan;
    const sizes = [0, 1, scratchBytes - 1, scratchBytes, scratchBytes + 1];
    const files = await Promise.all(sizes.map((size) => file('x'.repeat(size), local)));
    await settle();
    const reader = createFileReader();
    for (const [index, size] of sizes.entries()) {
      const known = files[index] as KnownFile;
      const facts = (await reader.facts(known, false)) as StampedFile;
      expect(facts).toMatchObject({ size, young: false, settled: true, digest: await digestOf('x'.repeat(size)) });
      for (const text of ['y'.repeat(size), 'y'.repeat(size + 1), 'z']) {
        const read = (await reader.read(known, false)) as { bytes: Buffer };
        expect(read.bytes).toHaveLength(known.facts?.size ?? -1);
        await writeFile(known.real, text);
        const now = (await reader.read(known, false)) as { bytes: Buffer; facts: StampedFile };
        expect(now.bytes.equals(Buffer.from(text))).toBe(true);
        expect(now.facts.digest).toBe(await digestOf(text));
      }
    }
  });

  test('a folder in place of a file has no facts', async () => {
    const reader = createFileReader();
    const known = await file('text', local);
    await rest();
    await reader.facts(known, false);
    await rm(known.real);
    await mkdir(known.real);
    expect(await reader.facts(known, false)).toEqual({ fault: 'not-regular' });
    expect(await reader.read(known, false)).toEqual({ fault: 'not-regular' });
  });

  // Windows wants a privilege for links.
  test.skipIf(process.platform === 'win32').each([
    ['just written', rest],
    ['untouched for a while', settle],
  ])('a file below a folder that was replaced by a link is refused, %s', async (_age, wait) => {
    const [known, outside] = await Promise.all([file('text', local), file('secret', local)]);
    await wait();
    const folder = dirname(known.real);
    await rename(folder, `${folder}.aside`);
    onTestFinished(() => rm(`${folder}.aside`, { recursive: true, force: true }));
    await symlink(dirname(outside.real), folder);
    const reader = createFileReader();
    expect(await reader.facts(known, false)).toEqual({ fault: 'not-regular' });
    expect(await reader.read(known, false)).toEqual({ fault: 'not-regular' });
  });
});
