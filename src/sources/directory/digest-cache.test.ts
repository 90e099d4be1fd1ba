import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skill, write } from '../../../test/skill-folders.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { limits } from '../../limits.ts';
import { writeUnusualTree } from '../../testing/unusual-tree.ts';
import { cacheFolder } from './cache-folder.ts';
import { cachedFileName } from './cached-tree-format.ts';
import { readCachedTree } from './cached-tree-reader.ts';
import type { DirectoryReport } from './directory-report.ts';
import { directorySource } from './directory-source.ts';

let scratch: string;
let odd: string;
let small: string;

/** Stamps are trusted by another run only if they are older than the coarsest clock, so all trees are written first. */
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'skillwire-cache-'));
  odd = join(scratch, 'odd');
  await writeUnusualTree(odd);
  small = join(scratch, 'small');
  for (const name of ['small', 'edited', 'listed', 'other', 'raced'])
    await write(join(scratch, name), {
      a: { 'SKILL.md': skill('a'), references: { 'x.md': 'one', 'y.md': 'two' }, 'no-type': 'text' },
      team: { b: { 'SKILL.md': `${skill('b')}\u200b\n` } },
    });
  await new Promise((resolve) => setTimeout(resolve, 2_200));
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

async function read(root: string, cache: string | false): Promise<DirectoryReport> {
  const source = directorySource(root, { watch: false, cache });
  try {
    return await source.report();
  } finally {
    await source.close?.();
  }
}

let folders = 0;
const newCache = (): string => join(scratch, `cache-${folders++}`);

async function keptFile(root: string, cache: string): Promise<string> {
  const file = join(cache, cachedFileName(root));
  await stat(file);
  return file;
}

function digestOf({ skills }: DirectoryReport, path: string): string | undefined {
  return skills.flatMap(({ files }) => files).find((file) => file.path === path)?.digest;
}

describe('the digest cache', () => {
  test('a warm start tells exactly what a cold one does, of every odd skill', async () => {
    const cache = newCache();
    const without = await read(odd, false);
    expect(await read(odd, cache)).toEqual(without);
    const file = await keptFile(odd, cache);
    const { ino } = await stat(file);
    expect(await read(odd, cache)).toEqual(without);
    // Nothing was new to the warm start, so it wrote nothing.
    expect((await stat(file)).ino).toBe(ino);
  });

  test('holds the digests, media types and readings of files', async () => {
    const cache = newCache();
    const cold = await read(small, cache);
    const root = readCachedTree(await keptFile(small, cache), small);
    const a = root?.entries().find(({ name }) => name === 'a')?.folder;
    expect(a?.complete).toBe(true);
    const files = new Map(a?.entries().map((entry) => [entry.name, entry]));
    expect([...files.keys()]).toEqual(['SKILL.md', 'no-type', 'references']);
    expect(files.get('SKILL.md')?.facts).toMatchObject({ digest: digestOf(cold, 'SKILL.md'), young: false });
    expect(files.get('SKILL.md')?.facts?.reading).toMatchObject({ ok: true, frontmatter: { name: 'a' }, nameLine: 2 });
    expect(files.get('no-type')?.facts).toMatchObject({ mediaType: 'text/plain', reading: undefined });
  });

  test('is only for the user who owns it', async () => {
    const cache = newCache();
    await read(small, cache);
    if (process.platform !== 'win32') expect((await stat(await keptFile(small, cache))).mode & 0o077).toBe(0);
  });

  test('a file that is altered anywhere, or cut off, is not used and does no harm', async () => {
    const cache = newCache();
    const cold = await read(small, cache);
    const file = await keptFile(small, cache);
    const good = await readFile(file);
    expect(readCachedTree(file, small)).toBeDefined();
    const step = Math.max(1, Math.floor(good.length / 150));
    for (let at = 0; at < good.length; at += step) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ 0x41;
      await writeFile(file, bad);
      expect(readCachedTree(file, small), `byte ${at}`).toBeUndefined();
    }
    for (const length of [0, 1, 7, 40, good.length - 33, good.length - 1]) {
      await writeFile(file, good.subarray(0, length));
      expect(readCachedTree(file, small), `${length} bytes`).toBeUndefined();
    }
    expect(await read(small, cache)).toEqual(cold);
    // What could not be used was replaced.
    expect(await readFile(file)).toEqual(good);
  });

  test('what was kept of another root, or by another user, is not used', async () => {
    const cache = newCache();
    const other = join(scratch, 'other');
    await read(other, cache);
    const file = join(cache, cachedFileName(small));
    await copyFile(join(cache, cachedFileName(other)), file);
    expect(readCachedTree(file, small)).toBeUndefined();
    await rm(file);
    await mkdir(file);
    expect(readCachedTree(file, small)).toBeUndefined();
    expect(digestOf(await read(small, cache), 'SKILL.md')).toBeDefined();
  });

  test('a file of the same size is read again if its times differ, also if one of them was put back', async () => {
    const cache = newCache();
    const root = join(scratch, 'edited');
    const file = join(root, 'a/references/x.md');
    const before = await read(root, cache);
    const { atime, mtime } = await stat(file);
    await writeFile(file, 'ONE');
    await utimes(file, atime, mtime);
    const after = await read(root, cache);
    expect(digestOf(after, 'references/x.md')).not.toBe(digestOf(before, 'references/x.md'));
    expect(after).toEqual(await read(root, false));
    if (process.platform !== 'win32') {
      await chmod(file, 0o755);
      expect(await read(root, cache)).toEqual(await read(root, false));
    }
  });

  test('files and folders that came, went or were renamed are noticed', async () => {
    const cache = newCache();
    const root = join(scratch, 'listed');
    await read(root, cache);
    await writeFile(join(root, 'a/new.md'), 'new');
    await rm(join(root, 'a/references/x.md'));
    await rename(join(root, 'a/references/y.md'), join(root, 'a/references/z.md'));
    await write(join(root, 'team/c'), { 'SKILL.md': skill('c') });
    const now = await read(root, cache);
    expect(now).toEqual(await read(root, false));
    expect(now.skills.map(({ folder }) => folder).sort()).toEqual(
      ['a', 'team/b', 'team/c'].map((at) => join(root, at)),
    );
    // What is younger than the clock can tell is not kept.
    const later = newCache();
    await read(root, later);
    const c = readCachedTree(await keptFile(root, later), root)
      ?.entries()
      .find(({ name }) => name === 'team')
      ?.folder?.entries()
      .find(({ name }) => name === 'c')?.folder;
    expect(c?.complete).toBe(false);
    expect(c?.entries().map(({ facts }) => facts)).toEqual([undefined]);
  });

  test('several writers at once leave a whole file and nothing else', async () => {
    const cache = newCache();
    const root = join(scratch, 'raced');
    const cold = await read(root, false);
    expect(await Promise.all([1, 2, 3, 4].map(() => read(root, cache)))).toEqual([cold, cold, cold, cold]);
    expect(await readdir(cache)).toEqual([cachedFileName(root)]);
    expect(readCachedTree(await keptFile(root, cache), root)).toBeDefined();
  });

  test('may be deleted at any time', async () => {
    const cache = newCache();
    const cold = await read(small, cache);
    await rm(cache, { recursive: true });
    expect(await read(small, cache)).toEqual(cold);
    await keptFile(small, cache);
  });

  test('is not made where it is turned off', async () => {
    const cache = newCache();
    const source = directorySource(small, { watch: false, cache: false });
    await source.report();
    await source.close?.();
    await expect(stat(cache)).rejects.toThrow('ENOENT');
  });

  test('is written after the first listing, while the source is open', async () => {
    const cache = newCache();
    const source = directorySource(small, { watch: false, cache });
    await source.report();
    await expect(stat(cache)).rejects.toThrow('ENOENT');
    await expect.poll(() => readdir(cache).catch(() => []), { timeout: 10_000 }).toEqual([cachedFileName(small)]);
    await source.close?.();
  });

  test('that it cannot be written is told once, and everything is served', async () => {
    const cache = join(small, 'a', 'SKILL.md', 'cache');
    const catalog = createCatalog(directorySource(small, { cache }));
    const told: number[] = [];
    catalog.subscribe(({ snapshot }) => {
      told.push(snapshot.findings.filter(({ rule }) => rule === 'cache-unwritable').length);
    });
    expect((await catalog.snapshot()).skills).toHaveLength(2);
    await expect.poll(() => told, { timeout: 10_000 }).toEqual([1]);
    expect((await catalog.read('skill://a/references/x.md', {})).bytes.toString()).toBe('one');
    await catalog.close();
    expect(told).toEqual([1]);
  });

  test('the oldest files make room', async () => {
    const cache = newCache();
    await mkdir(cache);
    const stale = Array.from(
      { length: limits.digestCache.files + 5 },
      (_, index) => `${String(index).padStart(32, '0')}.tree`,
    );
    for (const [index, name] of stale.entries()) {
      await writeFile(join(cache, name), 'x');
      await utimes(join(cache, name), 1_000 + index, 1_000 + index);
    }
    await writeFile(join(cache, 'not-ours.txt'), 'x');
    await read(small, cache);
    const left = await readdir(cache);
    expect(left).toContain(cachedFileName(small));
    expect(left).toContain('not-ours.txt');
    expect(left.filter((name) => name.endsWith('.tree'))).toHaveLength(limits.digestCache.files);
    expect(left).not.toContain(stale[0]);
    expect(left).toContain(stale.at(-1));
  });
});

test.each([
  ['linux', { SKILLWIRE_HOME: '/s' }, '/s/cache/digests'],
  ['linux', { XDG_CACHE_HOME: '/x' }, '/x/skillwire/digests'],
  ['linux', { XDG_CACHE_HOME: 'relative' }, '/h/.cache/skillwire/digests'],
  ['darwin', {}, '/h/Library/Caches/skillwire/digests'],
  ['win32', {}, '/h/AppData/Local/skillwire/Cache/digests'],
  ['win32', { LOCALAPPDATA: '/l' }, '/l/skillwire/Cache/digests'],
])('cacheFolder() on %s with %o is %s', (platform, env, folder) => {
  expect(
    cacheFolder({ env, home: '/h', platform })
      .replaceAll('\\', '/')
      .replace(/^[A-Z]:/, ''),
  ).toBe(folder);
});
