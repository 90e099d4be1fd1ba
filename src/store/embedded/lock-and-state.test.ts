/** Guarantees of journals and locks on disk: they detect damage, and writers take turns. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { limits } from '../../limits.ts';
import type { AnyKey } from '../store.ts';
import { type FileSystem, nodeFileSystem as files } from './file-system.ts';
import { folderLock } from './folder-lock.ts';
import { installKey } from './install-key.ts';
import { encodeHeader, encodeLine, newHeader } from './journal-lines.ts';
import { lockFile } from './lock-file.ts';
import { newHolder } from './lock-holder.ts';
import { type EmbeddedStore, openStore } from './open-store.ts';
import type { Corruption } from './store-failure.ts';

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
function write(path: string, text = ''): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

describe('a state', () => {
  let store: EmbeddedStore<AnyKey>;
  const open = () =>
    openStore({ stateFolder: join(top, 'state'), cacheFolder: join(top, 'cache'), onCorrupt }) as Promise<
      EmbeddedStore<AnyKey>
    >;
  const journal = (): string => join(top, 'state/state.jsonl');
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  /** Writes lines with a valid checksum that contain no values. */
  async function forge(...payloads: unknown[]): Promise<void> {
    await store.state.set(['origin', 'docs'], 1);
    await store.close();
    const key = await installKey(files, join(top, 'state'), onCorrupt).current();
    const [format = ''] = /(?<="format":")[^"]+/.exec(readFileSync(journal(), 'utf8')) ?? [];
    const header = newHeader(format);
    const lines = payloads.map((payload, at) => encodeLine(key ?? bytes(''), header, at + 1, payload as never));
    writeFileSync(journal(), Buffer.concat([encodeHeader(header), ...lines]));
    corrupt = [];
    store = await open();
  }

  const value = [[['origin', 'docs'], 1]];
  test.each<readonly [string, unknown]>([
    ['a text', 'text'],
    ['an object', {}],
    ['a write without a key', [[1, 2]]],
    ['a write with more', [[['origin', 'docs'], 1, 2]]],
    ['a write that is none', ['x']],
    ['an empty key', [[[], 1]]],
  ])('with %s in a line trusts nothing before it, and reports it', async (_, payload) => {
    await forge(value, payload, [[['origin', 'later'], 2]]);
    expect((await store.state.entries([])).map(({ key }) => key.join())).toEqual(['origin,later']);
    expect(corrupt).toMatchObject([{ file: journal(), line: 3, copy: expect.stringContaining('.corrupt-') }]);
  });

  test('has a key of 32 bytes in hexadecimal, readable only by its owner', async () => {
    await store.state.set(['origin', 'docs'], 1);
    const [name = 'key'] = readdirSync(join(top, 'state')).filter((one) => /key/.test(one));
    const file = join(top, 'state', name);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^[0-9a-f]{64}\n$/);
    const key = await installKey(files, join(top, 'state'), onCorrupt).current();
    expect(Buffer.from(key ?? []).toString('hex')).toBe(text.trim());
    writeFileSync(file, 'nonsense');
    const own = installKey(files, join(top, 'state'), onCorrupt);
    expect(await own.current()).toBeUndefined();
    corrupt.length = 0;
    writeFileSync(file, text);
    expect(Buffer.from((await own.current()) ?? []).toString('hex')).toBe(text.trim());
    rmSync(file);
    expect(await own.current()).toBeUndefined();
    writeFileSync(file, 'nonsense');
    expect(await own.current()).toBeUndefined();
    expect(corrupt).toMatchObject([{ file }]);
  });

  test('counts lines of its own key, and deletions', async () => {
    await forge(value, [[['origin', 'docs']]], [[['origin', 'b'], 2]]);
    expect(await store.state.entries([])).toEqual([{ key: ['origin', 'b'], value: 2 }]);
    expect(corrupt).toEqual([]);
  });

  test('sees writes of other processes at once, and is rewritten only if worthwhile', async () => {
    const other = await open();
    onTestFinished(() => other.close());
    await store.state.set(['origin', 'a'], 1);
    expect(await other.state.get(['origin', 'a'])).toBe(1);
    const before = await other.state.revision();
    expect(await other.state.revision()).toBe(before);
    await store.state.set(['origin', 'a'], 2);
    expect(await other.state.revision()).not.toBe(before);
    expect(readFileSync(journal(), 'utf8').split('\n').length).toBeGreaterThan(3);
  });

  test('a record that is too large is refused and leaves nothing', async () => {
    const large = 'x'.repeat(20 * 1024 * 1024);
    await expect(store.audit.append({ at: 'now', action: 'x', reason: large })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
    const found: unknown[] = [];
    for await (const record of store.audit.read()) found.push(record);
    expect(found).toEqual([]);
  });

  test('an audit continues after a torn line', async () => {
    await store.audit.append({ at: 'one', action: 'x' });
    const path = join(top, 'state/audit.jsonl');
    writeFileSync(path, `${readFileSync(path, 'utf8')}torn`);
    await store.audit.append({ at: 'two', action: 'x' });
    await store.audit.append({ at: 'three', action: 'x' });
    const found: unknown[] = [];
    for await (const record of store.audit.read()) found.push(record.at);
    expect([found, corrupt]).toEqual([['one', 'two', 'three'], []]);
  });

  test('a foreign audit file is kept beside a new one', async () => {
    const path = join(top, 'state/audit.jsonl');
    write(path, 'mine\n');
    for await (const _ of store.audit.read()) expect.unreachable();
    expect(corrupt).toEqual([{ file: path, line: 1, reason: expect.any(String) }]);
    await store.audit.append({ at: 'one', action: 'x' });
    expect(corrupt[1]).toMatchObject({ file: path, line: 1, copy: expect.stringContaining('.corrupt-') });
    expect(readFileSync(corrupt[1]?.copy ?? '', 'utf8')).toBe('mine\n');
  });
});

describe('a lock', () => {
  const lockPath = (): string => join(top, 'lock');
  const guard = (more: object = {}): void => writeFileSync(lockPath(), JSON.stringify({ ...newHolder(), ...more }));

  test.each<readonly [string, object | string, RegExp, object]>([
    [
      'a process that lives',
      {},
      new RegExp(`process ${process.pid} on .* for more than 0\\.02 seconds`),
      { pid: process.pid },
    ],
    [
      'a process elsewhere',
      { host: 'elsewhere', hostName: 'far', pid: 7 },
      /process 7 on "far"/,
      { pid: 7, host: 'far' },
    ],
    ['nobody knows whom', 'x', /an unknown process/, { pid: 0, host: 'unknown' }],
  ])('of %s is waited for, and its owner is named', async (_, holder, said, data) => {
    if (typeof holder === 'string') writeFileSync(lockPath(), holder);
    else guard(holder);
    const lock = lockFile(files, top, undefined, 20);
    await expect(lock.take()).rejects.toMatchObject({
      code: 'STATE_LOCKED',
      message: expect.stringMatching(said),
      data: { path: lockPath(), ...data },
    });
    expect(readdirSync(top)).toEqual(['lock']);
  });

  test('of a process that is gone is taken over', async () => {
    guard({ pid: 2 ** 22 + 1 });
    const taken = await lockFile(files, top).take();
    expect(JSON.parse(readFileSync(lockPath(), 'utf8')).pid).toBe(process.pid);
    await taken.release();
    expect(readdirSync(top)).toEqual([]);
  });

  test.each([
    [limits.store.unknownHolderMs + 1, true],
    [limits.store.unknownHolderMs, false],
  ])('of an unknown process is taken over after a time (%d)', async (later, over) => {
    guard({ host: 'elsewhere' });
    // The end of the wait, the first check of the holder, and one later check.
    const times = [0, 0, 0, later, later];
    const lock = lockFile(files, top, () => times.shift() ?? (over ? later : later + 1), later);
    if (over) await (await lock.take()).release();
    else await expect(lock.take()).rejects.toMatchObject({ code: 'STATE_LOCKED' });
  });

  test('that was held long is confirmed before a write; a recent one is not', async () => {
    let time = 0;
    const lock = lockFile(files, top, () => time);
    const taken = await lock.take();
    writeFileSync(lockPath(), 'of another');
    await taken.confirm();
    time = limits.store.unknownHolderMs / 2;
    await taken.confirm();
    time += 1;
    await expect(taken.confirm()).rejects.toMatchObject({ code: 'STATE_LOCKED', data: { path: lockPath() } });
    await taken.release();
    // Another process has the lock now.
    expect(readFileSync(lockPath(), 'utf8')).toBe('of another');
  });

  test('waits only as long as its caller wants', async () => {
    guard();
    await expect(lockFile(files, top).take(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])(
    'works on a disk without links (%s)',
    async (code) => {
      const disk = { ...files, link: async () => Promise.reject(failure(code)) };
      const taken = await lockFile(disk, top).take();
      await expect(lockFile(disk, top, undefined, 10).take()).rejects.toMatchObject({ code: 'STATE_LOCKED' });
      await taken.release();
      expect(readdirSync(top)).toEqual([]);
    },
  );

  test('another failure of a link is reported', async () => {
    const disk = { ...files, link: async () => Promise.reject(failure('EIO')) };
    await expect(lockFile(disk, top).take()).rejects.toMatchObject({ code: 'EIO' });
    expect(readdirSync(top)).toEqual([]);
  });

  test('that cannot be released is released at the end', async () => {
    let broken = true;
    const disk: FileSystem = {
      ...files,
      unlink: async (path) => (broken && path === lockPath() ? Promise.reject(failure('EIO')) : files.unlink(path)),
    };
    const lock = lockFile(disk, top);
    await (await lock.take()).release();
    expect(existsSync(lockPath())).toBe(true);
    broken = false;
    await lock.end();
    expect(readdirSync(top)).toEqual([]);
  });

  test('sweeps files of dead processes, and nothing else', async () => {
    const name = (kind: string, at: number) => `lock.${kind}-${String(at).padStart(24, '0')}`;
    const dead = { ...newHolder(), pid: 2 ** 22 + 1 };
    for (const kind of ['claim', 'over']) {
      write(join(top, name(kind, 1)), JSON.stringify(dead));
      write(join(top, name(kind, 2)), JSON.stringify(newHolder()));
    }
    write(join(top, name('claim', 3)), '');
    write(join(top, name('claim', 4)), '');
    const longAgo = (Date.now() - limits.store.unknownHolderMs - 60_000) / 1000;
    utimesSync(join(top, name('claim', 4)), longAgo, longAgo);
    write(join(top, 'lock.claim-mine'), JSON.stringify(dead));
    await lockFile(files, top).sweep();
    const left = [name('claim', 2), name('claim', 3), name('over', 2), 'lock.claim-mine'];
    expect(readdirSync(top).sort()).toEqual(left.sort());
  });

  test('of a folder runs waiting work in order, and refuses too much of it', async () => {
    const lock = folderLock(files, join(top, 'folder'));
    const order: number[] = [];
    const all = [1, 2, 3].map((number) =>
      lock.run(async () => {
        order.push(number);
        if (number === 2) throw new Error('two');
        return number;
      }),
    );
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(order).toEqual([1, 2, 3]);
    let go: () => void = () => undefined;
    const first = lock.run(() => new Promise<void>((done) => (go = done)));
    const many = Array.from({ length: limits.store.waiting }, () => lock.run(async () => undefined));
    await expect(lock.run(async () => undefined)).rejects.toMatchObject({
      code: 'STATE_LOCKED',
      data: { path: join(top, 'folder') },
    });
    const late = Promise.allSettled(many);
    const opened = setInterval(() => go(), 5);
    await Promise.all([first, late]);
    clearInterval(opened);
    await lock.end();
    expect(readdirSync(join(top, 'folder'))).toEqual([]);
  });
});
