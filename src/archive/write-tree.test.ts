import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/requirements/verifies.ts';
import { temporary } from '../../test/skill-folders.ts';
import { SkillwireError } from '../errors.ts';
import type { ArchiveFile } from './archive-file.ts';
import { nodeTreeDisk, type TreeDisk, writeTree } from './write-tree.ts';

const file = (path: string, content: string, executable = false): ArchiveFile => ({
  path,
  bytes: Buffer.from(content),
  executable,
});

const files: readonly ArchiveFile[] = [
  file('SKILL.md', 'text'),
  file('scripts/run.sh', '#!/bin/sh\n', true),
  file('scripts/deep/er/x.txt', ''),
  ...Array.from({ length: 10 }, (_, at) => file(`many/${at}.txt`, `number ${at}`)),
];

async function everything(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).sort();
}

describe('writeTree()', () => {
  verifies(['sec:A-5'], 'sets its own file modes', async () => {
    const parent = await temporary();
    await writeTree(files, join(parent, 'skill'));
    for (const { path, bytes } of files) expect(await readFile(join(parent, 'skill', path))).toEqual(bytes);
    expect(await readdir(parent)).toEqual(['skill']);
    // Windows has no such modes.
    if (process.platform === 'win32') return;
    const umask = process.umask();
    expect((await stat(join(parent, 'skill/SKILL.md'))).mode & 0o7777).toBe(0o644 & ~umask);
    expect((await stat(join(parent, 'skill/scripts/run.sh'))).mode & 0o7777).toBe(0o755 & ~umask);
    expect((await stat(join(parent, 'skill/scripts/deep'))).mode & 0o7777).toBe(0o755 & ~umask);
  });

  test('writes nothing if the target exists, even an empty folder or a link', async () => {
    const parent = await temporary({ file: 'mine', folder: { x: 'mine' }, empty: {} });
    await symlink('/nowhere', join(parent, 'link'));
    const before = await everything(parent);
    for (const name of ['file', 'folder', 'empty', 'link']) {
      const attempt = writeTree(files, join(parent, name));
      await expect(attempt).rejects.toMatchObject({ code: 'WRITE_FAILED', data: { path: join(parent, name) } });
    }
    expect(await everything(parent)).toEqual(before);
    expect(await readFile(join(parent, 'folder/x'), 'utf8')).toBe('mine');
    expect((await lstat(join(parent, 'link'))).isSymbolicLink()).toBe(true);
  });

  test('refuses paths that leave the folder or cannot exist side by side', async () => {
    const parent = await temporary();
    for (const paths of [['../x'], ['/etc/x'], ['a', 'a/b'], ['a', 'A'], ['c:x']]) {
      const attempt = writeTree(
        paths.map((path) => file(path, '')),
        join(parent, 'skill'),
      );
      await expect(attempt).rejects.toMatchObject({ code: expect.stringMatching(/^ARCHIVE_/) });
    }
    expect(await readdir(parent)).toEqual([]);
  });

  test('names the missing parent', async () => {
    const parent = await temporary();
    const attempt = writeTree(files, join(parent, 'no/such/skill'));
    await expect(attempt).rejects.toMatchObject({ code: 'WRITE_FAILED', message: expect.stringContaining('ENOENT') });
  });
});

type Step = Exclude<keyof TreeDisk, 'remove' | 'free'>;

/** The real disk, on which the call with this number fails. */
function failingDisk(failing: number, code: string): { disk: TreeDisk; calls: () => number } {
  let calls = 0;
  const failure = (): Promise<never> | undefined => {
    if (calls++ !== failing) return undefined;
    return Promise.reject(Object.assign(new Error(`${code}: it does not work`), { code }));
  };
  const on = <T extends readonly unknown[], R>(step: (...given: T) => Promise<R>): ((...given: T) => Promise<R>) => {
    return (...given) => failure() ?? step(...given);
  };
  const steps: Pick<TreeDisk, Step> = {
    mkdir: on(nodeTreeDisk.mkdir),
    create: on(nodeTreeDisk.create),
    syncFolder: on(nodeTreeDisk.syncFolder),
    rename: on(nodeTreeDisk.rename),
    exists: on(nodeTreeDisk.exists),
  };
  return { disk: { ...nodeTreeDisk, ...steps }, calls: () => calls };
}

async function countCalls(): Promise<number> {
  const { disk, calls } = failingDisk(-1, '');
  await writeTree(files, join(await temporary(), 'skill'), disk);
  return calls();
}

describe('writeTree() on a disk that fails', () => {
  for (const code of ['ENOSPC', 'EIO', 'EACCES', 'EROFS', 'EMFILE', 'EXDEV', 'EBUSY', 'EEXIST']) {
    verifies(['sec:A-17'], `leaves nothing behind at any step (${code})`, async () => {
      const parent = await temporary({ other: { 'SKILL.md': 'as it was' } });
      const before = await everything(parent);
      const all = await countCalls();
      expect(all).toBeGreaterThan(files.length);
      // The last call syncs the parent folder after the rename, when the tree is already complete.
      for (let failing = 0; failing < all - 1; failing++) {
        const error: unknown = await writeTree(files, join(parent, 'skill'), failingDisk(failing, code).disk).catch(
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(SkillwireError);
        expect(error).toMatchObject({
          code: 'WRITE_FAILED',
          message: expect.stringMatching(/Cannot write ".*": .*\. .*\./),
        });
        if (code === 'ENOSPC') expect((error as Error).message).toMatch(/\(\d+ bytes are free\)/);
        expect(await everything(parent)).toEqual(before);
      }
    });
  }

  verifies(['sec:A-17'], 'warns if the parent folder cannot be synced, and keeps the whole tree', async () => {
    const parent = await temporary();
    const { disk } = failingDisk((await countCalls()) - 1, 'EIO');
    await expect(writeTree(files, join(parent, 'skill'), disk)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect((await everything(join(parent, 'skill'))).length).toBeGreaterThan(files.length);
  });

  verifies(['sec:A-17'], 'names the paths that it could not remove', async () => {
    const parent = await temporary();
    const { disk } = failingDisk(5, 'ENOSPC');
    const stuck: TreeDisk = { ...disk, remove: () => Promise.reject(new Error('EIO: stuck')) };
    const attempt = writeTree(files, join(parent, 'skill'), stuck);
    await expect(attempt).rejects.toThrow(/ENOSPC.*unpacking-.*could not be removed: EIO: stuck/);
  });

  verifies(['sec:A-17'], 'reports a folder without write permission', async () => {
    if (process.getuid?.() === 0) return;
    const parent = await temporary({ closed: {} });
    await chmod(join(parent, 'closed'), 0o555);
    const attempt = writeTree(files, join(parent, 'closed/skill'));
    await expect(attempt).rejects.toMatchObject({ message: expect.stringContaining('EACCES') });
  });

  test('does not write through a link that appears in its staging folder', async () => {
    const parent = await temporary({ outside: {} });
    const disk: TreeDisk = {
      ...nodeTreeDisk,
      mkdir: async (path) => {
        await nodeTreeDisk.mkdir(path);
        if (path.endsWith('many')) await symlink(join(parent, 'outside/stolen'), join(path, '3.txt'));
      },
    };
    await expect(writeTree(files, join(parent, 'skill'), disk)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(await everything(parent)).toEqual(['outside']);
  });
});

test('nodeTreeDisk.create() does not replace a file', async () => {
  const parent = await temporary({ x: 'mine' });
  await expect(nodeTreeDisk.create(join(parent, 'x'), Buffer.from('other'), 0o644)).rejects.toMatchObject({
    code: 'EEXIST',
  });
  await mkdir(join(parent, 'd'));
  await expect(nodeTreeDisk.mkdir(join(parent, 'd'))).rejects.toMatchObject({ code: 'EEXIST' });
  await writeFile(join(parent, 'y'), '');
  expect(await nodeTreeDisk.exists(join(parent, 'y'))).toBe(true);
  expect(await nodeTreeDisk.exists(join(parent, 'z'))).toBe(false);
});
