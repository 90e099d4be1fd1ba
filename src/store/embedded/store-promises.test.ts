/** Guarantees of a store on disk about folders, blobs, journals and its lock. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { codeOf } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { sha256Digest } from '../../skill/digest.ts';
import { pinnedDigests } from '../collect-garbage.ts';
import { blobFiles } from './blob-files.ts';
import { budgetedBlobs, sweepLeftovers, verifyBlobs } from './blob-upkeep.ts';
import { type FileSystem, nodeFileSystem as files, isAbsent, withWindowsPatience } from './file-system.ts';
import { openStore } from './open-store.ts';
import { checkFolder, makeFolder, refuseForbidden } from './private-folder.ts';
import { copyDamaged } from './replace-file.ts';
import type { Corruption } from './store-failure.ts';

const posix = process.platform !== 'win32';
let top: string;
let corrupt: Corruption[];
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-promises-')));
  corrupt = [];
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const onCorrupt = (found: Corruption): void => void corrupt.push(found);
const failure = (code: string) => Object.assign(new Error(code), { code });
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const mode = (path: string): number => statSync(path).mode & 0o777;
function write(path: string, text = ''): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe('folders', () => {
  test.skipIf(!posix)('are created only for their owner, with their parents', async () => {
    await makeFolder(files, join(top, 'a/b'));
    expect([mode(join(top, 'a')), mode(join(top, 'a/b'))]).toEqual([0o700, 0o700]);
  });

  test.skipIf(!posix).each([0o755, 0o710, 0o701, 0o770])('of the mode %o are made private', async (open) => {
    mkdirSync(join(top, 'a'));
    chmodSync(join(top, 'a'), open);
    expect(await checkFolder(files, join(top, 'a'))).toBe(true);
    expect(mode(join(top, 'a'))).toBe(0o700);
  });

  test("of another user are refused, also behind another user's link", async () => {
    mkdirSync(join(top, 'a'));
    symlinkSync('a', join(top, 'link'), 'dir');
    const of = (changed: 'lstat' | 'stat'): FileSystem => ({
      ...files,
      [changed]: async (path: string) => ({ ...(await files[changed](path)), uid: 123_456 }),
    });
    for (const [disk, path] of [
      [of('lstat'), 'a'],
      [of('lstat'), 'link'],
      [of('stat'), 'link'],
    ] as const)
      await expect(checkFolder(disk, join(top, path))).rejects.toMatchObject({
        code: 'STATE_UNUSABLE',
        message: expect.stringContaining('another user'),
        data: { path: join(top, path) },
      });
    expect(await checkFolder(files, join(top, 'link'))).toBe(true);
    expect(await checkFolder(files, join(top, 'none'))).toBe(false);
  });

  test('a file is not a folder', async () => {
    write(join(top, 'a'));
    await expect(makeFolder(files, join(top, 'a'))).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  });

  test('that another process creates meanwhile are accepted; other failures are not', async () => {
    const racing: FileSystem = {
      ...files,
      async mkdir(path, at) {
        mkdirSync(path);
        await files.mkdir(path, at);
      },
    };
    await makeFolder(racing, join(top, 'a'));
    const failing = { ...files, mkdir: async () => Promise.reject(failure('EACCES')) };
    await expect(makeFolder(failing, join(top, 'b'))).rejects.toMatchObject({ code: 'EACCES' });
    const strange = { ...files, mkdir: async () => Promise.reject(failure('EEXIST')) };
    await expect(makeFolder(strange, join(top, 'c'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  test.each([
    ['a', 'a', true],
    ['a/b', 'a', true],
    ['a', 'a/b', true],
    ['ab', 'a', false],
    ['a', 'ab', false],
    ['A', 'a', !posix || process.platform === 'darwin'],
    ['link/x', 'a', true],
    ['link/x', 'a/x/y', true],
    ['none/x', 'none/y', false],
    ['broken/x', 'broken', true],
  ])('state in %s beside skills in %s is refused: %s', async (state, skills, refused) => {
    mkdirSync(join(top, 'a'));
    symlinkSync('a', join(top, 'link'), 'dir');
    symlinkSync('nowhere', join(top, 'broken'), 'dir');
    const done = refuseForbidden(files, join(top, state), [join(top, 'other'), join(top, skills)]);
    if (refused) await expect(done).rejects.toMatchObject({ code: 'STATE_UNUSABLE', data: { path: join(top, state) } });
    else await done;
  });
});

describe('withWindowsPatience()', () => {
  test('removes the read-only mark of files only, for everybody', async () => {
    const marks: unknown[][] = [];
    const tries = new Map<string, number>();
    const patient = withWindowsPatience({
      ...files,
      chmod: async (path, to) => void marks.push([path, to]),
      async unlink(path) {
        const count = (tries.get(path) ?? 0) + 1;
        tries.set(path, count);
        if (count === 1) throw failure('EPERM');
      },
    });
    write(join(top, 'file'));
    mkdirSync(join(top, 'folder'));
    for (const name of ['file', 'folder', 'none']) await patient.unlink(join(top, name));
    expect(marks).toEqual([[join(top, 'file'), 0o666]]);
  });

  test.each([
    ['EPERM', undefined],
    ['EIO', 'EIO'],
  ])('if the mark cannot be removed: %s', async (code, thrown) => {
    let count = 0;
    const patient = withWindowsPatience({
      ...files,
      chmod: async () => Promise.reject(failure(code)),
      async rename() {
        count += 1;
        if (count === 1) throw failure('EBUSY');
      },
    });
    write(join(top, 'to'));
    const done = patient.rename(join(top, 'from'), join(top, 'to'));
    if (thrown === undefined) await done;
    else await expect(done).rejects.toMatchObject({ code: thrown });
  });
});

describe('files', () => {
  test('report their kind', async () => {
    write(join(top, 'a'), 'four');
    symlinkSync('a', join(top, 'link'));
    expect(await files.lstat(join(top, 'a'))).toMatchObject({ kind: 'file', size: 4 });
    expect(await files.lstat(top)).toMatchObject({ kind: 'folder' });
    expect(await files.lstat(join(top, 'link'))).toMatchObject({ kind: 'link' });
    expect(await files.stat(join(top, 'link'))).toMatchObject({ kind: 'file' });
    if (posix) expect(await files.lstat('/dev/null')).toMatchObject({ kind: 'other' });
    const before = await files.lstat(join(top, 'a'));
    writeFileSync(join(top, 'a'), 'five!');
    const after = await files.lstat(join(top, 'a'));
    expect(after.inode).toBe(before.inode);
    expect(after.stamp).not.toBe(before.stamp);
    await files.touch(join(top, 'a'), 1_000_000_000_000);
    expect((await files.lstat(join(top, 'a'))).mtimeMs).toBe(1_000_000_000_000);
  });

  test.skipIf(!posix)('are created only for their owner', async () => {
    await (await files.open(join(top, 'a'), 'creating')).close();
    expect(mode(join(top, 'a'))).toBe(0o600);
    await expect(files.open(join(top, 'a'), 'creating')).rejects.toMatchObject({ code: 'EEXIST' });
    symlinkSync('a', join(top, 'link'));
    for (const purpose of ['reading', 'changing'] as const)
      await expect(files.open(join(top, 'link'), purpose)).rejects.toMatchObject({ code: 'ELOOP' });
  });

  test('large ones are read and written like small ones', async () => {
    const large = new Uint8Array(64 * 1024 + 1).fill(7);
    const file = await files.open(join(top, 'a'), 'creating');
    expect(await file.write(large, 0)).toBe(large.length);
    await file.sync();
    await file.truncate(large.length - 1);
    expect((await file.stat()).size).toBe(large.length - 1);
    await file.close();
    const again = await files.open(join(top, 'a'), 'reading');
    const into = new Uint8Array(large.length);
    expect(await again.read(into, 0)).toBe(large.length - 1);
    expect(await again.read(into, large.length)).toBe(0);
    await again.close();
  });

  test('codes', () => {
    expect([failure('ENOENT'), failure('ENOTDIR'), failure('EIO'), 'ENOENT', undefined].map(isAbsent)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(
      [failure('X'), new Error('x'), { code: 'X' }, Object.assign(new Error('x'), { code: 7 })].map(codeOf),
    ).toEqual(['X', undefined, undefined, undefined]);
  });
});

describe('copies of damaged files', () => {
  test('are kept up to a limit, newest first, and other files stay', async () => {
    const path = join(top, 'state.jsonl');
    write(path, 'damaged');
    const old = Array.from(
      { length: limits.store.corruptCopies + 1 },
      (_, at) => `state.jsonl.corrupt-2020010${at}T000000.000Z`,
    );
    for (const name of [...old, 'state.jsonl.corrupt-mine', 'other.corrupt-20200101T000000.000Z'])
      write(join(top, name));
    const copy = await copyDamaged(files, path);
    expect(readFileSync(copy, 'utf8')).toBe('damaged');
    const remaining = readdirSync(top)
      .filter((name) => /^state.jsonl.corrupt-\d/.test(name))
      .sort();
    expect(remaining).toHaveLength(limits.store.corruptCopies);
    expect(remaining.at(-1)).toBe(copy.slice(top.length + 1));
    expect([existsSync(join(top, 'state.jsonl.corrupt-mine')), existsSync(path)]).toEqual([true, true]);
  });
});

describe('blobs', () => {
  const store = (disk: FileSystem = files) => blobFiles({ files: disk, cacheFolder: top, onCorrupt });
  const placed = (digest: string): string => join(top, 'blobs/sha256', digest.slice(7, 9), digest.slice(9));
  const text = bytes('text');

  test('are stored once, read-only, and found again', async () => {
    const digest = await sha256Digest(text);
    const blobs = store();
    expect([await blobs.has(digest), await blobs.get(digest)]).toEqual([false, undefined]);
    await blobs.put(digest, text);
    if (posix) expect(mode(placed(digest))).toBe(0o444);
    const before = statSync(placed(digest)).ino;
    await blobs.put(digest, text);
    expect(statSync(placed(digest)).ino).toBe(before);
    expect([await blobs.has(digest), Buffer.from((await blobs.get(digest)) ?? []).toString()]).toEqual([true, 'text']);
    expect([await blobs.delete(digest), await blobs.delete(digest)]).toEqual([true, false]);
    expect(readdirSync(join(top, 'blobs/tmp'))).toEqual([]);
  });

  test.each([0, 1, -1])('the last use is stored in steps (%d)', async (direction) => {
    const digest = await sha256Digest(text);
    await store().put(digest, text);
    const past = Date.now() + direction * 2 * limits.store.useStepMs;
    utimesSync(placed(digest), past / 1000, past / 1000);
    await store().get(digest);
    const moved = Math.abs(statSync(placed(digest)).mtimeMs - past) > limits.store.useStepMs / 2;
    expect(moved).toBe(direction !== 0);
  });

  test.each([
    ...['EROFS', 'EPERM', 'EACCES', 'ENOENT', 'ENOSYS'].map((code) => [code, true] as const),
    ['EIO', false] as const,
  ])('a use that cannot be stored (%s) does not stop reading: %s', async (code, reads) => {
    const digest = await sha256Digest(text);
    await store().put(digest, text);
    utimesSync(placed(digest), 1, 1);
    const failing = store({ ...files, touch: async () => Promise.reject(failure(code)) });
    if (reads) expect(await failing.get(digest)).toHaveLength(4);
    else await expect(failing.get(digest)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  });

  test('a damaged one is removed and reported, and a folder stays', async () => {
    const digest = await sha256Digest(text);
    write(placed(digest), 'other');
    expect(await store().get(digest)).toBeUndefined();
    expect(existsSync(placed(digest))).toBe(false);
    expect(corrupt).toMatchObject([{ file: placed(digest) }]);
    mkdirSync(placed(digest));
    expect(await store().get(digest)).toBeUndefined();
    expect(await store().has(digest)).toBe(false);
    expect(existsSync(placed(digest))).toBe(true);
  });

  test('upkeep counts good, foreign and temporary files', async () => {
    const [one, two] = [bytes('one'), bytes('three')];
    for (const some of [one, two]) await store().put(await sha256Digest(some), some);
    const damaged = await sha256Digest(text);
    write(placed(damaged), 'x');
    const good = await sha256Digest(one);
    if (posix) chmodSync(placed(good), 0o644);
    const foreign = ['blobs/mine', 'blobs/sha256/zz', 'blobs/sha256/aa/short', `blobs/sha256/a${'a'.repeat(62)}`];
    for (const path of foreign) write(join(top, path));
    mkdirSync(join(top, 'blobs/tmp/folder'));
    const [old, young] = [join(top, 'blobs/tmp/old'), join(top, 'blobs/tmp/young')];
    for (const path of [old, young]) write(path);
    const longAgo = (Date.now() - limits.store.leftoverMs - 60_000) / 1000;
    utimesSync(old, longAgo, longAgo);
    const report = await verifyBlobs(files, top, store());
    expect({ ...report, foreign: [...report.foreign].sort() }).toEqual({
      good: 2,
      goodBytes: 8,
      damaged: [damaged],
      foreign: [...foreign, 'blobs/tmp/folder'].map((path) => join(top, path)).sort(),
      swept: 1,
    });
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
    if (posix) expect(mode(placed(good))).toBe(0o444);
    expect(await sweepLeftovers(files, top)).toBe(0);
    expect(await sweepLeftovers(files, join(top, 'nothing'))).toBe(0);
  });

  test('stay within a budget: the least recently used are removed first, pinned ones never', async () => {
    const memory = await openStore({ stateFolder: join(top, 's'), cacheFolder: join(top, 'c') });
    onTestFinished(() => memory.close());
    const names = ['a', 'b', 'c'].map((name) => bytes(name.repeat(10)));
    const digests = await Promise.all(names.map((some) => sha256Digest(some)));
    const inner = store();
    let sweeps = 0;
    const failures: unknown[] = [];
    const blobs = budgetedBlobs(inner, {
      budgetBytes: 20,
      pinned: () => pinnedDigests(memory.state),
      sweep: async () => {
        sweeps += 1;
      },
      onFailure: (error) => failures.push(error),
    });
    await memory.state.set(['listing', 'x'], { digest: digests[0] ?? '' });
    for (const [index, digest] of digests.entries()) {
      await blobs.put(digest, names[index] ?? bytes(''));
      utimesSync(placed(digest), 1000 + index, 1000 + index);
    }
    expect(await Promise.all(digests.map((digest) => inner.has(digest)))).toEqual([true, false, true]);
    expect([sweeps, failures]).toEqual([3, []]);
  });

  test('a cache never evicts what a store elsewhere names', async () => {
    const cache = await openStore({ stateFolder: join(top, 's'), cacheFolder: join(top, 'c'), cacheBytes: 20 });
    onTestFinished(() => cache.close());
    const names = ['a', 'b', 'c', 'd'].map((name) => bytes(name.repeat(10)));
    const digests = await Promise.all(names.map((some) => sha256Digest(some)));
    cache.spare(async () => new Set(digests.slice(0, 2)));
    for (const [index, digest] of digests.entries()) {
      await cache.blobs.put(digest, names[index] ?? bytes(''));
      utimesSync(join(top, 'c', 'blobs', 'sha256', digest.slice(7, 9), digest.slice(9)), 1000 + index, 1000 + index);
    }
    expect(await Promise.all(digests.map((digest) => cache.blobs.has(digest)))).toEqual([true, true, false, true]);
  });
});
