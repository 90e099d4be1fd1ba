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
let unusual: string;
let small: string;

/** Stamps are trusted by another run only if they are older than the coarsest clock, so all trees are written first. */
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'skillwire-cache-'));
  unusual = join(scratch, 'odd');
  await writeUnusualTree(unusual);
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

async function cacheFile(root: string, cache: string): Promise<string> {
  const file = join(cache, cachedFileName(root));
  await stat(file);
  return file;
}

function digestOf({ skills }: DirectoryReport, path: string): string | undefined {
  return skills.flatMap(({ files }) => files).find((file) => file.path === path)?.digest;
}

describe('the digest cache', () => {
  test('a warm start reports exactly the same as a cold one, for every unusual skill', async () => {
    const cache = newCache();
    const without = await read(unusual, false);
    expect(await read(unusual, cache)).toEqual(without);
    const file = await cacheFile(unusual, cache);
    const { ino } = await stat(file);
    expect(await read(unusual, cache)).toEqual(without);
    // Nothing was new to the warm start, so it wrote nothing.
    expect((await stat(file)).ino).toBe(ino);
  });

  test('stores the digests, media types and readings of files', async () => {
    const cache = newCache();
    const cold = await read(small, cache);
    const root = readCachedTree(await cacheFile(small, cache), small);
    const a = root?.entries().find(({ name }) => name === 'a')?.folder;
    expect(a?.complete).toBe(true);
    const files = new Map(a?.entries().map((entry) => [entry.name, entry]));
    expect([...files.keys()]).toEqual(['SKILL.md', 'no-type', 'references']);
    expect(files.get('SKILL.md')?.facts).toMatchObject({ digest: digestOf(cold, 'SKILL.md'), young: false });
    expect(files.get('SKILL.md')?.facts?.reading).toMatchObject({ ok: true, frontmatter: { name: 'a' }, nameLine: 2 });
    expect(files.get('no-type')?.facts).toMatchObject({ mediaType: 'text/plain', reading: undefined });
  });

  test('is readable only by its owner', async () => {
    const cache = newCache();
    await read(small, cache);
    if (process.platform !== 'win32') expect((await stat(await cacheFile(small, cache))).mode & 0o077).toBe(0);
  });

  test('a file that is altered anywhere, or truncated, is ignored', async () => {
    const cache = newCache();
    const cold = await read(small, cache);
    const file = await cacheFile(small, cache);
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
    // The unusable cache was replaced.
    expect(await readFile(file)).toEqual(good);
  });

  test('a cache of another root, or of another user, is not used', async () => {
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

  test('a file of the same size is read again if its times differ, even if one of them was restored', async () => {
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

  test('added, removed and renamed files and folders are noticed', async () => {
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
    // Files younger than the resolution of the clock are not cached.
    const later = newCache();
    await read(root, later);
    const c = readCachedTree(await cacheFile(root, later), root)
      ?.entries()
      .find(({ name }) => name === 'team')
      ?.folder?.entries()
      .find(({ name }) => name === 'c')?.folder;
    expect(c?.complete).toBe(false);
    expect(c?.entries().map(({ facts }) => facts)).toEqual([undefined]);
  });

  test('simultaneous writers leave one complete file', async () => {
    const cache = newCache();
    const root = join(scratch, 'raced');
    const cold = await read(root, false);
    expect(await Promise.all([1, 2, 3, 4].map(() => read(root, cache)))).toEqual([cold, cold, cold, cold]);
    expect(await readdir(cache)).toEqual([cachedFileName(root)]);
    expect(readCachedTree(await cacheFile(root, cache), root)).toBeDefined();
  });

  test('may be deleted at any time', async () => {
    const cache = newCache();
    const cold = await read(small, cache);
    await rm(cache, { recursive: true });
    expect(await read(small, cache)).toEqual(cold);
    await cacheFile(small, cache);
  });

  test('is not written if it is disabled', async () => {
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

  test('a failure to write it is reported once, and everything is served', async () => {
    const cache = join(small, 'a', 'SKILL.md', 'cache');
    const catalog = createCatalog(directorySource(small, { cache }));
    const reports: number[] = [];
    catalog.subscribe(({ snapshot }) => {
      reports.push(snapshot.findings.filter(({ rule }) => rule === 'cache-unwritable').length);
    });
    expect((await catalog.snapshot()).skills).toHaveLength(2);
    await expect.poll(() => reports, { timeout: 10_000 }).toEqual([1]);
    expect((await catalog.read('skill://a/references/x.md', {})).bytes.toString()).toBe('one');
    await catalog.close();
    expect(reports).toEqual([1]);
  });

  test('the oldest files are evicted', async () => {
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
