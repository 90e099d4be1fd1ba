import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { openStore, openStoreOn } from './open-store.ts';

let top: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-folder-')));
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

const folders = (stateFolder = 'state', cacheFolder = 'cache') => ({
  stateFolder: join(top, stateFolder),
  cacheFolder: join(top, cacheFolder),
});
const unusable = { code: 'STATE_UNUSABLE' };

describe('a folder that agents read for skills (sec:C-14)', () => {
  test.each([
    ['the state in it', 'skills/state', 'cache'],
    ['the cache deep in it', 'state', 'skills/a/b/cache'],
    ['the state on it', 'skills', 'cache'],
    ['the state around it', '.', 'cache'],
    ['the state in it by another way', 'skills/../skills/state', 'cache'],
    ['the cache in it through a link', 'state', 'link/cache'],
  ])('is refused: %s', async (_, state, cache) => {
    mkdirSync(join(top, 'skills'));
    symlinkSync(join(top, 'skills'), join(top, 'link'));
    await expect(
      openStore({ ...folders(state, cache), forbiddenFolders: [join(top, 'skills')] }),
    ).rejects.toMatchObject({
      ...unusable,
      message: expect.stringContaining('agents look for skills'),
    });
  });

  test('is refused if it does not exist yet, and if it is a link itself', async () => {
    await expect(
      openStore({ ...folders('a/skills/s'), forbiddenFolders: [join(top, 'a/skills')] }),
    ).rejects.toMatchObject(unusable);
    mkdirSync(join(top, 'real'));
    symlinkSync(join(top, 'real'), join(top, 'skills'));
    await expect(openStore({ ...folders('real/s'), forbiddenFolders: [join(top, 'skills')] })).rejects.toMatchObject(
      unusable,
    );
  });

  test('does not forbid a neighbor with a common prefix in its name', async () => {
    mkdirSync(join(top, 'skills'));
    const store = await openStore({
      ...folders('skills-state', '..skills-cache'),
      forbiddenFolders: [join(top, 'skills')],
    });
    await store.state.set(['waiting', 'a'], 1);
    await store.index.set(['a'], 1);
    await store.close();
  });
});

describe.skipIf(process.platform === 'win32')('a folder of the store', () => {
  test('that others may read is made private', async () => {
    mkdirSync(join(top, 'state'));
    chmodSync(join(top, 'state'), 0o755);
    await openStore(folders());
    expect(statSync(join(top, 'state')).mode & 0o777).toBe(0o700);
  });

  test("that is the user's own link is followed", async () => {
    mkdirSync(join(top, 'disk'));
    symlinkSync(join(top, 'disk'), join(top, 'state'));
    const store = await openStore(folders());
    await store.state.set(['waiting', 'a'], 1);
    expect(statSync(join(top, 'disk/state.jsonl')).isFile()).toBe(true);
  });

  const as = (change: (path: string, facts: Awaited<ReturnType<FileSystem['lstat']>>) => number): FileSystem => ({
    ...nodeFileSystem,
    stat: async (path) => {
      const facts = await nodeFileSystem.stat(path);
      return { ...facts, uid: change(path, facts) };
    },
    lstat: async (path) => {
      const facts = await nodeFileSystem.lstat(path);
      return { ...facts, uid: change(path, facts) };
    },
  });
  const me = process.geteuid?.() ?? 0;

  test('that belongs to another user is refused', async () => {
    mkdirSync(join(top, 'cache'));
    const disk = as((path) => (path.endsWith('cache') ? me + 1 : me));
    await expect(openStoreOn(disk, folders())).rejects.toMatchObject({
      ...unusable,
      message: expect.stringContaining('another user'),
    });
  });

  test('that is a link of another user is refused', async () => {
    mkdirSync(join(top, 'disk'));
    symlinkSync(join(top, 'disk'), join(top, 'state'));
    const disk = as((_, facts) => (facts.kind === 'link' ? me + 1 : me));
    await expect(openStoreOn(disk, folders())).rejects.toMatchObject(unusable);
  });

  test('that is a file is refused by name', async () => {
    writeFileSync(join(top, 'state'), '');
    await expect(openStore(folders())).rejects.toMatchObject({
      ...unusable,
      message: expect.stringContaining(join(top, 'state')),
    });
  });

  test('with a link as journal is refused by name, and the target stays unchanged', async () => {
    mkdirSync(join(top, 'state'), { mode: 0o700 });
    writeFileSync(join(top, 'target'), 'mine');
    symlinkSync(join(top, 'target'), join(top, 'state/state.jsonl'));
    const store = await openStore(folders());
    const refused = { ...unusable, message: expect.stringContaining(join(top, 'state/state.jsonl')) };
    await expect(store.state.get(['a'])).rejects.toMatchObject(refused);
    await expect(store.state.set(['waiting', 'a'], 1)).rejects.toMatchObject(refused);
    expect(statSync(join(top, 'target')).size).toBe(4);
  });
});
