/** Blobs on a disk that decays, that others write to, and that is full (sec:C-13, sec:C-15). */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { type EmbeddedStore, openStore, openStoreOn, type StoreOptions } from './open-store.ts';
import type { Corruption } from './store-failure.ts';

let top: string;
let corrupt: Corruption[];

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-blobs-'));
  corrupt = [];
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

const options = (more: Partial<StoreOptions> = {}): StoreOptions => ({
  stateFolder: join(top, 'state'),
  cacheFolder: join(top, 'cache'),
  onCorrupt: (found) => corrupt.push(found),
  ...more,
});
const pathOf = (digest: string): string => join(top, 'cache/blobs/sha256', digest.slice(7, 9), digest.slice(9));

async function put({ blobs }: EmbeddedStore, text: string): Promise<string> {
  const bytes = Buffer.from(text);
  const digest = await sha256Digest(bytes);
  await blobs.put(digest, bytes);
  return digest;
}

async function digests({ blobs }: EmbeddedStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { digest } of blobs.list()) found.push(digest);
  return found;
}

describe('a blob', () => {
  test('is stored under its digest, read-only, with nothing beside it', async () => {
    const store = await openStore(options());
    const digest = await put(store, 'hello');
    expect(readFileSync(pathOf(digest), 'utf8')).toBe('hello');
    if (process.platform !== 'win32') expect(statSync(pathOf(digest)).mode & 0o222).toBe(0);
    expect(readdirSync(join(top, 'cache/blobs/tmp'))).toEqual([]);
  });

  test.each([
    ['cut short', (path: string) => truncateSync(path, 2)],
    ['longer', (path: string) => writeFileSync(path, 'hello!')],
    ['changed', (path: string) => writeFileSync(path, 'hellO')],
    ['empty', (path: string) => truncateSync(path, 0)],
    ['larger than any skill', (path: string) => truncateSync(path, limits.skill.bytes + 1)],
  ])('that is %s is removed, reported and counts as missing', async (_, damage) => {
    const store = await openStore(options());
    const digest = await put(store, 'hello');
    chmodSync(pathOf(digest), 0o600);
    damage(pathOf(digest));
    expect(await store.blobs.get(digest)).toBeUndefined();
    expect(corrupt).toEqual([{ file: pathOf(digest), reason: expect.stringContaining('digest') }]);
    expect(existsSync(pathOf(digest))).toBe(false);
    expect(await put(store, 'hello')).toBe(digest);
    expect(Buffer.from((await store.blobs.get(digest)) ?? []).toString()).toBe('hello');
  });

  test('of another size is replaced when it is put again', async () => {
    const store = await openStore(options());
    const digest = await put(store, 'hello');
    chmodSync(pathOf(digest), 0o600);
    truncateSync(pathOf(digest), 2);
    await put(store, 'hello');
    expect(readFileSync(pathOf(digest), 'utf8')).toBe('hello');
  });

  test('is not written again if it exists', async () => {
    const store = await openStore(options());
    const digest = await put(store, 'hello');
    const { ino } = statSync(pathOf(digest));
    await put(store, 'hello');
    expect(statSync(pathOf(digest)).ino).toBe(ino);
  });

  test.skipIf(process.platform === 'win32')('that is a link is removed and never followed', async () => {
    const store = await openStore(options());
    const digest = await put(store, 'hello');
    writeFileSync(join(top, 'elsewhere'), 'hello');
    rmSync(pathOf(digest));
    symlinkSync(join(top, 'elsewhere'), pathOf(digest));
    expect(await store.blobs.has(digest)).toBe(false);
    expect(await store.blobs.get(digest)).toBeUndefined();
    expect(corrupt).toEqual([{ file: pathOf(digest), reason: expect.stringContaining('symbolic link') }]);
    expect(readFileSync(join(top, 'elsewhere'), 'utf8')).toBe('hello');
    expect(existsSync(pathOf(digest))).toBe(false);
  });

  test('that is a folder counts as missing and is named in the error of a put', async () => {
    const store = await openStore(options());
    const digest = await sha256Digest(Buffer.from('hello'));
    mkdirSync(join(pathOf(digest), 'x'), { recursive: true });
    expect(await store.blobs.has(digest)).toBe(false);
    expect(await store.blobs.get(digest)).toBeUndefined();
    await expect(put(store, 'hello')).rejects.toMatchObject({ code: 'STATE_UNUSABLE', data: { path: pathOf(digest) } });
    expect(readdirSync(join(top, 'cache/blobs/tmp'))).toEqual([]);
  });

  test('that is read is marked as used, at most once per period', async () => {
    const store = await openStore(options());
    const digest = await put(store, 'hello');
    const old = new Date(Date.now() - 10 * limits.store.useStepMs);
    utimesSync(pathOf(digest), old, old);
    await store.blobs.get(digest);
    const used = statSync(pathOf(digest)).mtimeMs;
    expect(used).toBeGreaterThan(Date.now() - limits.store.useStepMs);
    await store.blobs.get(digest);
    expect(statSync(pathOf(digest)).mtimeMs).toBe(used);
  });
});

describe('the budget', () => {
  const age = (digest: string, steps: number): void => {
    const then = new Date(Date.now() - steps * limits.store.useStepMs);
    utimesSync(pathOf(digest), then, then);
  };

  test('evicts the least recently used blobs, and never those that the state names', async () => {
    const store = await openStore(options({ cacheBytes: 1000 }));
    const [oldest, old, recent] = [
      await put(store, 'a'.repeat(400)),
      await put(store, 'b'.repeat(400)),
      await put(store, 'c'.repeat(100)),
    ];
    age(oldest, 30);
    age(old, 20);
    age(recent, 10);
    await store.state.set(['approval', 'x'], { files: [{ digest: oldest }] });
    const newest = await put(store, 'd'.repeat(200));
    expect(new Set(await digests(store))).toEqual(new Set([oldest, recent, newest]));
  });

  test('applies to a process that puts only one blob', async () => {
    for (let round = 0; round < 6; round += 1) {
      const store = await openStore(options({ cacheBytes: 1000 }));
      age(await put(store, `${round}`.repeat(300)), 10 - round);
      await store.close();
    }
    expect((await digests(await openStore(options()))).length).toBe(3);
  });

  test('spares blobs that were just written', async () => {
    const store = await openStore(options({ cacheBytes: 100 }));
    for (const text of 'abc') await put(store, text.repeat(60));
    expect(await digests(store)).toHaveLength(3);
  });

  test('evicts nothing if the state is unreadable, and that is reported', async () => {
    const first = await openStore(options());
    await put(first, 'a'.repeat(400));
    await first.state.set(['waiting', 'a'], 1);
    const file = join(top, 'state/state.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"version":1', '"version":9'));
    const store = await openStore(options({ cacheBytes: 10 }));
    await put(store, 'b'.repeat(400));
    expect((await digests(store)).length).toBe(2);
    expect(corrupt).toEqual([expect.objectContaining({ reason: expect.stringContaining('newer version') })]);
  });

  test('a full disk is reported as an error and leaves no files behind', async () => {
    const full: FileSystem = {
      ...nodeFileSystem,
      open: async (path, purpose, mode) => {
        const file = await nodeFileSystem.open(path, purpose, mode);
        if (!path.includes('/tmp/')) return file;
        return {
          ...file,
          write: async (bytes, position) => {
            if (position > 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
            return file.write(bytes.subarray(0, 3), position);
          },
        };
      },
    };
    const store = await openStoreOn(full, { ...options(), cacheFolder: join(top, 'cache') });
    await expect(put(store, 'hello')).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('disk is full'),
      data: { errno: 'ENOSPC' },
    });
    expect(await digests(store)).toEqual([]);
    expect(readdirSync(join(top, 'cache/blobs/tmp'))).toEqual([]);
  });
});

describe('verifyBlobs()', () => {
  test('counts good blobs, removes damaged ones, names foreign ones and sweeps temporary files', async () => {
    const store = await openStore(options());
    const [good, bad] = [await put(store, 'good'), await put(store, 'bad')];
    chmodSync(pathOf(good), 0o644);
    chmodSync(pathOf(bad), 0o644);
    writeFileSync(pathOf(bad), 'BAD');
    const blobs = join(top, 'cache/blobs');
    const foreign = ['README', 'sha256/zz', `sha256/${good.slice(7, 9)}/note.txt`, 'tmp/folder'].map((name) =>
      join(blobs, name),
    );
    for (const path of foreign) {
      if (path.endsWith('folder')) mkdirSync(path);
      else writeFileSync(path, '');
    }
    for (const name of ['old', 'young']) writeFileSync(join(blobs, 'tmp', name), '');
    utimesSync(join(blobs, 'tmp/old'), 1, 1);
    const report = await store.verifyBlobs();
    expect(report).toEqual({ good: 1, goodBytes: 4, damaged: [bad], foreign: expect.any(Array), swept: 1 });
    expect(new Set(report.foreign)).toEqual(new Set(foreign));
    expect(readdirSync(join(blobs, 'tmp')).sort()).toEqual(['folder', 'young']);
    if (process.platform !== 'win32') expect(statSync(pathOf(good)).mode & 0o777).toBe(0o444);
    for (const path of foreign) expect(existsSync(path), path).toBe(true);
  });
});
