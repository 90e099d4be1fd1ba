import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeSyncDisk } from './sync-disk.ts';

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-sync-disk-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('readSized()', () => {
  test('returns the bytes of a file with this size, and its mode', async () => {
    const path = join(top, 'file');
    writeFileSync(path, 'four');
    chmodSync(path, 0o755);
    const found = await nodeSyncDisk.readSized(path, 4);
    expect(Buffer.from(found?.bytes ?? []).toString()).toBe('four');
    if (process.platform !== 'win32') expect((found?.mode ?? 0) & 0o777).toBe(0o755);
  });

  test('reads nothing of a file with another size', async () => {
    writeFileSync(join(top, 'file'), 'four');
    expect(await nodeSyncDisk.readSized(join(top, 'file'), 3)).toBeUndefined();
    expect(await nodeSyncDisk.readSized(join(top, 'file'), 5)).toBeUndefined();
  });

  test.skipIf(process.platform === 'win32')('does not follow links', async () => {
    writeFileSync(join(top, 'file'), 'four');
    symlinkSync(join(top, 'file'), join(top, 'link'));
    await expect(nodeSyncDisk.readSized(join(top, 'link'), 4)).rejects.toMatchObject({ code: 'ELOOP' });
  });
});
