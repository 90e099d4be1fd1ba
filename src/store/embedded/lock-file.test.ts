import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import { folderLock } from './folder-lock.ts';
import { lockFile } from './lock-file.ts';
import { decodeHolder, encodeHolder, holderState, type LockHolder, newHolder } from './lock-holder.ts';
import { withPaths } from './store-failure.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-lock-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const deadPid = spawnSync(process.execPath, ['-e', '']).pid;
const plant = (holder: LockHolder, name = 'lock'): void => writeFileSync(join(folder, name), encodeHolder(holder));
const dead = (): LockHolder => ({ ...newHolder(), pid: deadPid });
const onLinux = process.platform === 'linux';

/** A clock that advances a quarter of a second at each reading. */
function fastClock(): () => number {
  let now = 0;
  return () => {
    now += 250;
    return now;
  };
}

describe('a lock', () => {
  test('names its owner while it is held, and leaves nothing', async () => {
    const taken = await lockFile(nodeFileSystem, folder).take();
    expect(decodeHolder(readFileSync(join(folder, 'lock')))).toMatchObject({ pid: process.pid });
    expect(readdirSync(folder)).toEqual(['lock']);
    await taken.confirm();
    await taken.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('has one owner at a time', async () => {
    let holders = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      const taken = await lockFile(nodeFileSystem, folder).take();
      holders += 1;
      most = Math.max(most, holders);
      await new Promise((resolve) => setTimeout(resolve, 1));
      holders -= 1;
      await taken.release();
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(most).toBe(1);
  });

  test('of a dead process is taken over, by one of many', async () => {
    plant(dead());
    let holders = 0;
    const work = async (): Promise<void> => {
      const taken = await lockFile(nodeFileSystem, folder).take();
      holders += 1;
      expect(holders).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      holders -= 1;
      await taken.release();
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is taken over even if another process died during the takeover', async () => {
    const first = dead();
    const second = dead();
    const third = dead();
    plant(first);
    plant(second, `lock.over-${first.token}`);
    plant(third, `lock.over-${second.token}`);
    const taken = await lockFile(nodeFileSystem, folder).take();
    await taken.release();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
    expect(existsSync(join(folder, `lock.over-${first.token}`))).toBe(false);
  });

  test('that got a new owner meanwhile is not taken from it', async () => {
    const stale = dead();
    plant(stale);
    const alive = newHolder();
    let swapped = false;
    // Another process takes over the lock between the check of the stale lock and its removal.
    const disk: FileSystem = {
      ...nodeFileSystem,
      link: async (from, to) => {
        if (to.includes('.over-') && !swapped) {
          swapped = true;
          rmSync(join(folder, 'lock'));
          plant(alive);
          setTimeout(() => rmSync(join(folder, 'lock')), 30);
        }
        return nodeFileSystem.link(from, to);
      },
      unlink: async (path) => {
        if (path.endsWith('/lock')) expect(decodeHolder(readFileSync(path)).token).not.toBe(alive.token);
        return nodeFileSystem.unlink(path);
      },
    };
    const taken = await lockFile(disk, folder).take();
    expect(swapped).toBe(true);
    await taken.release();
  });

  test.runIf(onLinux)('of a process whose id was reused is taken over', async () => {
    plant({ ...newHolder(), started: '1' });
    await (await lockFile(nodeFileSystem, folder).take()).release();
  });

  test.runIf(onLinux)('of a living process is waited for, and at the end its owner is named', async () => {
    plant(newHolder());
    await expect(lockFile(nodeFileSystem, folder, fastClock()).take()).rejects.toMatchObject({
      code: 'STATE_LOCKED',
      message: expect.stringContaining(`process ${process.pid}`),
      data: { pid: process.pid },
    });
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test.each([
    ['on another machine', { ...newHolder(), host: 'elsewhere' }],
    ['that nobody can read', undefined],
  ])('of an owner %s is respected for a while, then taken over', async (_, holder) => {
    if (holder === undefined) writeFileSync(join(folder, 'lock'), 'x');
    else plant(holder);
    const tick = fastClock();
    let now = 0;
    const clock = (): number => {
      now = tick();
      return now;
    };
    const taken = await lockFile(nodeFileSystem, folder, clock).take();
    expect(now).toBeGreaterThan(limits.store.unknownHolderMs);
    await taken.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('works on a disk without hard links', async () => {
    const disk: FileSystem = {
      ...nodeFileSystem,
      link: async () => {
        throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      },
    };
    plant(dead());
    const taken = await lockFile(disk, folder).take();
    expect(decodeHolder(readFileSync(join(folder, 'lock'))).pid).toBe(process.pid);
    await taken.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is acquired even if the disk lost the answer to the link', async () => {
    const disk: FileSystem = {
      ...nodeFileSystem,
      link: async (from, to) => {
        linkSync(from, to);
        throw Object.assign(new Error('EEXIST'), { code: 'EEXIST' });
      },
    };
    await (await lockFile(disk, folder).take()).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that was held too long and taken over allows no writes', async () => {
    let now = 0;
    const taken = await lockFile(nodeFileSystem, folder, () => now).take();
    now = limits.store.unknownHolderMs;
    await taken.confirm();
    plant({ ...newHolder(), host: 'elsewhere' });
    await expect(taken.confirm()).rejects.toMatchObject({ code: 'STATE_LOCKED' });
    await taken.release();
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test('that was held long is released like a stale one', async () => {
    let now = 0;
    const taken = await lockFile(nodeFileSystem, folder, () => now).take();
    now = limits.store.unknownHolderMs;
    await taken.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that is a link is refused by name', async () => {
    symlinkSync('/etc/hostname', join(folder, 'lock'));
    await expect(folderLock(withPaths(nodeFileSystem), folder).run(async () => 1)).rejects.toMatchObject({
      code: 'ELOOP',
    });
  });
});

describe('a folder', () => {
  test('runs work in order, and continues after failed work', async () => {
    const lock = folderLock(nodeFileSystem, join(folder, 'new/folder'));
    const order: number[] = [];
    const results = await Promise.allSettled(
      [1, 2, 3].map((number) =>
        lock.run(async () => {
          order.push(number);
          await new Promise((resolve) => setTimeout(resolve, 3 - number));
          order.push(number);
          if (number === 2) throw new Error('two');
          return number;
        }),
      ),
    );
    expect(order).toEqual([1, 1, 2, 2, 3, 3]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await lock.end();
    expect(readdirSync(join(folder, 'new/folder'))).toEqual([]);
  });

  test('is swept of files of dead processes, not of living ones', async () => {
    const claims = [dead(), dead(), newHolder()];
    for (const claim of claims) plant(claim, `lock.claim-${claim.token}`);
    plant(dead(), `lock.over-${'0'.repeat(24)}`);
    writeFileSync(join(folder, `lock.claim-${'1'.repeat(24)}`), '');
    writeFileSync(join(folder, `lock.claim-${'2'.repeat(24)}`), '');
    utimesSync(join(folder, `lock.claim-${'1'.repeat(24)}`), 1, 1);
    writeFileSync(join(folder, `state.jsonl.tmp-${'0'.repeat(16)}`), '');
    writeFileSync(join(folder, 'mine.txt'), '');
    const lock = folderLock(nodeFileSystem, folder);
    await lock.run(async () => undefined);
    await lock.end();
    expect(readdirSync(folder).sort()).toEqual(
      [`lock.claim-${claims[2]?.token}`, `lock.claim-${'2'.repeat(24)}`, 'mine.txt'].sort(),
    );
  });

  test('releases a lock at the end that could not be released before', async () => {
    let fails = true;
    const disk: FileSystem = {
      ...nodeFileSystem,
      unlink: async (path) => {
        if (fails && path.endsWith('lock')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        return nodeFileSystem.unlink(path);
      },
    };
    const lock = folderLock(disk, folder);
    expect(await lock.run(async () => 'done')).toBe('done');
    expect(readdirSync(folder)).toEqual(['lock']);
    fails = false;
    expect(await lock.run(async () => 'done again')).toBe('done again');
    await lock.end();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('an owner', () => {
  test('is alive while its process is, and dead when it is gone', async () => {
    expect(holderState(newHolder())).toBe(onLinux ? 'alive' : 'unknown');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const holder = { ...newHolder(), pid: child.pid ?? 0 };
    expect(holderState(holder)).toBe(onLinux ? 'dead' : 'unknown');
    const { started: _, ...withoutStart } = holder;
    expect(holderState(withoutStart)).toBe('unknown');
    const gone = new Promise((resolve) => child.on('close', resolve));
    child.kill('SIGKILL');
    await gone;
    expect(holderState(withoutStart)).toBe('dead');
  });

  test.each([
    ['', 'null', '[]', '{}', '{"token":"../../x","pid":1,"host":"","hostName":""}'],
    ['{"token":"000000000000000000000000","pid":0,"host":"a","hostName":"a"}'],
    ['{"token":"000000000000000000000000","pid":-1,"host":"a","hostName":"a"}'],
  ])('of a foreign file is unknown, with its own token: %s', (...texts) => {
    for (const text of texts) {
      const holder = decodeHolder(Buffer.from(text));
      expect(holder.pid).toBe(0);
      expect(holder.token).toMatch(/^[0-9a-f]{24}$/);
      expect(holderState(holder)).toBe('unknown');
    }
  });
});
