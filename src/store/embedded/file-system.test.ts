import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FileSystem, nodeFileSystem, withWindowsPatience } from './file-system.ts';

let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-windows-'));
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

/** Like Windows, refuses a read-only target, or one that is open during the first tries. */
function strict(code: string, lockedTries: number): FileSystem {
  let tries = 0;
  const refuse = (path: string): void => {
    tries += 1;
    const readOnly = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o200) & 0o200;
    if (tries <= lockedTries || readOnly === 0) throw Object.assign(new Error(code), { code });
  };
  return {
    ...nodeFileSystem,
    rename: async (from, to) => {
      refuse(to);
      return nodeFileSystem.rename(from, to);
    },
    unlink: async (path) => {
      refuse(path);
      return nodeFileSystem.unlink(path);
    },
  };
}

describe('withWindowsPatience()', () => {
  test.each(['EPERM', 'EACCES', 'EBUSY'])('renames over a file that is read-only and open (%s)', async (code) => {
    const [from, to] = [join(top, 'from'), join(top, 'to')];
    writeFileSync(from, 'new');
    writeFileSync(to, 'old', { mode: 0o444 });
    await withWindowsPatience(strict(code, 2)).rename(from, to);
    expect(readFileSync(to, 'utf8')).toBe('new');
  });

  test('removes a read-only file', async () => {
    const path = join(top, 'file');
    writeFileSync(path, '', { mode: 0o444 });
    await withWindowsPatience(strict('EPERM', 0)).unlink(path);
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('passes on errors that waiting does not solve', async () => {
    const files = withWindowsPatience(strict('ENOSPC', 1));
    writeFileSync(join(top, 'from'), '');
    await expect(files.rename(join(top, 'from'), join(top, 'to'))).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(files.unlink(join(top, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('stops after a while', async () => {
    writeFileSync(join(top, 'from'), '');
    const files = withWindowsPatience(strict('EBUSY', 1_000_000));
    await expect(files.rename(join(top, 'from'), join(top, 'to'))).rejects.toMatchObject({ code: 'EBUSY' });
  });
});
