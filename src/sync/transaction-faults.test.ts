/** Answers of a disk during a run: no links, a full disk, a failed undo; and the state afterwards. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { limits } from '../limits.ts';
import { placeIn, put, treeOf, wantedSkill } from '../testing/sync-workloads.ts';
import { readLock } from './install-lock.ts';
import { type InstallPlace, lockPath, transactionFolder } from './install-place.ts';
import { checkInstalled } from './installed.ts';
import {
  createFile,
  nodeSyncDisk as disk,
  isThere,
  makeFolders,
  removeIfEmpty,
  removeTree,
  type SyncDisk,
} from './sync-disk.ts';
import { commit, inPlace, recover, recoverIfNeeded } from './transaction.ts';
import { type Journal, readJournal, removeJournal, writeJournal } from './transaction-journal.ts';

const posix = process.platform !== 'win32';
let top: string;
let place: InstallPlace;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-faults-')));
  place = placeIn(top);
  mkdirSync(place.project);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const at = (path: string): string => join(place.project, path);
const failure = (code: string | undefined, path?: string) =>
  Object.assign(new Error(`${code}: injected`), {
    ...(code === undefined ? {} : { code }),
    ...(path === undefined ? {} : { path }),
  });
const alpha = wantedSkill('alpha', { 'a.txt': 'one', 'deep/er/b.txt': 'two' });
const journal = (): string => join(transactionFolder(place), 'journal.json');

describe('links', () => {
  test.each(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'UNKNOWN'])(
    'that a system refuses with %s become copies',
    async (code) => {
      await put({ ...disk, symlink: async () => Promise.reject(failure(code)) }, place, [alpha]);
      expect(treeOf(at('.claude/skills/alpha'))).toEqual(treeOf(at('.agents/skills/alpha')));
      expect((await checkInstalled(place)).skills).toMatchObject([{ state: 'ok', folders: [{}, { state: 'copy' }] }]);
    },
  );

  test('that fail for another reason fail the run, and nothing is left', async () => {
    const failing = { ...disk, symlink: async () => Promise.reject(failure('EIO', '/somewhere')) };
    await expect(put(failing, place, [alpha])).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining('"/somewhere"'),
      data: { errno: 'EIO', path: '/somewhere' },
    });
    expect(treeOf(place.project)).toEqual({});
  });

  test('are relative, and absolute junctions on Windows', async () => {
    const made: unknown[][] = [];
    const noting: SyncDisk = {
      ...disk,
      symlink: async (...args) => {
        made.push(args);
        await disk.symlink(args[0], args[1], 'link');
      },
    };
    await put(noting, place, [alpha]);
    await put(noting, { ...place, platform: 'win32' }, [wantedSkill('beta', {})]);
    const [link = [], junction = []] = made;
    expect([link[0], link[2]]).toEqual([join('../../.agents/skills/alpha'), 'link']);
    expect([junction[0], junction[2]]).toEqual([at('.agents/skills/beta'), 'junction']);
  });
});

describe('a failure', () => {
  test('that is not a disk error does not change', async () => {
    const failing = { ...disk, symlink: async () => Promise.reject(new TypeError('a fault of ours')) };
    await expect(put(failing, place, [alpha])).rejects.toThrow(TypeError);
    expect(treeOf(place.project)).toEqual({});
  });

  test('without a path is reported without one', async () => {
    const failing = { ...disk, symlink: async () => Promise.reject(failure('ENOSPC')) };
    const error = await put(failing, place, [alpha]).catch((one: unknown) => one);
    expect(error).toMatchObject({ code: 'WRITE_FAILED', data: { errno: 'ENOSPC' } });
    expect((error as { data: object }).data).not.toHaveProperty('path');
  });

  test('to undo is reported with both reasons, and the next run finishes it', async () => {
    let broken = false;
    const failing: SyncDisk = {
      ...disk,
      async symlink() {
        broken = true;
        throw failure('ENOSPC');
      },
      rmdir: async (path) => (broken ? Promise.reject(failure('EIO')) : disk.rmdir(path)),
    };
    await expect(put(failing, place, [alpha])).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringMatching(/ENOSPC: injected.*EIO: injected/),
    });
    expect((await checkInstalled(place)).unfinished).toBe(true);
    expect(await recoverIfNeeded(disk, place)).toBe('undone');
    expect(treeOf(place.project)).toEqual({});
    expect(await recoverIfNeeded(disk, place)).toBe('clean');
  });

  test('after the lock file is in place is ignored: the next run cleans up', async () => {
    let moved = false;
    const failing: SyncDisk = {
      ...disk,
      async rename(from, to) {
        await disk.rename(from, to);
        if (to === lockPath(place)) moved = true;
      },
      rmdir: async (path) => (moved ? Promise.reject(failure('EIO')) : disk.rmdir(path)),
    };
    await put(failing, place, [alpha]);
    expect((await checkInstalled(place)).unfinished).toBe(true);
    expect(await recover(disk, place)).toBe('finished');
    expect(await checkInstalled(place)).toMatchObject({ unfinished: false, leftovers: [], skills: [{ state: 'ok' }] });
  });
});

test.each([
  { what: 'appeared', replaces: false, make: true },
  { what: 'was removed', replaces: true, make: false },
])('a target that $what meanwhile stops the run', async ({ what, replaces, make }) => {
  const target = at('.agents/skills/alpha');
  if (make) mkdirSync(target, { recursive: true });
  const change = { target, replaces, put: { kind: 'folder', files: alpha.files } } as const;
  await expect(inPlace(disk, place, () => commit(disk, place, [change], 'lock'))).rejects.toMatchObject({
    code: 'UNSTABLE',
    message: expect.stringContaining(what),
    data: { path: target },
  });
  expect(existsSync(target)).toBe(make);
  expect(existsSync(lockPath(place))).toBe(false);
});

test.skipIf(!posix)('everybody can read the written files, and scripts can be run', async () => {
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  await put(disk, place, [
    wantedSkill('alpha', { 'deep/run.sh': 'x', 'a.txt': '' }, { executable: ['deep/run.sh'], scripts: true }),
  ]);
  const modes = [
    '.agents',
    '.agents/skills',
    '.agents/skills/alpha',
    '.agents/skills/alpha/deep',
    '.claude/skills',
  ].map((path) => statSync(at(path)).mode & 0o777);
  expect(modes).toEqual(modes.map(() => 0o755));
  const files = ['alpha/deep/run.sh', 'alpha/a.txt', 'alpha/SKILL.md'].map(
    (path) => statSync(at(`.agents/skills/${path}`)).mode & 0o777,
  );
  expect(files).toEqual([0o755, 0o644, 0o644]);
  expect(statSync(lockPath(place)).mode & 0o777).toBe(0o644);
});

test('files are synced unless there are very many', async () => {
  const counted = async (files: number): Promise<number> => {
    let synced = 0;
    const counting: SyncDisk = {
      ...disk,
      open: async (path, ...rest) => {
        const file = await disk.open(path, ...rest);
        return {
          ...file,
          sync: async () => {
            if (path.endsWith('.txt')) synced += 1;
          },
        };
      },
      syncFolder: async () => undefined,
    };
    const many = Object.fromEntries(Array.from({ length: files }, (_, index) => [`${index}.txt`, '']));
    await put(counting, place, [wantedSkill(`s${files}`, many, { agents: [] })]);
    return synced;
  };
  // SKILL.md is one of them.
  expect(await counted(limits.sync.syncedFiles - 1)).toBe(limits.sync.syncedFiles - 1);
  expect(await counted(limits.sync.syncedFiles)).toBe(0);
});

describe('the notes of a run', () => {
  beforeEach(() => void mkdirSync(transactionFolder(place), { recursive: true }));
  const notes = (): Journal => ({
    phase: 'moving',
    stages: [at('.agents/.skillwire-1')],
    made: [at('.agents'), join(top, 'elsewhere')],
    moves: [
      { target: at('x'), staged: at('y'), old: place.project, replaces: true },
      { target: at('x2'), old: at('z'), replaces: false },
    ],
    lock: { staged: at('.skillwire-1.lock'), target: lockPath(place) },
  });

  test('are read as written, and stay valid in a project that was moved', async () => {
    await writeJournal(disk, place, notes());
    expect(await readJournal(disk, place)).toEqual(notes());
    expect(readFileSync(journal(), 'utf8')).not.toContain(place.project);
    await removeJournal(disk, place);
    await removeJournal(disk, place);
    expect(await readJournal(disk, place)).toBeUndefined();
  });

  test.each(['{', '[]', '{"version":2}', '{"version":1}', 'null'])(
    'that are %s stop every run, and name the file',
    async (text) => {
      await writeJournal(disk, place, notes());
      writeFileSync(journal(), text);
      const stopped = { code: 'STATE_UNUSABLE', data: { path: journal() } };
      await expect(readJournal(disk, place)).rejects.toMatchObject(stopped);
      await expect(put(disk, place, [alpha])).rejects.toMatchObject(stopped);
      await expect(checkInstalled(place)).rejects.toMatchObject(stopped);
      expect(treeOf(place.project)).toEqual({});
    },
  );

  test('that cannot be read are an error', async () => {
    mkdirSync(journal(), { recursive: true });
    await expect(readJournal(disk, place)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});

describe('leftovers', () => {
  test.each([
    ['.skillwire-0123456789ab', true],
    ['.skillwire-0123456789ab.lock', true],
    ['.skillwire-0123456789abc', false],
    ['x.skillwire-0123456789ab', false],
    ['.skillwire-0123456789zz', false],
  ])('%s is one: %s', async (name, is) => {
    await put(disk, place, [alpha]);
    mkdirSync(at(`.agents/${name}`));
    expect((await checkInstalled(place)).leftovers).toEqual(is ? [at(`.agents/${name}`)] : []);
  });
});

describe('nodeSyncDisk', () => {
  test.skipIf(!posix)('lists by name, with kinds', async () => {
    for (const name of ['b', 'a']) writeFileSync(join(top, name), '');
    const server = createServer().listen(join(top, 'socket'));
    onTestFinished(() => void server.close());
    await new Promise((done) => server.once('listening', done));
    await disk.symlink('nowhere', join(top, 'link'), 'link');
    expect(await disk.list(top)).toEqual([
      { name: 'a', kind: 'file' },
      { name: 'b', kind: 'file' },
      { name: 'link', kind: 'link' },
      { name: 'project', kind: 'folder' },
      { name: 'socket', kind: 'other' },
    ]);
    expect(await disk.readlink(join(top, 'link'))).toBe('nowhere');
    expect(await isThere(disk, join(top, 'link'))).toBe(true);
    await expect(disk.read(join(top, 'link'))).rejects.toMatchObject({ code: 'ELOOP' });
    expect(Buffer.from(await disk.read(join(top, 'a')))).toHaveLength(0);
  });

  test('stamps every path, and has none if one is missing', async () => {
    writeFileSync(join(top, 'a'), 'x');
    const stamp = await disk.stamp(top, ['', 'a']);
    expect(stamp?.bytes).toHaveLength(2 * 6 * 8);
    const newest = Math.max(
      ...['', 'a'].flatMap((path) => [lstatSync(join(top, path)).mtimeMs, lstatSync(join(top, path)).ctimeMs]),
    );
    expect(stamp?.changedMs).toBe(newest);
    expect(await disk.stamp(top, ['', 'a', 'b'])).toBeUndefined();
    const rows = new Float64Array(stamp?.bytes.buffer ?? new ArrayBuffer(0));
    const { dev, ino, size, mode, mtimeMs, ctimeMs } = lstatSync(join(top, 'a'));
    expect([...rows.slice(6)]).toEqual([dev, ino, size, mode, mtimeMs, ctimeMs]);
  });
});

describe('folders', () => {
  test('makeFolders() returns the folders it made, outermost first', async () => {
    expect(await makeFolders(disk, join(top, 'a/b/c'))).toEqual(['a', 'a/b', 'a/b/c'].map((path) => join(top, path)));
    expect(await makeFolders(disk, join(top, 'a/b/c'))).toEqual([]);
    if (posix) expect(statSync(join(top, 'a/b/c')).mode & 0o022 & ~process.umask()).toBe(0);
  });

  test('makeFolders() accepts a folder that somebody else just made, and no other failure', async () => {
    const racing: SyncDisk = {
      ...disk,
      async mkdir(path, mode) {
        mkdirSync(path);
        await disk.mkdir(path, mode);
      },
    };
    expect(await makeFolders(racing, join(top, 'a/b'))).toEqual([]);
    const failing = { ...disk, mkdir: async () => Promise.reject(failure('EACCES')) };
    await expect(makeFolders(failing, join(top, 'c'))).rejects.toMatchObject({ code: 'EACCES' });
  });

  test('removeTree() removes everything except targets of links', async () => {
    await makeFolders(disk, join(top, 'tree/deep'));
    await makeFolders(disk, join(top, 'kept'));
    for (const path of ['tree/a', 'tree/deep/b', 'kept/c']) writeFileSync(join(top, path), '');
    await disk.symlink(join(top, 'kept'), join(top, 'tree/link'), 'link');
    await removeTree(disk, join(top, 'tree'));
    await removeTree(disk, join(top, 'tree'));
    expect([existsSync(join(top, 'tree')), readdirSync(join(top, 'kept'))]).toEqual([false, ['c']]);
    await disk.symlink(join(top, 'kept'), join(top, 'alone'), 'link');
    await removeTree(disk, join(top, 'alone'));
    expect(readdirSync(top).sort()).toEqual(['kept', 'project']);
  });

  test.each([
    ['unlink', 'ENOENT', undefined],
    ['unlink', 'EACCES', 'EACCES'],
  ] as const)('removeTree() if %s answers %s', async (_, code, thrown) => {
    writeFileSync(join(top, 'file'), '');
    const failing = { ...disk, unlink: async () => Promise.reject(failure(code)) };
    const done = removeTree(failing, join(top, 'file'));
    if (thrown === undefined) await done;
    else await expect(done).rejects.toMatchObject({ code: thrown });
  });

  test.each(['ENOTEMPTY', 'EEXIST', 'EBUSY', 'EPERM', 'ENOENT'])('removeIfEmpty() ignores %s', async (code) => {
    await removeIfEmpty({ ...disk, rmdir: async () => Promise.reject(failure(code)) }, top);
    const failing = { ...disk, rmdir: async () => Promise.reject(failure('EIO')) };
    await expect(removeIfEmpty(failing, top)).rejects.toMatchObject({ code: 'EIO' });
  });

  test('createFile() writes a new file, and never overwrites one', async () => {
    const bytes = new TextEncoder().encode('text');
    await createFile(disk, join(top, 'a'), bytes, 0o600);
    expect(readFileSync(join(top, 'a'), 'utf8')).toBe('text');
    if (posix) expect(statSync(join(top, 'a')).mode & 0o777).toBe(0o600);
    await expect(createFile(disk, join(top, 'a'), bytes, 0o600)).rejects.toMatchObject({ code: 'EEXIST' });
  });
});

test("the user's lock file is beside the shared folder", async () => {
  const global = { ...place, scope: 'global', root: place.home } as const;
  mkdirSync(place.home);
  await put(disk, global, [alpha]);
  expect(dirname(lockPath(global))).toBe(join(place.home, '.agents'));
  expect(Object.keys((await readLock(disk, global)).lock.skills)).toEqual(['alpha']);
  expect(existsSync(join(place.home, '.claude/skills/alpha/SKILL.md'))).toBe(true);
});
